"""Whether a converted result reached the model, told by what the agents themselves keep."""

from __future__ import annotations

from collections.abc import Callable

from unpretty.transcripts.reading import Record

APPLIED, REJECTED, UNKNOWN = "applied", "rejected", "unknown"
Check = Callable[[Record], str]


def by_lengths(lengths: frozenset[int], record: Record) -> str:
    """What the lengths of the texts that the agent kept for a call say: the log holds no text to compare with.

    Args:
        lengths: of every text of the result, in characters.
        record: a converted decision; ``chars_in`` and ``chars_out`` are in characters and differ.
    """
    if record["chars_out"] in lengths:
        return APPLIED
    return REJECTED if record["chars_in"] in lengths else UNKNOWN


def checks(since_ms: int | None = None, progress: Callable[[int], None] = lambda _: None) -> dict[str, Check]:
    """By agent, what says of a converted decision whether it was applied.

    Args:
        since_ms: no decision from before this time is asked about, in milliseconds since 1970 UTC.
        progress: told how many bytes more were read; it may raise TimeoutError to end the reading.
    """
    from unpretty.transcripts import claude_results, codex_results, opencode_results
    from unpretty.transcripts.claude_outcomes import ClaudeCodeTranscripts
    from unpretty.transcripts.codex_outcomes import CodexRollouts
    from unpretty.transcripts.opencode_outcomes import OpenCodeParts

    return {
        claude_results.AGENT: ClaudeCodeTranscripts(progress=progress).outcome,
        codex_results.AGENT: CodexRollouts(progress).outcome,
        opencode_results.AGENT: OpenCodeParts(since_ms, progress).outcome,
    }
