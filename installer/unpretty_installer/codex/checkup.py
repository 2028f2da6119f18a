"""The doctor's look at Codex. Whether the hook runs is asked of Codex's app-server."""

from dataclasses import dataclass
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.codex import copies, models, notes, trust
from unpretty_installer.codex import places as codex_places
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.entry import ENTRY, group, try_out
from unpretty_installer.codex.places import NAME, TITLE, Layer
from unpretty_installer.codex.toml_entry import TRUST
from unpretty_installer.core import files, planning, receipt
from unpretty_installer.core import report as doctor
from unpretty_installer.core.plan import Note, Options
from unpretty_installer.core.report import FIX, AgentReport, Problem, Status
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument

_INSTALL = f"unpretty install {NAME} --apply"
_TRUST = f"unpretty install {NAME} --trust --apply"


@dataclass(frozen=True, slots=True)
class _Place:
    """One entry of ours in a file: its command and its position."""

    command: str
    group: int
    index: int


@dataclass(frozen=True, slots=True)
class _Installed:
    """One entry of ours: where it is, its command, and what Codex keeps the trust in it under."""

    layer: Layer
    path: Path
    command: str
    key: str


class _Examination:
    """One look; the parts of the report gather here."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.here = options.project or planning.here()
        self.problems: list[Problem] = []
        self.notices: list[Note] = []
        self.installed: list[_Installed] = []
        self.run_ms: float | None = None

    def report(self) -> AgentReport:
        for layer in self._layers():
            self._look_at(layer)
        status: Status = "not_installed"
        if self.installed:
            status = self._examine_installed()
        elif self.problems:
            status = "broken"
        first = self.installed[0].path if self.installed else codex_places.user_layer().hooks_json
        return AgentReport(
            agent=NAME,
            title=TITLE,
            found=codex_places.is_found(),
            version=codex_places.version(),
            status=status,
            config=str(first),
            problems=tuple(self.problems),
            notices=tuple(self.notices),
            run_ms=self.run_ms,
            last_decision=doctor.last_decision(NAME),
            repair=tuple(self._repair(layer) for layer in dict.fromkeys(entry.layer for entry in self.installed)),
        )

    def _layers(self) -> list[Layer]:
        """The user's layer, that of this place, and those on record."""
        layers = [codex_places.user_layer(), codex_places.layer(self.here)]
        layers += [codex_places.layer_of(kept.path) for kept in receipt.of_agent(NAME)]
        found: list[Layer] = []
        for layer in layers:
            if not any(planning.same_file(layer.directory, other.directory) for other in found):
                found.append(layer)
        return found

    def _look_at(self, layer: Layer) -> None:
        before = len(self.installed)
        readers = ((layer.hooks_json, _read_json), (layer.config_toml, _read_toml))
        for path, read in readers:
            data: bytes | None = None
            try:
                data = files.read(path)
                places, current = read(data, path)
            except UnprettyError as exc:
                if b"hook.py" in (data or b"") or receipt.find(NAME, path):
                    self.problems.append(Problem("unreadable_settings", f"{exc} Codex cannot use it.", f"Fix {path}."))
                continue
            self.installed += [
                _Installed(layer, path, place.command, layer.key(path, place.group, place.index)) for place in places
            ]
            if len(places) == 1 and not current:
                self.problems.append(
                    Problem("entry_modified", f"Our hook in {path} is not as this version writes it.", FIX)
                )
        count = len(self.installed) - before
        if count > 1:
            self.problems.append(Problem("entry_repeated", f"{layer.directory} holds {count} copies of our hook.", FIX))
        if count == 0 and layer.directory.parent.is_dir():
            self.problems += [_missing(path) for path in _recorded(layer)]

    def _examine_installed(self) -> Status:
        first = self.installed[0]
        layer = first.layer
        user = codex_places.user_layer().config_toml
        self.problems += doctor.shared_problems()
        try:
            self.run_ms = try_out(first.command)
        except UnprettyError as exc:
            self.problems.append(Problem(exc.code, str(exc), FIX))
        try:
            config = Config.read(files.read(user), str(user))
        except UnprettyError:
            config = Config.read(None, str(user))  # said above
        off = notes.switched_off(layer, config)
        self.problems += [Problem(note.code, note.message, "Change that setting.") for note in off if _is_final(note)]
        self.notices += [*doctor.shared_notices(NAME), *(note for note in off if not _is_final(note))]
        self.notices += [*notes.forms(layer), *notes.others(layer), *models.notes(config)]
        self._look_at_copies()
        status = "disabled" if any(map(_is_final, off)) else self._ask(first, config)
        codes = {problem.code for problem in self.problems}
        if codes & {"launcher_missing", "python_gone", "command_failed", "unreadable_settings", "config_invalid"}:
            return "broken"
        return "modified" if status == "active" and codes & {"entry_repeated", "entry_modified"} else status

    def _look_at_copies(self) -> None:
        """Name the other copies of our hook; without the mark for them each call is answered more than once."""
        places = [entry.path for entry in self.installed]
        self.notices += copies.notes(places[0], places[1:])
        if any(change.after is not None for change in copies.mark(places)):
            message = "Codex runs several copies of our hook, and the model gets the answers of all of them."
            self.problems.append(Problem("copies_not_marked", message, FIX))

    def _ask(self, entry: _Installed, config: Config) -> Status:
        """What Codex says about our entry; what config.toml says when there is no Codex to ask."""
        program = codex_places.program()
        if program is None:
            self.notices.append(
                Note("not_asked", "Codex was not found, so it could not be asked whether it trusts the hook.")
            )
            return "active" if config.trust(entry.key).get("trusted_hash") else "not_trusted"
        layer = entry.layer
        try:
            listed = trust.list_hooks(program, codex_places.home(), layer.project or layer.directory)
        except UnprettyError as exc:
            self.problems.append(Problem(exc.code, str(exc), exc.hint))
            return "broken"
        ours = [hook for hook in listed.hooks if hook.key == entry.key]
        said = [*listed.errors, *listed.warnings]
        if not ours:
            because = " ".join(said) or "it may not trust the project."
            self.problems.append(
                Problem("not_listed", f"Codex does not see the hook: {because}", f"Fix {layer.directory}.")
            )
            return "broken" if said else "not_trusted"
        self.notices += [Note("codex_says", f"Codex says: {sentence}") for sentence in said]
        return self._trust(ours[0])

    def _trust(self, hook: trust.Hook) -> Status:
        if not hook.enabled:
            self.problems.append(
                Problem("hook_disabled", "The hook is switched off in Codex.", "Switch it on in Codex with /hooks.")
            )
            return "disabled"
        if hook.trust in ("trusted", "managed"):
            return "active"
        if hook.trust == "modified":
            self.problems.append(
                Problem(
                    "modified", "The hook is not as it was when Codex was told to trust it, so it does not run.", _TRUST
                )
            )
            return "modified"
        self.problems.append(
            Problem("not_trusted", "Codex does not run the hook, because nobody told it to trust it.", _TRUST)
        )
        return "not_trusted"

    def _keys(self) -> list[str]:
        return [
            name.removeprefix(TRUST) for kept in receipt.of_agent(NAME) for name in kept.added if name.startswith(TRUST)
        ]

    def _repair(self, layer: Layer) -> Options:
        """Trust is asked for again only where the user had us ask for it before."""
        return Options(project=layer.project, trust=any(map(layer.owns, self._keys())))


def examine(options: Options) -> AgentReport:
    """Look at the user's directory, at that of the project (or the current directory), and at every place on record."""
    return _Examination(options).report()


def _read_json(data: bytes | None, path: Path) -> tuple[list[_Place], bool]:
    """Our entries, and whether the one entry is as this version writes it."""
    document = JsonDocument.read(data, name=str(path), strict=True)
    places = [_Place(entry.command, entry.group, entry.index) for entry in hook_entries.ours(document, NAME)]
    return places, hook_entries.is_current(document, NAME, group())


def _read_toml(data: bytes | None, path: Path) -> tuple[list[_Place], bool]:
    config = Config.read(data, str(path))
    places = [_Place(str(entry.handler.get("command")), entry.group, entry.index) for entry in config.ours()]
    return places, config.holds(group())


def _recorded(layer: Layer) -> list[Path]:
    """Files of the layer that our entry is on record for; config.toml may be on record for the trust only."""
    return [
        kept.path
        for kept in receipt.of_agent(NAME)
        if planning.same_file(kept.path.parent, layer.directory) and kept.notes.get(ENTRY) is True
    ]


def _missing(path: Path) -> Problem:
    return Problem(
        "entry_missing",
        f"The hook was installed in {path}, but its entry is not there any more.",
        f"{_INSTALL} puts it back, unpretty uninstall {NAME} --apply forgets it.",
    )


def _is_final(note: Note) -> bool:
    """Whether nothing of ours can run; an untrusted project may be trusted when Codex starts there."""
    return note.code in ("hooks_disabled", "managed_only")
