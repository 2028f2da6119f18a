"""Reading and replacing single files without ever leaving one half written.

A file is replaced by renaming a finished temporary file that is beside it, so a reader sees the old bytes or the
new ones. Symbolic links are followed first: the file that they lead to is replaced, the links stay.
"""

import contextlib
import glob
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from unpretty.engine import system
from unpretty.errors import UnprettyError

NIX_STORE = "/nix/store/"
_TEMPORARY = ".unpretty"
_STALE_SECONDS = 60


def read(path: Path, *, own: bool = False) -> bytes | None:
    """The bytes of the file that ``path`` leads to; None when there is none (also for a link that leads nowhere).

    With ``own`` (see ``target``) a link that leads to no file, but to itself or to a directory, counts as nothing too.

    Raises:
        UnprettyError: it is there but cannot be read, or is no regular file.
    """
    try:
        if own and path.is_symlink() and not os.path.isfile(path):  # noqa: PTH113  that of Path may raise
            return None
        if path.is_fifo():  # opening it would wait for somebody who writes
            raise UnprettyError(f"{path} cannot be read (it is a pipe).", code="unreadable")
        with path.open("rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise UnprettyError(
            f"{path} cannot be reached: a file is where a directory should be.", code="bad_path"
        ) from None
    except OSError as exc:
        raise UnprettyError(f"{path} cannot be read ({exc.strerror or exc}).", code="unreadable") from None


def read_link(path: Path) -> bytes | None:
    """The path that the symbolic link at ``path`` holds; None when there is nothing.

    Raises:
        UnprettyError: something that is no link is there.
    """
    try:
        return os.fsencode(path.readlink())
    except FileNotFoundError:
        return None
    except OSError:
        raise UnprettyError(f"{path} should be a symbolic link.", code="bad_path", hint="Move it away.") from None


def target(path: Path, *, own: bool = False) -> Path:
    """Where writing to ``path`` ends up: every symbolic link followed, the last one also when it leads nowhere.

    With ``own``, here and in the functions below, ``path`` is a file or link of ours: the directories above it may be
    links of the user's, but what is at ``path`` itself is replaced or deleted, never followed.

    Raises:
        UnprettyError: the links go round in a circle.
    """
    real = Path(os.path.realpath(path.parent)) / path.name if own else Path(os.path.realpath(path))
    for part in (*((real,) if not own else ()), *real.parents):
        if part.is_symlink():
            raise UnprettyError(f"{part} is a symbolic link that leads to itself.", code="bad_path")
    return real


def missing_directories(path: Path, *, own: bool = False) -> tuple[Path, ...]:
    """The directories above the file at ``path`` that do not exist yet, innermost first."""
    return tuple(directory for directory in target(path, own=own).parents if not directory.exists())


def why_not_writable(path: Path, *, own: bool = False) -> tuple[str, str] | None:
    """Why the file at ``path`` must not or cannot be replaced: a code and a clause that follows "it"; None when it can.

    A file without any write permission is one that somebody wants to keep, also from root.
    """
    real = target(path, own=own)
    if str(real).startswith(NIX_STORE):
        return "nix_store", f"is managed by Nix ({real})"
    is_link = real.is_symlink()  # then it is ours, and replaced whatever it leads to
    if real.is_dir() and not is_link:
        return "bad_path", "is a directory"
    if not is_link and real.exists() and not _permits_writing(real):
        return "read_only", "is read-only"
    directory = next(directory for directory in real.parents if directory.exists())
    if not directory.is_dir():
        return "bad_path", f"cannot be created, since {directory} is not a directory"
    if not _permits_writing(directory):
        return "read_only", f"is in a read-only directory ({directory})"
    return None


def _permits_writing(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def make_directories(path: Path, mode: int, *, own: bool = False) -> list[Path]:
    """Create the directories above the file at ``path`` that are missing, and return them, innermost first."""
    made: list[Path] = []
    for directory in reversed(missing_directories(path, own=own)):
        directory.mkdir(mode=mode)
        with _given(directory):
            system.give_directory(str(directory))
        made.insert(0, directory)
    return made


def replace(path: Path, data: bytes, mode: int | None = None, *, own: bool = False) -> None:
    """Put ``data`` into the file that ``path`` leads to (with ``own``: into ``path``), all of it or nothing.

    An existing file keeps its permissions, owner, extended attributes and access lists; a new one gets ``mode``, or
    what the umask leaves of 0666, and belongs to the owner of HOME. The directory has to be there.

    Raises:
        OSError: the disk is full, the directory is read-only, the owner cannot be kept; the old file is whole.
        UnprettyError: it cannot be given to the owner of HOME; nothing is left of it.
    """
    real = target(path, own=own)
    _sweep(real)
    descriptor, name = tempfile.mkstemp(prefix=f".{real.name}.", suffix=_TEMPORARY, dir=real.parent)
    temporary = Path(name)
    try:
        is_new = real.is_symlink() or not real.exists()
        with os.fdopen(descriptor, "wb") as file:
            if is_new:
                with _given(real):
                    system.give_to_home_owner(file.fileno())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if not is_new:
            _take_over(real, temporary)
        else:
            temporary.chmod(_new_mode() if mode is None else mode)
        temporary.replace(real)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(real.parent)


def _sweep(real: Path) -> None:
    """Remove the temporary files of a process that was killed while it replaced ``real``."""
    with contextlib.suppress(OSError):
        for left in real.parent.glob(f".{glob.escape(real.name)}.*{_TEMPORARY}"):
            if time.time() - left.lstat().st_mtime > _STALE_SECONDS:
                left.unlink()


def _take_over(old: Path, new: Path) -> None:
    """Give the file ``new`` the owner, permissions and attributes of ``old``, but not its times."""
    state = old.stat()
    if sys.platform != "win32":
        fresh = new.stat()
        if (state.st_uid, state.st_gid) != (fresh.st_uid, fresh.st_gid):
            os.chown(new, state.st_uid, state.st_gid)
    shutil.copystat(old, new)
    new.chmod(stat.S_IMODE(state.st_mode))
    os.utime(new)


def _new_mode() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def replace_link(path: Path, held: bytes) -> None:
    """Make ``path`` a symbolic link that holds the path ``held``, in place of what was there, without a gap."""
    name = tempfile.mktemp(prefix=f".{path.name}.", suffix=_TEMPORARY, dir=path.parent)  # noqa: S306  a link cannot be opened
    temporary = Path(name)
    try:
        temporary.symlink_to(os.fsdecode(held))
        _give_link(path, temporary)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(path.parent)


def _give_link(path: Path, temporary: Path) -> None:
    """Give the link ``temporary``, which is going to be at ``path``, to the owner of HOME."""
    owner = system.home_owner()
    if sys.platform == "win32" or owner is None:
        return
    with _given(path):
        try:
            os.chown(temporary, *owner, follow_symlinks=False)
        except OSError as exc:
            raise system.not_given(exc, owner[0]) from None


@contextlib.contextmanager
def _given(path: Path) -> Iterator[None]:
    """Raise UnprettyError that says why ``path`` could not be given to the owner of HOME."""
    try:
        yield
    except OSError as exc:
        raise UnprettyError(
            f"{path} {exc.strerror}.", code="not_given", hint="Run the command as that user, not as root."
        ) from None


def remove(path: Path) -> None:
    """Delete the file that ``path`` leads to; links that lead to it stay."""
    real = target(path)
    real.unlink()
    _sync_directory(real.parent)


def remove_link(path: Path) -> None:
    """Delete the link (or the file) at ``path`` itself."""
    path.unlink()


def remove_empty(directories: tuple[Path, ...] | list[Path]) -> None:
    """Remove each directory that is empty; the others stay."""
    for directory in directories:
        with contextlib.suppress(OSError):
            directory.rmdir()


def _sync_directory(directory: Path) -> None:
    """Make a rename last through a power cut, where the platform can."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
