"""What a shell command prints, judged from its text.

The question is whether it shows a file that a later edit must match.

Only the text of the command is known, so the judgement leans to "yes": a result that is left alone costs tokens, a
result that no longer matches its file costs a failed edit.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from unpretty.engine.shell_words import SimpleCommand

# The marker with which a model or a user asks for the original output of one command.
RAW_MARKER = "UNPRETTY_RAW=1"
_RAW_NAME = RAW_MARKER[:-2]

# Programs that print files as they are. `git`, `sed`, `awk` and `perl` have rules of their own.
_VIEWERS = frozenset(
    (
        *("cat", "tac", "head", "tail", "less", "more", "most", "bat", "batcat", "nl", "view", "pg", "strings"),
        *("zcat", "gzcat", "bzcat", "xzcat", "zstdcat", "zless", "zmore", "type", "get-content", "gc"),
    )
)
# Programs that print lines of files.
_SEARCHERS = frozenset(
    ("grep", "egrep", "fgrep", "zgrep", "ugrep", "rg", "ag", "ack", "findstr", "select-string", "sls")
)
_EDITORS = frozenset(("sed", "gsed", "awk", "gawk", "mawk", "nawk", "perl"))
# Programs that print what they read: a file, or what the program before them in a pipe prints.
_FILTERS = (
    _VIEWERS
    | _SEARCHERS
    | _EDITORS
    | {
        *("cut", "tee", "sort", "uniq", "tr", "fold", "fmt", "pr", "expand", "unexpand", "col", "colrm", "column"),
        *("ts", "paste", "shuf", "iconv", "pv", "dd", "gunzip", "read"),
    }
)
_PRINTERS = _FILTERS | {"git"}
# Programs that run their arguments as a command.
_WRAPPERS = frozenset(
    (
        *("sudo", "doas", "env", "time", "nice", "ionice", "nohup", "timeout", "stdbuf", "command", "builtin", "exec"),
        *("xargs", "watch", "ssh", "docker", "podman", "kubectl", "find", "fd", "parallel", "bash", "sh", "zsh"),
        *("dash", "ksh", "fish", "eval", "su", "flock", "chroot", "setsid", "unbuffer", "script", "wsl", "busybox"),
        *("powershell", "pwsh", "cmd", "svn", "hg"),
    )
)
# What may come before a command: keywords, and the end of a group or a substitution.
_KEYWORDS = frozenset(("!", "{", "}", ")", "do", "done", "then", "else", "elif", "if", "fi", "while", "until", "esac"))
_UNQUOTED = dict.fromkeys(map(ord, "'\"\\"))
_NO_SIGNS = dict.fromkeys(map(ord, "'\"`();|&<>{}$"), " ")
_NO_SIGNS_OR_PATHS = _NO_SIGNS | dict.fromkeys(map(ord, "/\\.="), " ")
# How programs of several languages read the text of a file, and how they parse it.
_READS = (".read()", "read_text(", "readlines(", "readfile", "file_get_contents(", "file.read", "io.read")
_PARSES = ("json.load", "json.parse", "json_decode")

# Words in the names of MCP tools: what they handle, and what they do with it or give of it.
_FILES = frozenset(("file", "files", "notebook"))
_SHOWS = frozenset(("read", "view", "open", "cat", "show", "load", "fetch", "text", "content", "contents", "source"))


def asks_for_original(command: str) -> bool:
    """True when ``command`` sets ``UNPRETTY_RAW`` to 1, in any quotes a shell takes away, by any means of a shell.

    So do ``env``, ``export`` and ``declare``, ``set -x NAME 1`` (fish), ``setenv NAME 1`` (csh) and ``$env:NAME = 1``
    (PowerShell). Its position does not matter: the marker in a quoted command inside the command counts too.
    """
    if _RAW_NAME not in command:  # most commands by far
        return False
    plain = command.replace("\\\n", "").replace("$'", "'").replace('$"', '"').translate(_UNQUOTED)
    before, *parts = plain.split(_RAW_NAME)
    for part in parts:
        value = part.lstrip(" \t")
        if value[:1] == "=" or (value != part and _sets(before)):
            value = value.removeprefix("=").lstrip(" \t")
            if value[:1] == "1":
                return True
        before = part
    return False


def _sets(before: str) -> bool:
    """True when ``before`` ends in a command that sets the variable whose name follows, and its options."""
    for word in reversed(before.split()):
        if not word.startswith("-"):
            return word in ("set", "setenv")
    return False


def shows_file(command: str) -> bool:
    """True when ``command`` may print the text of a file as it is (``cat x``, ``head x``, ``sed -n 1,9p x``, ...)."""
    lowered = command.lower()
    if any(sign in lowered for sign in _READS) and not any(sign in lowered for sign in _PARSES):
        return True
    return _any_prints(command, _PRINTERS, _shows_file)


def searches_files(command: str) -> bool:
    """True when ``command`` may print lines of files as they are (``grep``, ``rg``, ``git grep``, ...)."""
    return _any_prints(command, _SEARCHERS, _searches_files)


def _any_prints(command: str, programs: "frozenset[str]", judge: "Callable[[str, SimpleCommand], bool]") -> bool:
    """True when a pipeline of ``command`` prints what ``judge`` looks for, by one of ``programs`` or a ``<``."""
    # A first look that costs far less than reading the command: most name none of these programs.
    if "<" not in command and programs.isdisjoint(command.lower().translate(_NO_SIGNS_OR_PATHS).split()):
        return False
    from unpretty.engine.shell_words import pipelines

    return any(_prints(pipeline, judge) for pipeline in pipelines(command))


def _prints(stages: "list[SimpleCommand]", judge: "Callable[[str, SimpleCommand], bool]") -> bool:
    """True when ``judge`` finds a stage that prints files and every later one prints what it reads.

    The first stage reads files; so may a later one that runs another program on its input, such as ``xargs cat``.
    """
    if not stages[-1].prints:
        return False
    for index in range(len(stages) - 1, -1, -1):
        stage = stages[index]
        name = _name(stage)
        runs_another = name in _WRAPPERS
        if (index == 0 or runs_another) and judge(name, stage):
            return True
        if name not in _FILTERS and not (runs_another and not _FILTERS.isdisjoint(_inner_names(stage))):
            return False
    return False


def _name(command: "SimpleCommand") -> str:
    """The program that a simple command runs: keywords and assignments skipped, directories dropped, lower case.

    A shell itself prints what ``$(<file)`` reads.
    """
    for word in command.words:
        if word in _KEYWORDS or ("=" in word and word.split("=", 1)[0].replace("_", "a").isalnum()):
            continue
        return _program(word)
    return "cat" if command.reads and not command.words else ""


def _program(word: str) -> str:
    return word.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")


def _inner_names(command: "SimpleCommand") -> "list[str]":
    """All words of a command that runs another one, as names of programs, those within quoted words too.

    Where the inner command begins depends on the outer one's options, so any word may be its name.
    """
    return [_program(word) for word in " ".join(command.words[1:]).translate(_NO_SIGNS).split()]


def _shows_file(name: str, command: "SimpleCommand") -> bool:
    words = command.words
    if name in _WRAPPERS:
        return any(inner in _VIEWERS or inner in _EDITORS for inner in _inner_names(command))
    if name == "git":
        return _git_shows_file(words)
    if name in _EDITORS:
        return "-i" not in words
    return name in _FILTERS and name not in _SEARCHERS


def _searches_files(name: str, command: "SimpleCommand") -> bool:
    if name in _WRAPPERS:
        return not _SEARCHERS.isdisjoint(_inner_names(command))
    return name in _SEARCHERS or (name == "git" and "grep" in command.words)


def _git_shows_file(words: "list[str]") -> bool:
    """``git show REVISION:PATH`` and ``git cat-file -p`` print a file."""
    if "cat-file" in words or "blame" in words or "annotate" in words:
        return True
    return "show" in words and any(":" in word and not word.startswith("-") for word in words)


def reads_file(tool: str) -> bool:
    """True when an MCP tool's name says that it returns the text of files (``read_file``, ``getFileContents``)."""
    name = tool.rsplit("__", 1)[-1].replace("-", "_")
    parted = (
        "_" + char if before.islower() and char.isupper() else char
        for before, char in zip(" " + name, name, strict=False)
    )
    words = "".join(parted).lower().split("_")
    if len(words) == 1:
        return words[0] in ("cat", "view", "read", "open", "readfile", "viewfile")
    if _FILES.isdisjoint(words):
        return False
    return words[-2:] == ["get", "file"] or not _SHOWS.isdisjoint(words)
