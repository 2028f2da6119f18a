"""What is going to be written, as a value: one Plan per agent, made by the agent's module, carried out by ``apply``.

Making a plan reads files and writes none. The renderers, ``apply``, ``uninstall`` and ``doctor --fix`` share it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for on the command line.

    Attributes:
        project: the directory of ``--project``, absolute; None for the user's own settings.
        trust: ask the agent's own program to trust our entry (Codex).
        wrap_mcp: names of MCP servers to wrap with the proxy, or ``("all",)``.
    """

    project: Path | None = None
    trust: bool = False
    wrap_mcp: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the user; ``code`` is a stable short name for ``--json`` and for tests."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Rework:
    """How to make a change again, for a file that a running program rewrites at any time.

    ``forward`` makes the change in the bytes that are there by then, ``back`` undoes it; both raise
    UnprettyError when they cannot. ``lock`` is the directory whose making is the program's own way to have the file
    alone.
    """

    forward: Callable[[bytes], bytes]
    back: Callable[[bytes], bytes]
    lock: Path


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after.

    Attributes:
        path: the file as the agent names it; links are followed when it is written, but see ``own_place``.
        before: its bytes when the plan was made, None when there was no such file. For a link: its target's path.
        after: its bytes afterwards, None when it is deleted.
        why: one sentence.
        kind: ``link`` for a symbolic link, whose bytes are the path that it holds (``os.fsencode``).
        ours: a file in our own directories (launcher, receipt): directories 0700, no backup, no diff in the plan's
            text.
        mode: permission bits of a new file; None leaves them to the umask.
        empty_dirs: directories to remove after this file was deleted, innermost first, each only when it is empty.
        rework: given where somebody else may have rewritten the file by the time it is changed.
        context: how many lines around a change the plan shows; none where keys of the user's may be there.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    why: str
    kind: Literal["file", "link"] = "file"
    ours: bool = False
    mode: int | None = None
    empty_dirs: tuple[Path, ...] = ()
    rework: Rework | None = None
    context: int = 3

    @property
    def operation(self) -> str:
        """``create``, ``change``, ``delete`` or ``keep``."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"

    @property
    def own_place(self) -> bool:
        """Whether a link at ``path`` is replaced or deleted itself; the links of others are followed."""
        return self.ours or self.kind == "link"


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is not a file. ``run`` follows the files; ``undo`` undoes it when something later fails.

    Both raise UnprettyError when they fail.
    """

    title: str
    why: str
    run: Callable[[], None]
    undo: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Check:
    """A proof that what was written works, run before success is reported. Raises UnprettyError, which rolls back."""

    title: str
    run: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Block:
    """Why a plan cannot be applied now, and what the user can do: perhaps paste ``snippet`` by hand."""

    code: str
    message: str
    hint: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that happens for one agent.

    Attributes:
        agent: the agent's name on the command line, or ``unpretty`` for our own files.
        title: the agent's name in a sentence.
        found: whether the agent was found on this machine.
        version: the agent's version, None when unknown.
        changes: files in the order in which they are written; those that stay the same may be listed too.
        steps: what follows the files.
        checks: proofs before success is reported.
        warnings: what may surprise the user.
        manual_steps: what the user has to do, one sentence each.
        notices: what is good to know: what takes effect when, what is never seen.
        undo: the exact command that undoes the plan.
        blocks: why it cannot be applied; empty when it can.
        removals: our own files that are deleted at the very end and cannot be restored (``--purge``); looked for again
            then, since carrying plans out makes more of them.
    """

    agent: str
    title: str
    found: bool = True
    version: str | None = None
    changes: tuple[FileChange, ...] = ()
    steps: tuple[Step, ...] = ()
    checks: tuple[Check, ...] = ()
    warnings: tuple[Note, ...] = ()
    manual_steps: tuple[str, ...] = ()
    notices: tuple[Note, ...] = ()
    undo: str = ""
    blocks: tuple[Block, ...] = ()
    removals: tuple[Path, ...] = ()

    @property
    def pending(self) -> tuple[FileChange, ...]:
        """The changes that change something."""
        return tuple(change for change in self.changes if change.operation != "keep")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.pending and not self.steps and not self.removals
