"""Whether installing is worth it, judged from an estimate and said in one sentence."""

from __future__ import annotations

from dataclasses import dataclass

# Under this share of all tokens read nobody would notice; under the other one it is a small thing.
_TOO_LITTLE, _LITTLE = 0.005, 0.02


@dataclass(frozen=True, slots=True)
class Verdict:
    """A stable code and the sentence for people."""

    code: str
    message: str


def verdict_on(saved: int, read: int, results: int, replaced: int) -> Verdict:
    """Judge ``saved`` of ``read`` tokens in ``results`` results; a hook had shortened ``replaced`` more."""
    if replaced:
        return Verdict(
            "already_installed",
            f"unpretty is at work in these sessions: {replaced:,} results that it made smaller are left out here, so "
            "this is only what it would add. `unpretty stats` shows what it saves.",
        )
    if not results:
        return Verdict("no_results", "No tool result was found, so nothing can be said.")
    if saved <= 0:
        return Verdict("not_worth_it", "Nothing would have been saved. For sessions like these it is not worth it.")
    share = f"{100 * saved / read:.1f} %" if saved >= 0.0005 * read else "less than 0.1 %"
    if saved < _TOO_LITTLE * read:
        return Verdict("not_worth_it", f"Not worth it for sessions like these: only {share} of the tool output.")
    if saved < _LITTLE * read:
        return Verdict("small", f"A small gain: {share} of the tool output of sessions like these.")
    return Verdict("worth_it", f"Worth it for sessions like these: {share} of the tool output would have been saved.")
