"""What the hook and the worker keep on disk: the settings that they read and the log that they write.

The installer writes the paths into ``hook.py``: agents started from a desktop have no XDG variables.
"""

import sys
import time

from unpretty import agents
from unpretty.decision_log.writer import append, decision_record
from unpretty.engine import system
from unpretty.engine.compaction import Compaction, Decision
from unpretty_hooks.call import Call
from unpretty_hooks.serving import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.settings.defaults import Settings

    # Decision id, text before and text after of a converted field.
    Texts = list[tuple[str, str, str]]


class Files(Memory):
    """Where the hook finds its files, and what earlier calls and other copies of the hook left there.

    Attributes:
        log: the decision log; the other files are in its directory.
        resolved: the resolved copy of the settings.
        config: the settings that the user edits.
    """

    def __init__(self, log: str, resolved: str, config: str) -> None:
        super().__init__()
        self.log = log
        self.resolved = resolved
        self.config = config

    def claims(self, call: Call) -> bool:
        """See ``Memory``. The installer leaves a file where it found a second copy of the hook."""
        if not agents.get(call.agent).runs_each_copy or system.is_selftest():
            return True
        if not system.exists(f"{system.directory_of(self.log)}/copies-{call.agent}"):  # locations.copies_file
            return True
        from unpretty_hooks.claim import claim

        return claim(call, self.log)

    def is_first(self, session: str, encoding: str) -> bool:
        """See ``Memory``. False when it cannot be remembered, and while the hook is only tested."""
        from unpretty_hooks.notice import remember

        return not system.is_selftest() and remember(self.log, session, encoding)

    def load_settings(self) -> "Settings":
        """The settings in force; the defaults while the hook is only tested."""
        if system.is_selftest():
            from unpretty.settings.defaults import Settings

            return Settings()
        from unpretty.settings.resolved import load

        return load(self.resolved, self.config)

    def log_decisions(self, call: Call, settings: "Settings", via: str, started: float) -> "Texts":
        """Append a line for each field of ``call``, or one for a call without fields; the texts of those converted.

        Args:
            call: with its decisions made.
            settings: those in force.
            via: ``hook`` or ``worker``.
            started: when the call came in, from ``time.perf_counter``.
        """
        milliseconds = (time.perf_counter() - started) * 1000
        texts = []
        for name, before, compaction in outcomes(call):
            record = record_of(call, name, compaction.decision, via, milliseconds)
            append(self.log, record, settings.log_max_bytes, settings.log_files)
            if compaction.decision.converted:
                texts.append((str(record["id"]), before, compaction.text))
        return texts

    def count_tokens(self, texts: "Texts", settings: "Settings") -> None:
        """Start a process that counts the tokens of ``texts``, unless ``settings`` say no."""
        if texts and settings.count_tokens == "exact":
            from unpretty.tokens.background import count_later

            count_later(sys.executable, self.log, texts, settings.log_max_bytes, settings.log_files)


def outcomes(call: Call) -> "list[tuple[str, str, Compaction]]":
    """Name, text before and compaction of each field; for a call without fields one that holds its reason."""
    found = [(field.name, field.text, field.compaction) for field in call.fields]
    return found or [("", "", Compaction("", Decision(call.reason, "", 0)))]


def record_of(call: Call, field: str, decision: Decision, via: str, milliseconds: float) -> "dict[str, object]":
    """The line of the decision log for one field of ``call``."""
    names = ("agent", "agent_version", "session", "tool_use_id", "project", "model", "tool")
    who = {"via": via, **{name: getattr(call, name) for name in names}, "field": field}
    return decision_record(who, decision, milliseconds)
