"""Which models let a hook replace a tool result in Codex: those that call tools directly, not by writing a program.

Codex carries a list of its models with it (``codex debug models --bundled``; no network, no login, writes nothing).
"""

import json
from dataclasses import dataclass
from functools import cache

from unpretty_installer.codex.config import Config
from unpretty_installer.codex.places import CLIENT
from unpretty_installer.core.home_owner import answer
from unpretty_installer.core.plan import Note

_CODE_MODE = "code_mode_only"


@dataclass(frozen=True, slots=True)
class Model:
    """One model of Codex's list; ``rank`` says which one is taken when none is set, the lowest first."""

    name: str
    direct: bool
    rank: int
    offered: bool


def notes(config: Config) -> list[Note]:
    """What the user should know about the model that is set, and about the others; nothing when Codex does not say."""
    program = CLIENT.program()
    known = bundled(program) if program else ()
    if not known:
        return []
    offered = sorted((model for model in known if model.offered), key=lambda model: model.rank)
    name = config.model() or (offered[0].name if offered else "")
    direct = [model.name for model in known if model.direct]
    able = f"A hook can replace results with {', '.join([*direct, 'models that are not in its list'])}."
    proxy = "`unpretty proxy` in front of an MCP server works with every model."
    for model in known:
        if model.name == name and not model.direct:
            return [
                Note(
                    "code_mode",
                    f"With {name} Codex runs tools in code mode and ignores what a hook puts in their place, so "
                    f"nothing gets smaller. {able} {proxy}",
                )
            ]
    return [Note("models", f"{able} The others use code mode. {proxy}")]


@cache
def bundled(program: str) -> tuple[Model, ...]:
    """The models that Codex brings along; none when it does not say."""
    try:
        listed = json.loads(answer([program, "debug", "models", "--bundled"], 10) or b"{}")["models"]
        return tuple(
            _model(entry) for entry in listed if isinstance(entry, dict) and isinstance(entry.get("slug"), str)
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return ()


def _model(entry: dict[str, object]) -> Model:
    rank = entry.get("priority")
    return Model(
        name=str(entry["slug"]),
        direct=entry.get("tool_mode") != _CODE_MODE,
        rank=rank if isinstance(rank, int) else 1 << 30,
        offered=entry.get("visibility") == "list",
    )
