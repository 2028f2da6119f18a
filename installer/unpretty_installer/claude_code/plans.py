"""Plans for Claude Code: one PostToolUse entry in settings.json, in front of the others."""

from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.agents import Agent
from unpretty_installer.claude_code import checkup, servers
from unpretty_installer.claude_code import notes as claude_hooks
from unpretty_installer.claude_code import places as claude_settings
from unpretty_installer.claude_code.entry import NAME, TITLE, group, snippet, try_out
from unpretty_installer.core import files, launcher, planning, receipt
from unpretty_installer.core.plan import Check, FileChange, Note, Options, Plan
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument
from unpretty_installer.wrap.plans import with_wrapping


def plan_install(options: Options) -> Plan:
    """Plan the entry in the user's settings.json, or with ``--project`` in the project's settings.local.json.

    Raises:
        UnprettyError: the file does not parse as strict JSON (the client cannot read it either), or has another shape.
    """
    path = _settings_file(options)
    before = files.read(path)
    document, added = hook_entries.with_ours(_read(path, before), NAME, group(), front=True)
    after = before if document.to_bytes() == _read(path, before).to_bytes() else document.to_bytes()
    change = FileChange(path, before, after, "Adds our hook for the results of Bash, Grep and MCP tools.")
    changes = launcher.changes()
    if change.operation != "keep":
        changes += (receipt.keep(change, NAME, _without_ours, added=added), change)
    known = claude_settings.version()
    layers = claude_settings.layers(options.project or planning.here())
    pending = [change for change in changes if change.operation != "keep"]
    return Plan(
        agent=NAME,
        title=TITLE,
        found=claude_settings.is_found(),
        version=known,
        changes=changes,
        checks=(Check("The registered command is run once on a sample.", _check),) if pending else (),
        warnings=(*_version_warnings(known), *_settings_warnings(layers, path), *claude_hooks.others(layers, NAME)),
        notices=(*_notices(known, options), *_plugin_notices(layers)),
        undo=planning.undo_command(NAME),
        blocks=(*(launcher.blocks() if pending else ()), *planning.obstacles(pending, snippet())),
    )


def plan_uninstall(options: Options) -> Plan:
    """Plan to give every settings file that we changed, the user's and the projects'.

    Raises:
        UnprettyError: a file that has, or may have, our entry does not parse.
    """
    changes: list[FileChange] = []
    for path in _places(options):
        changes += _take_back(path)
    pending = [change for change in changes if change.operation != "keep"]
    return Plan(
        agent=NAME,
        title=TITLE,
        found=claude_settings.is_found(),
        version=claude_settings.version(),
        changes=tuple(changes),
        notices=(Note("effect", "Running sessions stop using the hook within about a second."),) if pending else (),
        undo=f"{planning.own_program()} install {NAME} --apply",
        blocks=planning.obstacles(pending),
    )


def _settings_file(options: Options) -> Path:
    if options.project is None:
        return claude_settings.user_file()
    if not options.project.is_dir():
        raise UnprettyError(
            f"{options.project} is not a directory.", code="bad_path", hint="Give --project an existing directory."
        )
    return claude_settings.local_file(options.project)


def _read(path: Path, data: bytes | None) -> JsonDocument:
    try:
        return JsonDocument.read(data, name=str(path), strict=True)
    except UnprettyError as exc:
        raise UnprettyError(
            str(exc),
            code=exc.code,
            hint="Claude Code ignores the whole file as it is. Fix it, then try again.",
        ) from None


def _without_ours(data: bytes, added: tuple[str, ...]) -> bytes:
    document = JsonDocument.read(data, strict=True)
    stripped = hook_entries.without_ours(document, NAME, added)
    return data if stripped is document else stripped.to_bytes()


def _check() -> None:
    try_out()


def _places(options: Options) -> list[Path]:
    """Every settings file that may hold our entry, each once."""
    here = options.project or planning.here()
    paths = [
        claude_settings.user_file(),
        *(kept.path for kept in receipt.of_agent(NAME)),
        claude_settings.local_file(here),
    ]
    places: list[Path] = []
    for path in paths:
        if not any(planning.same_file(path, place) for place in places):
            places.append(path)
    return places


def _take_back(path: Path) -> list[FileChange]:
    """The changes that take our entry out of one file and forget its receipt."""
    kept, current = receipt.find(NAME, path), files.read(path)
    dropped = [receipt.drop(kept)] if kept else []
    if current is None or (kept is None and b"hook.py" not in current):
        return dropped
    if not (kept and kept.is_untouched(current)):
        _read(path, current)  # says where it does not parse, and what to do
    after = receipt.restored(kept, current, _without_ours, blank=b"{}")
    why = "Deletes the file, which we created." if after is None else "Takes our hook out."
    if kept and kept.is_untouched(current) and after is not None:
        why = "Restores the file as it was before the hook."
    directories = kept.created_dirs if kept and after is None else ()
    return [FileChange(path, current, after, why, empty_dirs=directories), *dropped]


def _version_warnings(known: str | None) -> list[Note]:
    if not claude_settings.is_too_old(known):
        return []
    return [Note("client_too_old", claude_settings.too_old(known))]


def _settings_warnings(layers: list[claude_settings.Layer], path: Path) -> list[Note]:
    """What in the client's settings keeps the hook from running."""
    notes = [
        Note("unreadable_settings", f"Claude Code ignores a settings file that it cannot read: {layer.error}")
        for layer in layers
        if layer.document is None and layer.path != path
    ]
    disabled = claude_settings.disabled_by(layers)
    if disabled:
        notes.append(Note("hooks_disabled", f"The hook will not run: {disabled}."))
    return notes


def _notices(known: str | None, options: Options) -> list[Note]:
    notes = []
    if not claude_settings.is_found():
        notes.append(
            Note("not_found", "Claude Code was not found on this machine; the entry takes effect once it is installed.")
        )
    elif known is None:
        oldest = ".".join(map(str, claude_settings.OLDEST))
        notes.append(
            Note("version_unknown", f"Claude Code did not report its version; the hook needs {oldest} or newer.")
        )
    if options.project is not None:
        notes.append(
            Note(
                "local_file",
                "Keep .claude/settings.local.json out of version control: the entry holds a path of this machine.",
            )
        )
    notes.append(Note("effect", "Running sessions use the hook within about a second; an old client needs a restart."))
    notes.append(Note("failures", "Results of failing commands never reach a hook, so they stay as they are."))
    return notes


def _plugin_notices(layers: list[claude_settings.Layer]) -> list[Note]:
    plugins = [layer.document.value(("enabledPlugins",)) for layer in layers if layer.document]
    if any(value is True for enabled in plugins if isinstance(enabled, dict) for value in enabled.values()):
        return [Note("plugins", "Plugins are enabled; hooks that they bring along were not examined.")]
    return []


agent = with_wrapping(
    Agent(
        name=NAME,
        title=TITLE,
        is_found=claude_settings.is_found,
        plan_install=plan_install,
        plan_uninstall=plan_uninstall,
        examine=checkup.examine,
    ),
    servers.servers,
)
