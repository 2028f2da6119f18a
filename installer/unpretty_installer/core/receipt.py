"""What a config file was like before us, kept so that it can be restored byte for byte.

One receipt per file that belongs to somebody else and that we changed, in ``<state directory>/receipts``. Receipts are
part of the plan that changes the file, so they are written and rolled back together with it.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from unpretty import __version__, locations
from unpretty_installer.core import files
from unpretty_installer.core.plan import FileChange

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Receipt:
    """One changed file.

    Attributes:
        agent: whose file it is.
        path: the file as the agent names it.
        before: its bytes without anything of ours, None when there was no file.
        after_sha256: hash of its bytes as we left them (hexadecimal).
        added: what we had to create around our entry, in the editor's own words, to be removed again when empty.
        created_dirs: directories that we created for it, innermost first.
        notes: what else the agent's module wants to remember.
    """

    agent: str
    path: Path
    before: bytes | None
    after_sha256: str
    added: tuple[str, ...] = ()
    created_dirs: tuple[Path, ...] = ()
    notes: Mapping[str, object] = field(default_factory=dict)

    def is_untouched(self, current: bytes | None) -> bool:
        """Whether the file still has the bytes that we wrote."""
        return current is not None and sha256(current) == self.after_sha256


def sha256(data: bytes) -> str:
    """The hash of ``data``, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def directory() -> Path:
    """Where the receipts are."""
    return locations.state_dir() / "receipts"


def _file(agent: str, path: Path) -> Path:
    return directory() / f"{agent}-{sha256(str(path).encode('utf-8', 'surrogateescape'))[:16]}.json"


def find(agent: str, path: Path) -> Receipt | None:
    """The receipt for one file of an agent, None when there is none or it cannot be read."""
    return _decoded(files.read(_file(agent, path)))


def of_agent(agent: str) -> list[Receipt]:
    """All receipts of an agent, in the order of their paths."""
    found = [_decoded(files.read(file)) for file in sorted(directory().glob(f"{agent}-*.json"))]
    return sorted(
        (receipt for receipt in found if receipt and receipt.agent == agent), key=lambda receipt: receipt.path
    )


def keep(
    change: FileChange,
    agent: str,
    without_ours: Callable[[bytes, tuple[str, ...]], bytes],
    *,
    added: tuple[str, ...] = (),
    notes: Mapping[str, object] | None = None,
) -> FileChange:
    """The change that writes the receipt for ``change``, to be put in front of it in the plan.

    A second change of the same file keeps what the first receipt knows: the bytes from before us when nobody has
    touched the file since, otherwise the touched file without our entry; and everything that we added so far.

    Args:
        change: how the agent's file is going to change; its ``after`` is not None.
        agent: whose file it is.
        without_ours: the file's bytes with our entry, and the keys named, taken out.
        added: see ``Receipt.added``; what this change creates.
        notes: see ``Receipt.notes``; they are laid over those of an earlier receipt.
    """
    assert change.after is not None
    earlier = None if change.before is None else find(agent, change.path)
    known = earlier.added if earlier else ()
    if earlier and earlier.is_untouched(change.before):
        before = earlier.before
    else:
        before = None if change.before is None else without_ours(change.before, known)
    receipt = Receipt(
        agent=agent,
        path=change.path,
        before=before,
        after_sha256=sha256(change.after),
        added=tuple(dict.fromkeys((*known, *added))),
        created_dirs=tuple(
            dict.fromkeys((*(earlier.created_dirs if earlier else ()), *files.missing_directories(change.path)))
        ),
        notes={**(earlier.notes if earlier else {}), **(notes or {})},
    )
    return _written(receipt, "Remembers what the file was like, so that uninstall can restore it.")


def remember(agent: str, path: Path, added: tuple[str, ...]) -> FileChange:
    """The change that writes a receipt without the file's bytes: for edits that can be taken out again exactly.

    Args:
        agent: whose file it is, or another name that keeps such receipts apart from those of ``keep``.
        path: the file.
        added: see ``Receipt.added``; what an earlier receipt names stays.
    """
    earlier = find(agent, path)
    known = earlier.added if earlier else ()
    receipt = Receipt(agent, path, None, "", tuple(dict.fromkeys((*known, *added))))
    return _written(receipt, "Remembers where servers were wrapped, so that uninstall finds them.")


def _written(receipt: Receipt, why: str) -> FileChange:
    file = _file(receipt.agent, receipt.path)
    return FileChange(file, files.read(file), _encoded(receipt), why, ours=True, mode=0o600)


def drop(receipt: Receipt) -> FileChange:
    """The change that deletes a receipt, to be put after the change that restores its file."""
    file = _file(receipt.agent, receipt.path)
    return FileChange(file, files.read(file), None, "No longer needed.", ours=True, empty_dirs=(directory(),))


def restored(
    receipt: Receipt | None, current: bytes, without_ours: Callable[[bytes, tuple[str, ...]], bytes], *, blank: bytes
) -> bytes | None:
    """What an agent's file should be when we are gone; None when it should not be there.

    Args:
        receipt: what we know about it; None when it was lost.
        current: the file's bytes now.
        without_ours: the bytes with our entry, and the keys named, taken out.
        blank: what the file looks like, whitespace aside, when nothing is left in it.
    """
    if receipt and receipt.is_untouched(current):
        return receipt.before
    stripped = without_ours(current, receipt.added if receipt else ())
    if receipt and not _core(receipt.before or b"") and _core(stripped) == blank:
        return receipt.before  # we made the file, or it was empty, and nobody put anything into it
    return stripped


def _core(data: bytes) -> bytes:
    """The bytes without whitespace and a byte order mark around them."""
    return data.removeprefix(b"\xef\xbb\xbf").strip()


def _encoded(receipt: Receipt) -> bytes:
    before = None if receipt.before is None else base64.b64encode(receipt.before).decode("ascii")
    content = {
        "schema": SCHEMA,
        "agent": receipt.agent,
        "path": str(receipt.path),
        "before": before,
        "after_sha256": receipt.after_sha256,
        "added": list(receipt.added),
        "created_dirs": [str(directory) for directory in receipt.created_dirs],
        "notes": dict(receipt.notes),
        "unpretty": __version__,
    }
    return json.dumps(content, indent=1).encode("utf-8") + b"\n"


def _decoded(data: bytes | None) -> Receipt | None:
    """A damaged receipt counts as none: the entry can be taken out without it."""
    try:
        content = json.loads(data or b"")
        before = content["before"]
        return Receipt(
            agent=str(content["agent"]),
            path=Path(content["path"]),
            before=None if before is None else base64.b64decode(before, validate=True),
            after_sha256=str(content["after_sha256"]),
            added=tuple(map(str, content["added"])),
            created_dirs=tuple(map(Path, content["created_dirs"])),
            notes=dict(content["notes"]),
        )
    except (ValueError, TypeError, KeyError):
        return None
