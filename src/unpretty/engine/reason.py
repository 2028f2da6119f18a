"""Why a tool result was converted or left alone: a closed set of codes, one line each.

The codes are plain strings, not an ``Enum``: importing ``enum`` costs the hook more than its work does.
The decision log, ``stats``, ``explain`` and the documentation all take what they say about a code from ``TABLE``.
"""


class Reason:
    """What is known about a code.

    Attributes:
        sentence: what it means, for people.
        eligible: unpretty may change a result with this reason, and found something to work on in it.
    """

    __slots__ = ("eligible", "sentence")

    def __init__(self, sentence: str, eligible: bool) -> None:
        self.sentence = sentence
        self.eligible = eligible


# By code, in the order of the documentation.
TABLE: "dict[str, Reason]" = {}


def define(code: str, sentence: str, *, eligible: bool = False, table: "dict[str, Reason]" = TABLE) -> str:
    """Add a reason to ``table``; its code."""
    table[code] = Reason(sentence, eligible)
    return code


def explanation(code: str, table: "dict[str, Reason]" = TABLE) -> str:
    """The sentence for ``code``, "" for one that this version does not know."""
    return table[code].sentence if code in table else ""


CONVERTED = define("converted", "The agent was offered a smaller result with the same meaning.", eligible=True)
DISABLED = define(
    "disabled", "unpretty is off: `enabled = false`, a config.toml with an error, or UNPRETTY=off in the environment."
)
EXCLUDED = define("excluded", "The tool, the command or the project is on an exclude list in the settings.")
BYPASSED = define("bypassed", "The command set UNPRETTY_RAW=1, which asks for the original output.")
BAD_PAYLOAD = define("bad_payload", "The agent's message was not the JSON object that a hook receives.")
UNSUPPORTED_TOOL = define("unsupported_tool", "The tool's results have no text that this agent lets a hook replace.")
FILE_VIEW = define("file_view", "The result shows a file, and a later edit must match the file's exact text.")
DIFF = define("diff", "The result is a diff, and a diff must keep every character.")
LINE_NUMBERED = define("line_numbered", "The result shows numbered lines, which point into a file.")
TOO_SMALL = define("too_small", "The result is too small for a saving that matters.")
NOT_JSON = define("not_json", "No line of the result starts a JSON object or array.")
INVALID_JSON = define("invalid_json", "The result looks like JSON but does not parse, so it was left exactly as it is.")
ALREADY_COMPACT = define("already_compact", "The JSON has no whitespace to remove.", eligible=True)
GAIN_TOO_SMALL = define("gain_too_small", "The saving would have been under the configured share.", eligible=True)
CUT_BY_HOST = define("cut_by_host", "The agent had already cut the result before the hook saw it.")
NO_PATHS = define("no_paths", "The text has no runs of lines that share a path.")
TOO_LARGE = define("too_large", "The result is larger than the hook is willing to work on.")
TOO_DEEP = define("too_deep", "The JSON is nested too deeply to be checked.", eligible=True)
OVER_BUDGET = define("over_budget", "The work took longer than its time budget.", eligible=True)
OVER_HOST_LIMIT = define(
    "over_host_limit", "The smaller result would still be over the agent's own limit.", eligible=True
)
HOST_CANNOT_REPLACE = define("host_cannot_replace", "This agent ignores a hook's replacement for this kind of call.")
EXIT_STATUS_UNKNOWN = define(
    "exit_status_unknown", "Replacing the result would have lost the command's exit status.", eligible=True
)
NOT_VERIFIED = define(
    "not_verified", "The check of the conversion did not come out equal, so the original was kept.", eligible=True
)
ERROR = define("error", "Something went wrong inside unpretty, so the original was kept.", eligible=True)
