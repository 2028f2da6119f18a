"""Plans for Codex: one PostToolUse entry in hooks.json or config.toml, after the others, and trust in it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.codex import copies, models, notes, places
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.entry import ENTRY, group, trusted_hash, try_out
from unpretty_installer.codex.places import CLIENT, ConfigLayer
from unpretty_installer.codex.toml_entry import with_group, without_ours
from unpretty_installer.codex.trust_step import trust_step, without_ours_in_toml
from unpretty_installer.core import entry_plans, files, planning
from unpretty_installer.core.plan import Block, FileChange, Note, Options, Plan
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument

_MISSING = "Codex was not found, so it cannot be asked to trust the hook."
_TRUST_BY_HAND = (
    'start `codex` and trust the hook when it asks ("Hooks need review"), or later with /hooks. Until then Codex does '
    f"not run it. `unpretty install {CLIENT.row.name} --trust --apply` has Codex trust this one hook."
)


@dataclass(frozen=True, slots=True)
class _Edit:
    """The file with our entry: before and after, what was created around the entry, and where the entry is."""

    path: Path
    before: bytes | None
    after: bytes
    added: tuple[str, ...]
    entry: hook_entries.HookEntry


def plan_install(options: Options) -> Plan:
    """Plan the entry in the user's directory, or with ``--project`` in the project's ``.codex``.

    Raises:
        UnprettyError: a file does not parse, or Codex would not read it with our entry in it.
    """
    entry_plans.require_project(options)
    layer = places.layer(options.project)
    edit, stale = _edits(layer)
    change = FileChange(
        edit.path, edit.before, edit.after, "Adds our hook for shell and MCP results, after the others."
    )
    strip = partial(_without_ours, edit.path)
    changes = entry_plans.entry_changes(CLIENT.row, change, strip, added=edit.added, notes={ENTRY: True})
    others = copies.with_entry(options.project or planning.here())
    user = _user_config()
    trusted = _is_trusted(user, layer, edit)
    asks = options.trust and not trusted
    return entry_plans.installation(
        CLIENT,
        (*changes, *stale, *copies.mark((edit.path, *others))),
        try_out,
        steps=(trust_step(layer, edit.path),) if asks else (),
        warnings=(
            *notes.switched_off(layer, user),
            *notes.forms(layer),
            *notes.others(layer),
            *copies.notes(edit.path, others),
        ),
        manual_steps=() if trusted or asks else (_TRUST_BY_HAND,),
        notices=(*_notices(options), *models.notes(user)),
        snippet=hook_entries.snippet(group()),
        blocks=(Block("codex_not_found", _MISSING, "Leave out --trust."),) if asks and not CLIENT.program() else (),
    )


def plan_uninstall(options: Options) -> Plan:
    """Plan to restore every file that we changed, the trust in our entry included.

    Raises:
        UnprettyError: a file that has our entry does not parse.
    """
    changes = [
        change for path in places.entry_files(options.project or planning.here()) for change in _without_entry(path)
    ]
    changes += copies.mark(())
    return entry_plans.removal(CLIENT, changes, "A running Codex keeps the hook until it is restarted.")


def _edits(layer: ConfigLayer) -> tuple[_Edit, list[FileChange]]:
    """Our entry in the form that the user already uses for hooks, and what takes a copy out of the other form."""
    hooks_json = files.read(layer.hooks_json)
    document = _read_hooks_json(hooks_json, layer.hooks_json)
    config_toml = files.read(layer.config_toml)
    config = Config.read(config_toml, str(layer.config_toml))
    in_json, in_toml = bool(hook_entries.ours(document, CLIENT.row.name)), bool(config.ours())
    if in_json or not (in_toml or (config.has_hooks() and not hook_entries.entries(document))):
        edit = _edit_json(layer.hooks_json, hooks_json, document)
        return edit, _without_entry(layer.config_toml) if in_toml else []
    return _edit_toml(layer.config_toml, config_toml, config), []


def _edit_json(path: Path, before: bytes | None, document: JsonDocument) -> _Edit:
    edited, added = hook_entries.with_ours(document, CLIENT.row.name, group(), front=False)
    [entry] = hook_entries.ours(edited, CLIENT.row.name)
    after = before if before is not None and edited.text == document.text else edited.to_bytes()
    return _Edit(path, before, after, added, entry)


def _edit_toml(path: Path, before: bytes | None, config: Config) -> _Edit:
    added: tuple[str, ...] = ()
    if not config.holds(group()):
        stripped = Config.read(without_ours(config, ()).encode("utf-8"), config.name)
        text, added = with_group(stripped, group())
        config = Config.read(text.encode("utf-8"), config.name)
    [entry] = config.ours()
    return _Edit(path, before, config.text.encode("utf-8"), added, entry)


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


def _is_trusted(user: Config, layer: ConfigLayer, edit: _Edit) -> bool:
    """Whether config.toml trusts our entry as it is going to be: by its key and its hash."""
    trust = user.trust(layer.key(edit.path, edit.entry))
    wanted = trusted_hash(edit.entry.matcher, edit.entry.handler)
    return trust.get("trusted_hash") == wanted and trust.get("enabled") is not False


def _without_entry(path: Path) -> list[FileChange]:
    """The changes that take what is ours out of one file and forget its receipt."""
    blank = b"{}" if path.suffix == ".json" else b""
    why = "Takes our hook, and trust in it, out."
    return entry_plans.without_entry(CLIENT.row, path, partial(_without_ours, path), blank=blank, why=why)


def _without_ours(path: Path, data: bytes, added: tuple[str, ...]) -> bytes:
    if path.suffix != ".json":
        return without_ours_in_toml(data, added)
    document = JsonDocument.read(data, strict=True)
    stripped = hook_entries.without_ours(document, CLIENT.row.name, added, keep_positions=True)
    return data if stripped is document else stripped.to_bytes()


def _notices(options: Options) -> list[Note]:
    limit = CLIENT.row.limits["replacement_bytes"]
    return [
        *entry_plans.not_found(CLIENT, "entry"),
        *entry_plans.local_file(options, "the entry"),
        Note("effect", "Codex uses the hook from its next start on."),
        Note(
            "limits", f"Codex shows at most {limit:,} bytes that a hook puts in place; longer results stay as they are."
        ),
    ]
