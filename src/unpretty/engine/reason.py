"""Why a tool result was converted or left alone: a closed set of codes, one sentence each.

The codes are plain strings, not an ``Enum``: importing ``enum`` costs the hook more than its work does.
The decision log, ``stats``, ``explain`` and the documentation all take their words from ``EXPLANATIONS``.
"""

CONVERTED = "converted"
DISABLED = "disabled"
EXCLUDED = "excluded"
BYPASSED = "bypassed"
BAD_PAYLOAD = "bad_payload"
UNSUPPORTED_TOOL = "unsupported_tool"
FILE_VIEW = "file_view"
DIFF = "diff"
LINE_NUMBERED = "line_numbered"
TOO_SMALL = "too_small"
NOT_JSON = "not_json"
INVALID_JSON = "invalid_json"
ALREADY_COMPACT = "already_compact"
GAIN_TOO_SMALL = "gain_too_small"
CUT_BY_HOST = "cut_by_host"
NO_NOISE = "no_noise"
NO_PATHS = "no_paths"
TOO_LARGE = "too_large"
TOO_DEEP = "too_deep"
OVER_BUDGET = "over_budget"
OVER_HOST_LIMIT = "over_host_limit"
HOST_CANNOT_REPLACE = "host_cannot_replace"
EXIT_STATUS_UNKNOWN = "exit_status_unknown"
NOT_VERIFIED = "not_verified"
ERROR = "error"

EXPLANATIONS: dict[str, str] = {
    CONVERTED: "The agent was offered a smaller result with the same meaning.",
    DISABLED: "unpretty is off: `enabled = false`, a config.toml with a fault, or UNPRETTY=off in the environment.",
    EXCLUDED: "The tool, the command or the project is on an exclude list in the settings.",
    BYPASSED: "The command set UNPRETTY_RAW=1, which asks for the original output.",
    BAD_PAYLOAD: "The agent's message was not the JSON object that a hook receives.",
    UNSUPPORTED_TOOL: "The tool's results have no text that this agent lets a hook replace.",
    FILE_VIEW: "The result shows a file, and a later edit must match the file's exact text.",
    DIFF: "The result is a diff, and a diff must keep every character.",
    LINE_NUMBERED: "The result shows numbered lines, which point into a file.",
    TOO_SMALL: "The result is too small for a saving that matters.",
    NOT_JSON: "No line of the result starts a JSON object or array.",
    INVALID_JSON: "The result looks like JSON but does not parse, so it was left exactly as it is.",
    ALREADY_COMPACT: "The JSON has no white space to remove.",
    GAIN_TOO_SMALL: "The saving would have been under the configured share.",
    CUT_BY_HOST: "The agent had already cut the result before the hook saw it.",
    NO_NOISE: "The text has no terminal control codes to remove.",
    NO_PATHS: "The text has no runs of lines that share a path.",
    TOO_LARGE: "The result is larger than the hook is willing to work on.",
    TOO_DEEP: "The JSON is nested too deeply to be checked.",
    OVER_BUDGET: "The work took longer than its time budget.",
    OVER_HOST_LIMIT: "The smaller result would still be over the agent's own limit.",
    HOST_CANNOT_REPLACE: "This agent ignores a hook's replacement for this kind of call.",
    EXIT_STATUS_UNKNOWN: "Replacing the result would have lost the command's exit status.",
    NOT_VERIFIED: "The check of the conversion did not come out equal, so the original was kept.",
    ERROR: "Something went wrong inside unpretty, so the original was kept.",
}
