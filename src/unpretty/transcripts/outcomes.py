"""The agents whose own records tell whether a conversion was applied."""

from __future__ import annotations

from collections.abc import Callable

from unpretty.stats.applied import Check
from unpretty.transcripts import claude_results, codex_results, opencode_results
from unpretty.transcripts.claude_outcomes import ClaudeCodeTranscripts
from unpretty.transcripts.codex_outcomes import CodexRollouts
from unpretty.transcripts.opencode_outcomes import OpenCodeParts


def checks(since_ms: int | None = None, progress: Callable[[int], None] = lambda _: None) -> dict[str, Check]:
    """By agent, what says of a converted decision whether it was applied.

    Args:
        since_ms: no decision from before this time is asked about, in milliseconds since 1970 UTC.
        progress: told how many bytes more were read; it may raise TimeoutError to end the reading.
    """
    return {
        claude_results.AGENT: ClaudeCodeTranscripts(progress=progress).outcome,
        codex_results.AGENT: CodexRollouts(progress).outcome,
        opencode_results.AGENT: OpenCodeParts(since_ms, progress).outcome,
    }
