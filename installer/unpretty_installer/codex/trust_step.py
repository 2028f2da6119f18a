"""The step that asks Codex to trust our entry, and undoes that when something later fails."""

from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.codex import places, trust
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.places import CLIENT, ConfigLayer
from unpretty_installer.codex.toml_entry import TEXT, TRUST, inserted_text, without_ours
from unpretty_installer.core import files, receipt, registered
from unpretty_installer.core.plan import FileChange, Step

_BY_HAND = "Start Codex and trust the hook on its screen or with /hooks."


def trust_step(layer: ConfigLayer, path: Path) -> Step:
    """The step for our entry in ``path``, a file of ``layer``."""
    work = _Trusting(layer, path)
    return Step(
        title="Ask Codex to trust exactly this hook (codex app-server)",
        why=f"Codex runs no hook that nobody trusted; it notes the trust in {places.user_layer().config_toml}.",
        run=work.run,
        undo=work.undo,
    )


def without_ours_in_toml(data: bytes, added: tuple[str, ...]) -> bytes:
    """The bytes of a config.toml without our entry, and without what is in ``added``."""
    return without_ours(Config.read(data, "config.toml"), added).encode("utf-8")


class _Trusting:
    """One run of the step. Codex writes config.toml itself; what it was before is kept here and in the receipt."""

    def __init__(self, layer: ConfigLayer, path: Path) -> None:
        self._layer = layer
        self._path = path
        self._written: list[tuple[Path, bytes | None, bytes | None]] = []

    def run(self) -> None:
        """Ask, check the answer, and keep a receipt; all of it or nothing. Raises UnprettyError."""
        try:
            self._ask()
        except BaseException:
            self.undo()
            raise

    def _ask(self) -> None:
        program = CLIENT.program()
        if program is None:
            raise UnprettyError("Codex was not found, so it cannot be asked.", code="codex_not_found", hint=_BY_HAND)
        cwd = self._layer.project or self._layer.directory
        home = CLIENT.directory()
        hook = self._find(trust.list_hooks(program, home, cwd))
        if hook.trust not in ("trusted", "managed"):
            config = places.user_layer().config_toml
            before = files.read(config)
            try:
                listed = trust.trust(program, home, cwd, hook)
            finally:
                self._note(config, before)
            hook = self._find(listed)
            self._keep_receipt(config, before, hook.key)
        if hook.trust not in ("trusted", "managed"):
            raise UnprettyError(f"Codex still calls the hook {hook.trust}.", code="not_trusted", hint=_BY_HAND)

    def undo(self) -> None:
        """Put back what was there before."""
        for path, before, after in reversed(self._written):
            if files.read(path) != after:
                raise UnprettyError(
                    f"{path} was changed by another program at the same time.", code="changed_meanwhile"
                )
            if before is None:
                files.remove(path)
            else:
                files.replace(path, before)

    def _find(self, listed: trust.HookListing) -> trust.Hook:
        """Our entry as Codex sees it."""
        for hook in listed.hooks:
            same = hook.key.startswith(f"{self._layer.name_of(self._path)}:")
            if same and registered.is_ours(hook.command, CLIENT.row.name):
                return hook
        said = " ".join((*listed.errors, *listed.warnings))
        because = f": {said}" if said else "; it lists no such hook, perhaps because hooks are switched off"
        raise UnprettyError(f"Codex does not see our hook in {self._path}{because}.", code="not_listed", hint=_BY_HAND)

    def _note(self, config: Path, before: bytes | None) -> None:
        """Remember what Codex wrote, after giving the file its own line endings again."""
        after = files.read(config)
        if before and after and b"\r\n" in before and b"\n" not in before.replace(b"\r\n", b""):
            after = after.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
            files.replace(config, after)
        if after != before:
            self._written.append((config, before, after))

    def _keep_receipt(self, config: Path, before: bytes | None, key: str) -> None:
        after = files.read(config)
        if after is None or after == before:
            return
        piece = inserted_text((before or b"").decode("utf-8", "replace"), after.decode("utf-8", "replace"))
        added = (*((TEXT + piece,) if piece else ()), TRUST + key)
        change = FileChange(config, before, after, "Notes the trust in our hook.")
        kept = receipt.keep(change, CLIENT.row.name, without_ours_in_toml, added=added)
        assert kept.after is not None
        files.make_directories(kept.path, 0o700)
        files.replace(kept.path, kept.after, 0o600)
        self._written.append((kept.path, kept.before, kept.after))
