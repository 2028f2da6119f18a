"""Plans and their results as lines of text (with a style each) and as JSON. Nothing is computed here."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.batch import AgentResult
from unpretty_installer.core.plan import Block, FileChange, Plan

SCHEMA = 1
Line = tuple[str, str]  # a style of rich ("" for none) and the text

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_COLUMN = " " * 10


def plan_lines(results: list[AgentResult]) -> Iterator[Line]:
    """What each plan would do, with diffs of the agents' files."""
    shown: set[Path] = set()
    for result in results:
        version = f" {result.plan.version}" if result.plan and result.plan.version else ""
        yield "bold", f"{result.title}{version}"
        if result.error:
            yield from _error(result.error)
        elif result.plan:
            yield from _plan(result.plan, shown)
        yield "", ""


def outcome_lines(results: list[AgentResult]) -> Iterator[Line]:
    """What came of the plans that were carried out."""
    for result in results:
        if result.state == "applied":
            copies = f" Copies of the files as they were are in {result.backup}." if result.backup else ""
            yield "green", f"{result.title}: done.{copies}"
        elif result.error:
            yield "red", f"{result.title}: failed. {result.error} {result.error.hint}".rstrip()


def _plan(plan: Plan, shown: set[Path]) -> Iterator[Line]:
    """One plan; our own files, which every agent's plan lists, are shown only once."""
    for change in plan.pending:
        if change.path not in shown:
            yield from _change(change)
        if change.ours:
            shown.add(change.path)
    for path in plan.removals:
        yield "", f"  delete  {path}"
    for step in plan.steps:
        yield "", f"  then    {step.title}"
        yield "dim", f"{_COLUMN}{step.why}"
    for block in plan.blocks:
        yield from _block(block)
    for note in plan.warnings:
        yield "yellow", f"  Warning: {note.message}"
    for sentence in plan.manual_steps:
        yield "yellow", f"  You have to: {sentence}"
    if plan.is_empty:
        yield "", "  Nothing to do."
        return
    for note in plan.notices:
        yield "", f"  Note: {note.message}"
    if plan.undo:
        yield "", f"  Undo: {plan.undo}"


def _change(change: FileChange) -> Iterator[Line]:
    link = f" -> {(change.after or b'').decode('utf-8', 'replace')}" if change.kind == "link" and change.after else ""
    yield "", f"  {change.operation}  {change.path}{link}"
    yield "dim", f"{_COLUMN}{change.why}"
    if not change.ours:
        for line in diff(change):
            yield _DIFF_STYLES.get(line[:1], ""), f"    {line}"


def diff(change: FileChange) -> list[str]:
    """The unified diff of a change, one line per element; bytes that are not UTF-8 are shown as replacement marks."""
    before, after = (_lines(data) for data in (change.before, change.after))
    old = "/dev/null" if change.before is None else str(change.path)
    new = "/dev/null" if change.after is None else str(change.path)
    lines: list[str] = []
    for line in difflib.unified_diff(before, after, old, new, n=change.context):
        lines.append(line.rstrip("\r\n"))
        if not line.endswith(("\n", "\r")):
            lines.append("\\ No newline at end of file")
    return lines


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "replace")
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _block(block: Block) -> Iterator[Line]:
    yield "red", f"  Cannot be written: {block.message} {block.hint}".rstrip()
    for line in block.snippet.splitlines():
        yield "", f"    {line}"


def _error(error: UnprettyError) -> Iterator[Line]:
    yield "red", f"  Failed: {error} {error.hint}".rstrip()


def as_json(results: list[AgentResult], command: str, *, applied: bool) -> dict[str, object]:
    """The same as plain values for ``--json``; ``command`` is ``install`` or ``uninstall``."""
    return {
        "schema": SCHEMA,
        "command": command,
        "apply": applied,
        "agents": [_agent_json(result) for result in results],
    }


def _agent_json(result: AgentResult) -> dict[str, object]:
    plan = result.plan or Plan(result.agent, result.title)
    error = result.error
    return {
        "agent": result.agent,
        "title": result.title,
        "state": result.state,
        "found": plan.found,
        "version": plan.version,
        "changes": [_change_json(change) for change in plan.pending],
        "removals": [str(path) for path in plan.removals],
        "steps": [{"title": step.title, "why": step.why} for step in plan.steps],
        "checks": [check.title for check in plan.checks],
        "warnings": [asdict(note) for note in plan.warnings],
        "manual_steps": list(plan.manual_steps),
        "notices": [asdict(note) for note in plan.notices],
        "blocks": [asdict(block) for block in plan.blocks],
        "undo": plan.undo,
        "backup": None if result.backup is None else str(result.backup),
        "error": None if error is None else {"code": error.code, "message": str(error), "hint": error.hint},
    }


def _change_json(change: FileChange) -> dict[str, object]:
    return {
        "path": str(change.path),
        "kind": change.kind,
        "operation": change.operation,
        "why": change.why,
        "ours": change.ours,
        "diff": [] if change.ours else diff(change),
    }
