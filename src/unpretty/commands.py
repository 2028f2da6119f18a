"""What a shell command prints, judged from its text.

The question is whether it shows a file that a later edit must match.

Only the text of the command is known, so the judgement leans to "yes": a result that is left alone costs tokens, a
result that no longer matches its file costs a failed edit.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The marker with which a model or a user asks for the original output of one command.
RAW_MARKER = "UNPRETTY_RAW=1"

# Programs that print files as they are. `git`, `sed` and `awk` have rules of their own.
_VIEWERS = frozenset(
    (
        *("cat", "tac", "head", "tail", "less", "more", "most", "bat", "batcat", "nl", "view", "pg", "strings"),
        *("zcat", "gzcat", "bzcat", "xzcat", "zless", "zmore", "type", "get-content", "gc"),
    )
)
# Programs that print lines of files.
_SEARCHERS = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"))
# Programs that hand on what they read, so that what stands before them in a pipe decides.
_FILTERS = (
    _VIEWERS
    | _SEARCHERS
    | {
        *("sed", "awk", "gawk", "mawk", "nawk", "cut", "tee", "sort", "uniq", "tr"),
        *("fold", "expand", "col", "colrm", "ts"),
    }
)
# Programs that run the rest of their words as a command.
_WRAPPERS = frozenset(
    (
        *("sudo", "doas", "env", "time", "nice", "ionice", "nohup", "timeout", "stdbuf", "command", "builtin", "exec"),
        *("xargs", "watch", "ssh", "docker", "podman", "kubectl", "find", "fd", "parallel", "bash", "sh", "zsh"),
        *("dash", "fish", "chroot", "setsid", "unbuffer", "script", "wsl", "busybox"),
    )
)
_SEPARATORS = (";", "&", "\n", "(", ")", "{", "}", "`")


def shows_file(command: str) -> bool:
    """True when ``command`` may print the text of a file as it is (``cat x``, ``head x``, ``sed -n 1,9p x``, ...)."""
    return any(_prints(pipeline, _command_shows_file) for pipeline in _pipelines(command))


def searches_files(command: str) -> bool:
    """True when ``command`` may print lines of files as they are (``grep``, ``rg``, ``git grep``, ...)."""
    return any(_prints(pipeline, _command_searches_files) for pipeline in _pipelines(command))


def _pipelines(command: str) -> "list[list[list[str]]]":
    """``command`` as pipelines of simple commands of words; quotes are honoured, nothing is expanded."""
    pipelines: list[list[list[str]]] = [[[]]]
    for token in _tokens(command):
        if token in _SEPARATORS:
            pipelines.append([[]])
        elif token == "|":  # noqa: S105
            if pipelines[-1][-1]:
                pipelines[-1].append([])
            else:  # the second bar of ||
                pipelines.append([[]])
        else:
            pipelines[-1][-1].append(token)
    return pipelines


def _tokens(command: str) -> "list[str]":
    """The words and operators of ``command``; ``||`` and ``&&`` come as two operators."""
    tokens: list[str] = []
    word: list[str] = []
    quote = ""
    position = 0
    while position < len(command):
        char = command[position]
        if quote:
            end = command.find(quote, position)
            end = len(command) if end == -1 else end
            word.append(command[position:end])
            quote = ""
            position = end
        elif char in "'\"":
            quote = char
            if command.startswith(char, position + 1):  # an empty string ends at once
                quote = ""
                position += 1
        elif char in " \t;|&\n(){}`":
            if word:
                tokens.append("".join(word))
                word = []
            if char not in " \t":
                tokens.append(char)
        elif char == "\\" and position + 1 < len(command):
            position += 1
            word.append(command[position])
        else:
            word.append(char)
        position += 1
    if word:
        tokens.append("".join(word))
    return tokens


def _prints(stages: "list[list[str]]", judge: "Callable[[list[str]], bool]") -> bool:
    """True when ``judge`` finds a stage that prints files and every later one hands on what it reads.

    The first stage reads files; so may a later one that runs another program on its input, such as ``xargs cat``.
    """
    for index in range(len(stages) - 1, -1, -1):
        name = _name(stages[index])
        if (index == 0 or name in _WRAPPERS) and judge(stages[index]):
            return True
        if name not in _FILTERS:
            return False
    return False


def _name(words: "list[str]") -> str:
    """The program that a simple command runs: assignments skipped, folders dropped, lower case."""
    for word in words:
        if "=" in word and word.split("=", 1)[0].replace("_", "a").isalnum():
            continue
        return word.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")
    return ""


def _command_shows_file(words: "list[str]") -> bool:
    name = _name(words)
    if name in _WRAPPERS:
        # Where the inner command begins depends on the wrapper's options, so any viewer among the words counts,
        # also inside a quoted command.
        inner = " ".join(words[1:]).split()
        return any(_name([word]) in _VIEWERS for word in inner) or "sed" in inner or "awk" in inner
    if name == "git":
        return _git_shows_file(words)
    if name in ("sed", "awk", "gawk", "mawk", "nawk"):
        return "-i" not in words
    return name in _VIEWERS


def _command_searches_files(words: "list[str]") -> bool:
    name = _name(words)
    if name in _WRAPPERS:
        return any(_name([word]) in _SEARCHERS for word in " ".join(words[1:]).split())
    return name in _SEARCHERS or (name == "git" and "grep" in words)


def _git_shows_file(words: "list[str]") -> bool:
    """``git show REVISION:PATH`` and ``git cat-file -p`` print a file."""
    if "cat-file" in words or "blame" in words or "annotate" in words:
        return True
    return "show" in words and any(":" in word and not word.startswith("-") for word in words)


def reads_file(tool: str) -> bool:
    """True when an MCP tool's name says that it hands out the text of files (``read_file``, ``get_file_contents``)."""
    name = tool.rsplit("__", 1)[-1].lower().replace("-", "_")
    words = name.split("_")
    if "file_content" in name or name in ("cat", "view", "read", "open", "readfile", "viewfile"):
        return True
    return ("file" in words or "files" in words) and any(verb in words for verb in ("read", "view", "open", "cat"))
