"""The doctor's look at Codex. Whether the hook runs is asked of Codex's app-server."""

from dataclasses import dataclass
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.codex import copies, models, notes, places, trust
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.entry import ENTRY, group, try_out
from unpretty_installer.codex.places import CLIENT, ConfigLayer
from unpretty_installer.codex.toml_entry import TRUST
from unpretty_installer.core import files, planning, receipt
from unpretty_installer.core.examination import Examination
from unpretty_installer.core.plan import Note, Options
from unpretty_installer.core.report import AgentReport, Status
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.hook_entries import HookEntry
from unpretty_installer.edit.json_document import JsonDocument

_TRUST = f"unpretty install {CLIENT.row.name} --trust --apply"


@dataclass(frozen=True, slots=True)
class _Installed:
    """One entry of ours, and where it is."""

    layer: ConfigLayer
    path: Path
    entry: HookEntry


def examine(options: Options) -> AgentReport:
    """Look at the user's directory, at that of the project (or the current directory), and at those on record."""
    here = options.project or planning.here()
    found = Examination(CLIENT)
    installed = [one for layer in places.layers(here) for one in _look_at(found, layer)]
    status: Status = "broken" if found.problems else "not_installed"
    if installed:
        status = _examine_installed(found, installed)
    config = installed[0].path if installed else places.user_layer().hooks_json
    return found.report(status, config, map(_repair, dict.fromkeys(one.layer for one in installed)))


def _look_at(found: Examination, layer: ConfigLayer) -> list[_Installed]:
    """Our entries in the files of ``layer``, after adding what is wrong with them."""
    installed: list[_Installed] = []
    for path, read in ((layer.hooks_json, _read_json), (layer.config_toml, _read_toml)):
        data: bytes | None = None
        try:
            data = files.read(path)
            entries, current = read(data, path)
        except UnprettyError as exc:
            if b"hook.py" in (data or b"") or receipt.find(CLIENT.row.name, path):
                found.add("unreadable_settings", f"{exc} Codex cannot use it.", f"Fix {path}.")
            continue
        installed += [_Installed(layer, path, entry) for entry in entries]
        if len(entries) == 1 and not current:
            found.add("entry_modified", f"Our hook in {path} is not as this version writes it.")
    if len(installed) > 1:
        found.add("entry_repeated", f"{layer.directory} holds {len(installed)} copies of our hook.")
    if not installed and layer.directory.parent.is_dir():
        for path in _recorded(layer):
            found.add_missing(path, "The hook was installed in {}, but its entry is not there any more.")
    return installed


def _read_json(data: bytes | None, path: Path) -> tuple[list[HookEntry], bool]:
    """Our entries, and whether the one entry is as this version writes it."""
    document = JsonDocument.read(data, name=str(path), strict=True)
    name = CLIENT.row.name
    return hook_entries.ours(document, name), hook_entries.is_current(document, name, group())


def _read_toml(data: bytes | None, path: Path) -> tuple[list[HookEntry], bool]:
    config = Config.read(data, str(path))
    return config.ours(), config.holds(group())


def _recorded(layer: ConfigLayer) -> list[Path]:
    """Files of the layer that our entry is on record for; config.toml may be on record for the trust only."""
    return [
        kept.path
        for kept in receipt.of_agent(CLIENT.row.name)
        if planning.same_file(kept.path.parent, layer.directory) and kept.notes.get(ENTRY) is True
    ]


def _examine_installed(found: Examination, installed: list[_Installed]) -> Status:
    first = installed[0]
    user = places.user_layer().config_toml
    found.look_at_own_files()
    found.try_out(lambda: try_out(str(first.entry.handler.get("command"))))
    try:
        config = Config.read(files.read(user), str(user))
    except UnprettyError:
        config = Config.read(None, str(user))  # said above
    off = notes.switched_off(first.layer, config)
    for note in filter(_is_final, off):
        found.add(note.code, note.message, "Change that setting.")
    found.notices += [note for note in off if not _is_final(note)]
    found.notices += [*notes.forms(first.layer), *notes.others(first.layer), *models.notes(config)]
    _look_at_copies(found, [one.path for one in installed])
    return found.status("disabled" if any(map(_is_final, off)) else _ask(found, first, config))


def _look_at_copies(found: Examination, paths: list[Path]) -> None:
    """Name the other copies of our hook; without the mark for them each call is answered more than once."""
    found.notices += copies.notes(paths[0], paths[1:])
    if any(change.after is not None for change in copies.mark(paths)):
        message = "Codex runs several copies of our hook, and the model gets the answers of all of them."
        found.add("copies_not_marked", message)


def _ask(found: Examination, installed: _Installed, config: Config) -> Status:
    """What Codex says about our entry; what config.toml says when there is no Codex to ask."""
    layer = installed.layer
    key = layer.key(installed.path, installed.entry)
    program = CLIENT.program()
    if program is None:
        message = "Codex was not found, so it could not be asked whether it trusts the hook."
        found.notices.append(Note("not_asked", message))
        return "active" if config.trust(key).get("trusted_hash") else "not_trusted"
    try:
        listed = trust.list_hooks(program, CLIENT.directory(), layer.project or layer.directory)
    except UnprettyError as exc:
        found.add(exc.code, str(exc), exc.hint)
        return "broken"
    said = [*listed.errors, *listed.warnings]
    ours = next((hook for hook in listed.hooks if hook.key == key), None)
    if ours is None:
        because = " ".join(said) or "it may not trust the project."
        found.add("not_listed", f"Codex does not see the hook: {because}", f"Fix {layer.directory}.")
        return "broken" if said else "not_trusted"
    found.notices += [Note("codex_says", f"Codex says: {sentence}") for sentence in said]
    return _trust(found, ours)


def _trust(found: Examination, hook: trust.Hook) -> Status:
    if not hook.enabled:
        found.add("hook_disabled", "The hook is switched off in Codex.", "Switch it on in Codex with /hooks.")
        return "disabled"
    if hook.trust in ("trusted", "managed"):
        return "active"
    if hook.trust == "modified":
        message = "The hook is not as it was when Codex was asked to trust it, so it does not run."
        found.add("modified", message, _TRUST)
        return "modified"
    found.add("not_trusted", "Codex does not run the hook, because nobody asked it to trust it.", _TRUST)
    return "not_trusted"


def _repair(layer: ConfigLayer) -> Options:
    """What ``--fix`` does; trust is asked for again only where the user had us ask for it before."""
    added = [name for kept in receipt.of_agent(CLIENT.row.name) for name in kept.added if name.startswith(TRUST)]
    return Options(project=layer.project, trust=any(layer.owns(name.removeprefix(TRUST)) for name in added))


def _is_final(note: Note) -> bool:
    """Whether nothing of ours can run; an untrusted project may be trusted when Codex starts there."""
    return note.code in ("hooks_disabled", "managed_only")
