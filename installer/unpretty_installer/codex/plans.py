"""Plans for Codex: one PostToolUse entry in hooks.json or config.toml, after the others, and trust in it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.agents import Agent
from unpretty_installer.codex import checkup, models, places, servers
from unpretty_installer.codex import copies as codex_copies
from unpretty_installer.codex import notes as codex_notes
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.entry import ENTRY, MATCHER, group, handler, snippet, trusted_hash, try_out
from unpretty_installer.codex.places import NAME, TITLE, Layer
from unpretty_installer.codex.toml_entry import with_group, without_ours
from unpretty_installer.codex.trust_step import trust_step, without_ours_in_toml
from unpretty_installer.core import files, launcher, planning, receipt
from unpretty_installer.core.plan import Block, Check, FileChange, Note, Options, Plan
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument
from unpretty_installer.wrap.plans import with_wrapping

_MISSING = "Codex was not found, so it cannot be asked to trust the hook."
_TRUST_BY_HAND = (
    'start `codex` and trust the hook when it asks ("Hooks need review"), or later with /hooks. Until then Codex does '
    f"not run it. `unpretty install {NAME} --trust --apply` has Codex trust this one hook."
)


@dataclass(frozen=True, slots=True)
class _Edit:
    """The file with our entry: before and after, what was created around the entry, and where the entry is."""

    path: Path
    before: bytes | None
    after: bytes
    added: tuple[str, ...]
    group: int
    index: int


def plan_install(options: Options) -> Plan:
    """Plan the entry in the user's directory, or with ``--project`` in the project's ``.codex``.

    Raises:
        UnprettyError: a file does not parse, or Codex would not read it with our entry in it.
    """
    if options.project is not None and not options.project.is_dir():
        raise UnprettyError(
            f"{options.project} is not a directory.", code="bad_path", hint="Give --project an existing directory."
        )
    layer = places.layer(options.project)
    edit, stale = _edits(layer)
    change = FileChange(
        edit.path, edit.before, edit.after, "Adds our hook for shell and MCP results, after the others."
    )
    changes = launcher.changes()
    if change.operation != "keep":
        keep = receipt.keep(change, NAME, _without(edit.path), added=edit.added, notes={ENTRY: True})
        changes += (keep, change)
    changes += tuple(stale)
    copies = codex_copies.with_entry(options.project or planning.here())
    changes += codex_copies.mark((edit.path, *copies))
    user = _user_config()
    trusted = _is_trusted(user, layer, edit)
    asks = options.trust and not trusted
    pending = [change for change in changes if change.operation != "keep"]
    missing = (Block("codex_not_found", _MISSING, "Leave out --trust."),) if asks and not places.program() else ()
    return Plan(
        agent=NAME,
        title=TITLE,
        found=places.is_found(),
        version=places.version(),
        changes=changes,
        steps=(trust_step(layer, edit.path),) if asks else (),
        checks=(Check("The registered command is run once on a sample.", _check),) if pending or asks else (),
        warnings=(
            *codex_notes.switched_off(layer, user),
            *codex_notes.forms(layer),
            *codex_notes.others(layer),
            *codex_copies.notes(edit.path, copies),
        ),
        manual_steps=() if trusted or asks else (_TRUST_BY_HAND,),
        notices=(*_notices(options), *models.notes(user)),
        undo=planning.undo_command(NAME),
        blocks=(*(launcher.blocks() if pending else ()), *planning.obstacles(pending, snippet()), *missing),
    )


def plan_uninstall(options: Options) -> Plan:
    """Plan to give back every file that we changed, the trust in our entry included.

    Raises:
        UnprettyError: a file that has our entry does not parse.
    """
    changes: list[FileChange] = []
    for path in codex_copies.files_on_record(options.project or planning.here()):
        changes += _take_back(path)
    changes += codex_copies.mark(())
    pending = [change for change in changes if change.operation != "keep"]
    return Plan(
        agent=NAME,
        title=TITLE,
        found=places.is_found(),
        version=places.version(),
        changes=tuple(changes),
        notices=(Note("effect", "A running Codex keeps the hook until it is restarted."),) if pending else (),
        undo=f"{planning.own_program()} install {NAME} --apply",
        blocks=planning.obstacles(pending),
    )


def _check() -> None:
    try_out()


def _edits(layer: Layer) -> tuple[_Edit, list[FileChange]]:
    """Our entry in the form that the user already uses for hooks, and what takes a copy out of the other form."""
    hooks_json = files.read(layer.hooks_json)
    document = _read_hooks_json(hooks_json, layer.hooks_json)
    config_toml = files.read(layer.config_toml)
    config = Config.read(config_toml, str(layer.config_toml))
    in_json, in_toml = bool(hook_entries.ours(document, NAME)), bool(config.ours())
    if in_json or not (in_toml or (config.has_hooks() and not hook_entries.entries(document))):
        edit = _edit_json(layer.hooks_json, hooks_json, document)
        return edit, _take_back(layer.config_toml) if in_toml else []
    return _edit_toml(layer.config_toml, config_toml, config), []


def _edit_json(path: Path, before: bytes | None, document: JsonDocument) -> _Edit:
    edited, added = hook_entries.with_ours(document, NAME, group(), front=False)
    [entry] = hook_entries.ours(edited, NAME)
    after = before if before is not None and edited.text == document.text else edited.to_bytes()
    return _Edit(path, before, after, added, entry.group, entry.index)


def _edit_toml(path: Path, before: bytes | None, config: Config) -> _Edit:
    added: tuple[str, ...] = ()
    if not config.holds(group()):
        stripped = Config.read(without_ours(config, ()).encode("utf-8"), config.name)
        text, added = with_group(stripped, group())
        config = Config.read(text.encode("utf-8"), config.name)
    [entry] = config.ours()
    return _Edit(path, before, config.text.encode("utf-8"), added, entry.group, entry.index)


def _read_hooks_json(data: bytes | None, path: Path) -> JsonDocument:
    """Parse a hooks.json as strictly as Codex does.

    Raises:
        UnprettyError: Codex ignores the whole file as it is.
    """
    hint = "Codex ignores the whole file as it is. Fix it, then try again."
    try:
        document = JsonDocument.read(data, name=str(path), strict=True)
    except UnprettyError as exc:
        raise UnprettyError(str(exc), code=exc.code, hint=hint) from None
    value = document.value()
    unknown = [name for name in value if name not in ("hooks", "description")] if isinstance(value, dict) else []
    if unknown:
        raise UnprettyError(f"{path}: Codex knows no key {unknown[0]!r} there.", code="unexpected_shape", hint=hint)
    if document.text.startswith("\ufeff"):
        raise UnprettyError(f"{path} begins with a byte order mark.", code="byte_order_mark", hint=hint)
    return document


def _user_config() -> Config:
    path = places.user_layer().config_toml
    return Config.read(files.read(path), str(path))


def _is_trusted(user: Config, layer: Layer, edit: _Edit) -> bool:
    """Whether config.toml trusts our entry as it is going to be: by its key and its hash."""
    trust = user.trust(layer.key(edit.path, edit.group, edit.index))
    return trust.get("trusted_hash") == trusted_hash(MATCHER, handler()) and trust.get("enabled") is not False


def _take_back(path: Path) -> list[FileChange]:
    """The changes that take what is ours out of one file and forget its receipt."""
    kept, current = receipt.find(NAME, path), files.read(path)
    dropped = [receipt.drop(kept)] if kept else []
    if current is None or (kept is None and b"hook.py" not in current):
        return dropped
    blank = b"{}" if path.suffix == ".json" else b""
    after = receipt.restored(kept, current, _without(path), blank=blank)
    why = "Deletes the file, which we created." if after is None else "Takes our hook, and trust in it, out."
    if kept and kept.is_untouched(current) and after is not None:
        why = "Restores the file as it was before the hook."
    directories = kept.created_dirs if kept and after is None else ()
    return [FileChange(path, current, after, why, empty_dirs=directories), *dropped]


def _without(path: Path) -> Callable[[bytes, tuple[str, ...]], bytes]:
    return _without_ours_in_json if path.suffix == ".json" else without_ours_in_toml


def _without_ours_in_json(data: bytes, added: tuple[str, ...]) -> bytes:
    document = JsonDocument.read(data, strict=True)
    stripped = hook_entries.without_ours(document, NAME, added, keep_positions=True)
    return data if stripped is document else stripped.to_bytes()


def _notices(options: Options) -> list[Note]:
    notes = []
    if not places.is_found():
        notes.append(
            Note("not_found", "Codex was not found on this machine; the entry takes effect once it is installed.")
        )
    if options.project is not None:
        notes.append(Note("local_file", "Keep the entry out of version control: it holds a path of this machine."))
    notes.append(Note("effect", "Codex uses the hook from its next start on."))
    notes.append(
        Note("limits", "Codex shows at most 10,000 bytes that a hook puts in place; longer results stay as they are.")
    )
    return notes


agent = with_wrapping(
    Agent(
        name=NAME,
        title=TITLE,
        is_found=places.is_found,
        plan_install=plan_install,
        plan_uninstall=plan_uninstall,
        examine=checkup.examine,
    ),
    servers.servers,
)
