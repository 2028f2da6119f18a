"""What the plans of all agents share: the launcher before the entry, the trial after it, the receipt, the removal."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from unpretty.agents import Agent
from unpretty.errors import UnprettyError
from unpretty_installer.core import files, launcher, planning, receipt
from unpretty_installer.core.client import AgentClient
from unpretty_installer.core.plan import Block, Check, FileChange, Note, Options, Plan, Step

Strip = Callable[[bytes, tuple[str, ...]], bytes]  # a file's bytes without our entry and without the keys named


def installation(  # noqa: PLR0913  one keyword per part of a plan
    client: AgentClient,
    changes: Iterable[FileChange],
    try_out: Callable[[], object],
    *,
    steps: tuple[Step, ...] = (),
    warnings: Iterable[Note] = (),
    manual_steps: tuple[str, ...] = (),
    notices: Iterable[Note] = (),
    blocks: Iterable[Block] = (),
    snippet: str = "",
) -> Plan:
    """The plan to install: ``changes`` after the launcher's, then ``steps``, then ``try_out`` as the proof.

    Args:
        client: the agent's client.
        changes: see ``entry_changes``.
        try_out: runs what is registered; raises UnprettyError when it does not work.
        steps: see ``Plan``, as for the other parts.
        warnings: what may surprise the user.
        manual_steps: what the user has to do.
        notices: what is good to know.
        blocks: why the plan cannot be applied, besides obstacles in the file system.
        snippet: see ``planning.obstacles``.
    """
    changes = (*launcher.changes(), *changes)
    pending = [change for change in changes if change.operation != "keep"]
    return Plan(
        agent=client.row.name,
        title=client.row.title,
        found=client.is_found(),
        version=client.version(),
        changes=changes,
        steps=steps,
        checks=(Check("The registered command is run once on a sample.", try_out),) if pending or steps else (),
        warnings=tuple(warnings),
        manual_steps=manual_steps,
        notices=tuple(notices),
        undo=planning.undo_command(client.row.name),
        blocks=(*(launcher.blocks() if pending else ()), *planning.obstacles(pending, snippet), *blocks),
    )


def removal(client: AgentClient, changes: Sequence[FileChange], effect: str) -> Plan:
    """The plan to uninstall; ``effect`` says when a running client stops using the hook."""
    pending = [change for change in changes if change.operation != "keep"]
    return Plan(
        agent=client.row.name,
        title=client.row.title,
        found=client.is_found(),
        version=client.version(),
        changes=tuple(changes),
        notices=(Note("effect", effect),) if pending else (),
        undo=f"{planning.own_program()} install {client.row.name} --apply",
        blocks=planning.obstacles(pending),
    )


def entry_changes(row: Agent, change: FileChange, strip: Strip, **kept: object) -> tuple[FileChange, ...]:
    """The change of the file with our entry, after its receipt; none when nothing changes.

    Args:
        row: the agent.
        change: the file with our entry.
        strip: see ``receipt.keep``.
        kept: ``added`` and ``notes`` of the receipt.
    """
    if change.operation == "keep":
        return ()
    return receipt.keep(change, row.name, strip, **kept), change  # type: ignore[arg-type]


def without_entry(row: Agent, path: Path, strip: Strip, *, blank: bytes, why: str) -> list[FileChange]:
    """The changes that take our entry out of the file at ``path`` and forget its receipt.

    Args:
        row: the agent.
        path: the file.
        strip: see ``receipt.restored``.
        blank: see ``receipt.restored``.
        why: what happens to a file that was edited after we changed it, as a sentence.

    Raises:
        UnprettyError: the file has, or may have, our entry, and does not parse.
    """
    kept, current = receipt.find(row.name, path), files.read(path)
    dropped = [receipt.drop(kept)] if kept else []
    if current is None or (kept is None and b"hook.py" not in current):
        return dropped
    after = receipt.restored(kept, current, strip, blank=blank)
    if after is None:
        why = "Deletes the file, which we created."
    elif kept and kept.is_untouched(current):
        why = "Restores the file as it was before the hook."
    directories = kept.created_dirs if kept and after is None else ()
    return [FileChange(path, current, after, why, empty_dirs=directories), *dropped]


def recorded(row: Agent) -> list[Path]:
    """The files of the agent that a receipt names."""
    return [kept.path for kept in receipt.of_agent(row.name)]


def require_project(options: Options) -> None:
    """Raise UnprettyError when ``--project`` names something that is not a directory."""
    if options.project is not None and not options.project.is_dir():
        message = f"{options.project} is not a directory."
        raise UnprettyError(message, code="bad_path", hint="Give --project an existing directory.")


def not_found(client: AgentClient, what: str) -> list[Note]:
    """A note for a client that is not on this machine; ``what`` is the entry or the plugin."""
    if client.is_found():
        return []
    message = f"{client.row.title} was not found on this machine; the {what} takes effect once it is installed."
    return [Note("not_found", message)]


def local_file(options: Options, what: str) -> list[Note]:
    """A note for ``--project``: ``what`` is not to be shared."""
    if options.project is None:
        return []
    return [Note("local_file", f"Keep {what} out of version control: it holds a path of this machine.")]
