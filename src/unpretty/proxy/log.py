"""The proxy's lines in the decision log, and the sum that ``--passthrough`` prints at the end."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from unpretty import locations
from unpretty.decision_log.writer import append, decision_record
from unpretty.proxy.current_settings import is_trial

if TYPE_CHECKING:
    from unpretty.proxy.clients import ToolCall
    from unpretty.proxy.current_settings import CurrentSettings
    from unpretty.proxy.rewrite import Rewritten, TextDecision
    from unpretty.proxy.session import Session

# Lines of this kind tell what would have been saved; they are no results that the agent was offered.
OBSERVED = "observed"
# Seconds between two processes that count tokens: loading the vocabulary costs more than counting does.
_COUNT_EVERY = 5.0
# Characters of texts that may wait for it.
_MAX_UNCOUNTED = 16 << 20


class ProxyLog:
    """Writes what was decided about each result; ``observing`` when nothing is changed."""

    def __init__(self, session: Session, policy: CurrentSettings, *, observing: bool) -> None:
        self._session = session
        self._policy = policy
        self._observing = observing
        self._path = str(locations.decision_log_file())
        self._seen = self._bytes_in = self._bytes_out = 0
        self._uncounted: list[tuple[str, str, str]] = []
        self._counted_at = -_COUNT_EVERY

    def record(self, call: ToolCall, made: Rewritten, milliseconds: float) -> None:
        """Append one line for each text of a result of ``call``; the work took ``milliseconds``. Never raises."""
        if is_trial():
            return
        settings = self._policy.settings
        for outcome in made.outcomes:
            line = self._line(call, outcome, milliseconds)
            if made.cut is not None:
                line["rows"], line["rows_shown"] = len(made.cut.rows), made.cut.shown
            append(self._path, line, settings.log_max_bytes, settings.log_files)
            self._bytes_in += outcome.compaction.decision.bytes_in
            self._bytes_out += outcome.compaction.decision.bytes_out
            self._count_later(str(line["id"]), outcome)
        self._seen += bool(made.outcomes)
        if self._uncounted and time.monotonic() - self._counted_at > _COUNT_EVERY:
            self.count_tokens()

    def _count_later(self, identity: str, outcome: TextDecision) -> None:
        """Note a conversion whose tokens are to be counted; what does not fit into memory stays an estimate."""
        if (
            self._observing
            or not outcome.compaction.decision.converted
            or self._policy.settings.count_tokens != "exact"
        ):
            return
        if sum(len(before) for _, before, _ in self._uncounted) + len(outcome.before) <= _MAX_UNCOUNTED:
            self._uncounted.append((identity, outcome.before, outcome.compaction.text))

    def count_tokens(self) -> None:
        """Have the tokens of the conversions since the last time counted by a process of its own."""
        texts, self._uncounted = self._uncounted, []
        self._counted_at = time.monotonic()
        if texts:
            from unpretty.tokens.background import count_later

            settings = self._policy.settings
            count_later(sys.executable, self._path, texts, settings.log_max_bytes, settings.log_files)

    def summary(self) -> str:
        """What was seen, in one line."""
        return (
            f"unpretty: {self._seen} tool results were passed on unchanged; "
            f"their {self._bytes_in:,} bytes would have become {self._bytes_out:,}."
        )

    def _line(self, call: ToolCall, outcome: TextDecision, milliseconds: float) -> dict[str, object]:
        session = self._session
        who: dict[str, object] = {
            "via": "proxy",
            "agent": session.client.agent,
            "agent_version": session.client_version,
            "session": call.session,
            "tool_use_id": call.tool_use_id,
            "project": self._policy.project,
            "model": call.model,
            "tool": session.tool_id(call.tool),
            "field": outcome.field,
        }
        kind = OBSERVED if self._observing else "decision"
        return decision_record(who, outcome.compaction.decision, milliseconds, kind)
