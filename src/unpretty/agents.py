"""The agents that unpretty knows: one row each, with everything that more than one part has to know of an agent.

An agent is a row here, an adapter ``unpretty_hooks.MODULE``, a directory ``unpretty_installer/MODULE`` and the module
``unpretty.transcripts.MODULE``, where MODULE is the row's ``module``. Nothing else names an agent. The facts come from
the real clients; docs/claude-code.md, docs/codex.md and docs/opencode.md say which versions.

On the hook path: no imports at the top, and a process makes only the row that it asks for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# What a tool returns; the kinds of ``unpretty.engine.context``.
SHELL, SEARCH, MCP, FILE = "shell", "search", "mcp", "file"


def written_path(value: str) -> "Path":
    """The path that somebody wrote into a variable or on a command line.

    A leading ``~`` is the home directory, ``~name`` that of a user who is known here. A relative path begins in the
    current directory; it stays relative where that was deleted.
    """
    import os
    from pathlib import Path

    path = Path(os.path.expanduser(value))  # noqa: PTH111  that of Path raises for a user who is not known
    try:
        return path.absolute()
    except OSError:
        return path


class Directory:
    """A directory of an agent: the value of an environment variable, else a default below the home directory.

    Attributes:
        variable: the environment variable that names it.
        default: where it is without that, relative to the home directory; None when it does not exist then.
        below: a directory in the one that the variable or the default names, "" for that one itself.
    """

    __slots__ = ("below", "default", "variable")

    def __init__(self, variable: str, default: "str | None", below: str = "") -> None:
        self.variable = variable
        self.default = default
        self.below = below

    def named(self) -> "Path | None":
        """The directory that the variable names (see ``written_path``); None when it is unset or blank."""
        import os

        value = os.environ.get(self.variable, "").strip()
        return written_path(value) / self.below if value else None

    def path(self) -> "Path | None":
        """The directory, whether or not it exists; None when the variable is unset and there is no default."""
        from pathlib import Path

        default = None if self.default is None else Path.home() / self.default / self.below
        return self.named() or default


class Agent:
    """One agent.

    Attributes:
        name: on the command line, in the registered command and in the decision log.
        title: in a sentence.
        programs: the names of its program.
        config: its directory of the user's configuration.
        more_config: another one that it reads as well, None for none.
        data: its directory of session records, tokens and the like.
        sessions: the directories of session records in ``data``; "" is ``data`` itself.
        tools: what the tools return whose results a hook can be given, by the tool's name.
        mcp_prefix: how the names of MCP tools begin, "" when they have no mark.
        mcp_client: what the agent calls itself as an MCP client.
        client_traits: what it does as one; attributes of ``unpretty.proxy.clients.Client`` that are true.
        limits: sizes and times above which the agent truncates, drops or gives up, by name; names end with the unit.
        marks: texts of the agent by which a kind of result is recognised, by name.
        worker: one process serves it, with one request per line, instead of a process for each call.
        shows_context: it can show the model a line with the result.
        runs_each_copy: the same command in two of its configuration files runs twice on each call.
    """

    __slots__ = (
        "client_traits", "config", "data", "limits", "marks", "mcp_client", "mcp_prefix", "more_config", "name",
        "programs", "runs_each_copy", "sessions", "shows_context", "title", "tools", "worker",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913  one keyword per fact
        self,
        name: str,
        title: str,
        *,
        programs: "tuple[str, ...]",
        config: Directory,
        data: Directory,
        sessions: "tuple[str, ...]",
        tools: "dict[str, str]",
        mcp_client: str,
        more_config: "Directory | None" = None,
        mcp_prefix: str = "",
        client_traits: "tuple[str, ...]" = (),
        limits: "dict[str, int] | None" = None,
        marks: "dict[str, str] | None" = None,
        worker: bool = False,
        shows_context: bool = False,
        runs_each_copy: bool = False,
    ) -> None:
        self.name = name
        self.title = title
        self.programs = programs
        self.config = config
        self.more_config = more_config
        self.data = data
        self.sessions = sessions
        self.tools = tools
        self.mcp_prefix = mcp_prefix
        self.mcp_client = mcp_client
        self.client_traits = client_traits
        self.limits = limits or {}
        self.marks = marks or {}
        self.worker = worker
        self.shows_context = shows_context
        self.runs_each_copy = runs_each_copy

    @property
    def module(self) -> str:
        """The name of the agent's module or package in ``unpretty_hooks``, ``unpretty_installer``, ``transcripts``."""
        return self.name.replace("-", "_")

    @property
    def result_tools(self) -> "list[str]":
        """The names of the tools whose results may be replaced: all but those that show files."""
        return [tool for tool, kind in self.tools.items() if kind != FILE]

    @property
    def matcher(self) -> str:
        """The tools whose results our hook entry asks for, as a regular expression."""
        names = self.result_tools
        return "|".join([*names, f"{self.mcp_prefix}.*"] if self.mcp_prefix else names)

    @property
    def session_directories(self) -> "list[Path]":
        """Where the agent keeps its session records on this machine, whether or not the directories exist."""
        data = self.data.path()
        return [] if data is None else [data / name for name in self.sessions]


def _claude_code() -> Agent:
    home = Directory("CLAUDE_CONFIG_DIR", ".claude")
    return Agent(
        "claude-code",
        "Claude Code",
        programs=("claude",),
        config=home,
        data=home,
        sessions=("projects",),
        tools={"Bash": SHELL, "Grep": SEARCH, "Read": FILE, "NotebookRead": FILE},
        mcp_prefix="mcp__",
        mcp_client="claude-code",
        client_traits=("shows_structured", "reads_resources"),
        # Shown inline; a longer result becomes a preview of 2 KB and a file.
        limits={"shell_chars": 30_000, "mcp_chars": 50_000},
        # The directory of that file, and a member of ``_meta`` in an MCP request.
        marks={"saved_in": "tool-results", "meta_call_id": "claudecode/toolUseId"},
        # As a message with the result, of built-in and of MCP tools.
        shows_context=True,
    )


def _codex() -> Agent:
    home = Directory("CODEX_HOME", ".codex")
    return Agent(
        "codex",
        "Codex",
        programs=("codex",),
        config=home,
        data=home,
        sessions=("sessions", "archived_sessions"),
        tools={"Bash": SHELL},
        mcp_prefix="mcp__",
        mcp_client="codex-mcp-client",
        client_traits=("shows_structured", "may_drop_structured", "reads_resources"),
        # A longer replacement is truncated in the middle, and so is a longer MCP result, after the hook.
        limits={"replacement_bytes": 10_000, "mcp_chars": 48_000},
        marks={
            "cut": "Warning: truncated output (original token count: ",
            "omitted": " bytes omitted ...",
            # The id of a call whose result goes to a program: Codex ignores the answer to it.
            "code_mode": "exec-",
            # Members of ``_meta`` in an MCP request.
            "meta_call_id": "callId",
            "meta_session": "threadId",
            "meta_turn": "x-codex-turn-metadata",
        },
        # The hooks of the user and of the project; the texts of two that replace the same result are joined.
        runs_each_copy=True,
    )


def _opencode() -> Agent:
    return Agent(
        "opencode",
        "OpenCode",
        programs=("opencode",),
        config=Directory("XDG_CONFIG_HOME", ".config", "opencode"),
        more_config=Directory("OPENCODE_CONFIG_DIR", None),
        data=Directory("XDG_DATA_HOME", ".local/share", "opencode"),
        sessions=("",),
        # Tools whose `output` string is all that the model reads; the plugin tells MCP results by their shape.
        tools={"bash": SHELL, "shell": SHELL, "grep": SEARCH, "execute": MCP},
        mcp_client="opencode",
        limits={
            # What it shows of a result when its configuration says nothing: whole lines from the start.
            "shown_lines": 2000,
            "shown_bytes": 51_200,
            # How long the plugin waits for the worker, and when the worker gives up.
            "plugin_ms": 3000,
            "worker_ms": 2000,
            # The plugin does not ask about longer results.
            "plugin_chars": 32 << 20,
        },
        marks={
            "cut": "...output truncated...\n\nFull output saved to: ",
            # The end of an MCP result that it truncated after the plugin.
            "mcp_cut": "\n\nThe tool call succeeded but the output was truncated. Full output saved to: ",
            # Shown when the last line alone is over the limit.
            "nothing": "(no output)",
            # The directory of the file with the whole output.
            "saved_in": "tool-output",
        },
        worker=True,
    )


# By name, what makes the row. The order is that of listings.
ROWS: "dict[str, Callable[[], Agent]]" = {"claude-code": _claude_code, "codex": _codex, "opencode": _opencode}
_made: "dict[str, Agent]" = {}


def names() -> "tuple[str, ...]":
    """The names of all agents, in the order of listings."""
    return tuple(ROWS)


def get(name: str) -> Agent:
    """The row of the agent called ``name``; raises KeyError when there is none."""
    if name not in _made:
        _made[name] = ROWS[name]()
    return _made[name]


def every() -> "list[Agent]":
    """All rows, in the order of listings."""
    return [get(name) for name in ROWS]


def module(package: str, agent: Agent) -> object:
    """The module of ``agent`` in ``package``, such as ``unpretty_hooks``; imported only now."""
    import sys

    name = f"{package}.{agent.module}"
    __import__(name)
    return sys.modules[name]
