"""The proxy's lines in the decision log, and the sum that ``--passthrough`` prints at the end."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from unpretty import locations
from unpretty.decision_log.writer import append, decision_record
from unpretty.engine import system

if TYPE_CHECKING:
    from unpretty.proxy.clients import ToolCall
    from unpretty.proxy.compacted import CompactedText
    from unpretty.proxy.current_settings import CurrentSettings
    from unpretty.proxy.rewrite import Rewritten
    from unpretty.proxy.session import Session

# Lines of this kind say what would have been saved; they are not results that the agent was offered.
OBSERVED = "observed"
# Seconds between two processes that count tokens: loading the vocabulary costs more than counting does.
_COUNT_EVERY = 5.0
# Characters of texts that may wait for it.
_MAX_UNCOUNTED = 16 << 20


class ProxyLog:
    """Writes what was decided about each result; ``observing`` when nothing is changed."""

    def __init__(self, session: Session, current: CurrentSettings, *, observing: bool) -> None:
        self._session = session
        self._current = current
        self._observing = observing
        self._path = str(locations.decision_log_file())
        self._seen = self._bytes_in = self._bytes_out = 0
        self._uncounted: list[tuple[str, str, str]] = []
        self._counted_at = -_COUNT_EVERY

    def record(self, call: ToolCall, made: Rewritten, milliseconds: float) -> None:
        """Append one line for each text of a result of ``call``; the work took ``milliseconds``. Never raises."""
        if system.is_selftest():
            return
        settings = self._current.settings
        for text in made.texts:
            decision = text.compaction.decision
            who = {**self._who(call), "field": text.field}
            line = decision_record(who, decision, milliseconds, OBSERVED if self._observing else "decision")
            if made.limited is not None:
                line["rows"], line["rows_shown"] = len(made.limited.rows), made.limited.shown
            append(self._path, line, settings.log_max_bytes, settings.log_files)
            self._bytes_in += decision.bytes_in
            self._bytes_out += decision.bytes_out
            self._count_later(str(line["id"]), text)
        self._seen += bool(made.texts)
        if self._uncounted and time.monotonic() - self._counted_at > _COUNT_EVERY:
            self.count_tokens()

    def _count_later(self, identity: str, text: CompactedText) -> None:
        """Note a conversion whose tokens have to be counted; what does not fit into memory stays an estimate."""
        exact = self._current.settings.count_tokens == "exact"
        if self._observing or not text.compaction.decision.converted or not exact:
            return
        if sum(len(before) for _, before, _ in self._uncounted) + len(text.before) <= _MAX_UNCOUNTED:
            self._uncounted.append((identity, text.before, text.after))

    def count_tokens(self) -> None:
        """Let a background process count the tokens of the conversions since the last time."""
        texts, self._uncounted = self._uncounted, []
        self._counted_at = time.monotonic()
        if texts:
            from unpretty.tokens.background import count_later

            settings = self._current.settings
            count_later(sys.executable, self._path, texts, settings.log_max_bytes, settings.log_files)

    def summary(self) -> str:
        """What was seen, in one line."""
        return (
            f"unpretty: {self._seen} tool results were passed on unchanged; "
            f"their {self._bytes_in:,} bytes would have become {self._bytes_out:,}."
        )

    def _who(self, call: ToolCall) -> dict[str, object]:
        session = self._session
        return {
            "via": "proxy",
            "agent": session.client.agent,
            "agent_version": session.client_version,
            "session": call.session,
            "tool_use_id": call.tool_use_id,
            "project": self._current.project,
            "model": call.model,
            "tool": session.tool_id(call.tool),
        }
