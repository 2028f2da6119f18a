"""Plans for OpenCode: one plugin file."""

from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.agents import Agent
from unpretty_installer.core import files, launcher, planning, receipt
from unpretty_installer.core.plan import Check, FileChange, Note, Options, Plan
from unpretty_installer.opencode import checkup, servers
from unpretty_installer.opencode import places as opencode_places
from unpretty_installer.opencode.entry import try_out
from unpretty_installer.opencode.places import NAME, TITLE
from unpretty_installer.wrap.plans import with_wrapping


def plan_install(options: Options) -> Plan:
    """Plan the plugin file in the user's config directory, or with ``--project`` in the project's ``.opencode``.

    Raises:
        UnprettyError: a file of that name is there and is not ours.
    """
    if options.project is not None and not options.project.is_dir():
        raise UnprettyError(
            f"{options.project} is not a directory.", code="bad_path", hint="Give --project an existing directory."
        )
    path = opencode_places.plugin_file(options.project)
    before = files.read(path)
    if before is not None and not before.startswith(opencode_places.MARKER):
        raise UnprettyError(f"{path} is there and is not ours.", code="not_ours", hint="Move it away, then try again.")
    change = FileChange(path, before, opencode_places.plugin_source(), "OpenCode loads it when it starts.")
    changes = launcher.changes()
    if change.operation != "keep":
        changes += (receipt.keep(change, NAME, _nothing_left), change)
    changes += _stray_copies(path)
    pending = [change for change in changes if change.operation != "keep"]
    here = options.project or planning.here()
    return Plan(
        agent=NAME,
        title=TITLE,
        found=opencode_places.is_found(),
        version=opencode_places.version(),
        changes=changes,
        checks=(Check("The worker is tried once on a sample.", _check),) if pending else (),
        warnings=(*checkup.environment_notes(options), *_wait(path), *checkup.copies(path, here)),
        notices=(*_notices(options), *checkup.others(here)),
        undo=planning.undo_command(NAME),
        blocks=(*(launcher.blocks() if pending else ()), *planning.obstacles(pending)),
    )


def plan_uninstall(options: Options) -> Plan:
    """Plan to delete our plugin file from every place where OpenCode would find it, or where we put it."""
    changes: list[FileChange] = []
    for path in _places(options.project or planning.here()):
        kept = receipt.find(NAME, path)
        current = files.read(path) if opencode_places.is_ours(path) else None
        if current is not None:
            directories = kept.created_dirs if kept else ()
            changes.append(FileChange(path, current, None, "Deletes our plugin file.", empty_dirs=directories))
        if kept:
            changes.append(receipt.drop(kept))
    return Plan(
        agent=NAME,
        title=TITLE,
        found=opencode_places.is_found(),
        version=opencode_places.version(),
        changes=tuple(changes),
        notices=(Note("effect", "A running OpenCode keeps the plugin until it is restarted."),) if changes else (),
        undo=f"{planning.own_program()} install {NAME} --apply",
        blocks=planning.obstacles(changes),
    )


def _check() -> None:
    try_out()


def _nothing_left(data: bytes, added: tuple[str, ...]) -> bytes:  # noqa: ARG001  the receipt's way to ask
    """What is left of our plugin file without us."""
    return b""


def _stray_copies(path: Path) -> tuple[FileChange, ...]:
    """Deletes other copies of ours in the same config directory: an older name, or the directory ``plugin``."""
    return tuple(
        FileChange(other, files.read(other), None, "Deletes a second copy of our plugin.")
        for other in opencode_places.plugins([path.parent.parent])
        if opencode_places.is_ours(other) and not planning.same_file(other, path)
    )


def _places(here: Path) -> list[Path]:
    """Every plugin file that is ours, and every place on record, each once."""
    found = [
        path
        for path in opencode_places.plugins(opencode_places.read_directories(here))
        if opencode_places.is_ours(path)
    ]
    places: list[Path] = []
    for path in (*(kept.path for kept in receipt.of_agent(NAME)), *found):
        if not any(planning.same_file(path, place) for place in places):
            places.append(path)
    return places


def _wait(path: Path) -> list[Note]:
    """OpenCode waits for npm as soon as there is any plugin; without a network that takes over a minute per start."""
    directory = path.parent.parent
    if not opencode_places.waits_for_npm(directory):
        return []
    return [
        Note(
            "start_up_wait",
            "With any plugin OpenCode installs @opencode-ai/plugin from npm when it starts and waits for it. Without a "
            f"network that can take over a minute each time; the line `fetch-retries=0` in {directory / '.npmrc'} "
            "makes it give up at once, and the plugin works all the same.",
        )
    ]


def _notices(options: Options) -> list[Note]:
    notes = []
    if not opencode_places.is_found():
        notes.append(
            Note("not_found", "OpenCode was not found on this machine; the plugin takes effect once it is installed.")
        )
    known = opencode_places.version()
    if known is not None and not known.startswith("1."):
        notes.append(Note("untried_version", f"The plugin was tried with OpenCode 1.x, not yet with {known}."))
    if options.project is not None:
        notes.append(
            Note(
                "local_file",
                f"Keep .opencode/plugins/{opencode_places.FILE_NAME} out of version control: "
                "it holds a path of this machine.",
            )
        )
    notes.append(Note("effect", "OpenCode uses the plugin from its next start on."))
    notes.append(
        Note("untouched", "Only results of bash, grep and MCP tools are made smaller; file reads and edits never are.")
    )
    return notes


agent = with_wrapping(
    Agent(
        name=NAME,
        title=TITLE,
        is_found=opencode_places.is_found,
        plan_install=plan_install,
        plan_uninstall=plan_uninstall,
        examine=checkup.examine,
    ),
    servers.servers,
)
