"""What the caller of the engine knows about a text, in words that name no agent."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # Given a minified document and its context: the name of an encoding and the document in it.
    Choose = Callable[[str, "Context"], tuple[str, str]]

SHELL = "shell"
SEARCH = "search"
MCP = "mcp"
FILE = "file"
OTHER = "other"


class Context:
    """Where a text comes from and what its reader accepts.

    Attributes:
        kind: ``SHELL``, ``SEARCH``, ``MCP``, ``FILE`` or ``OTHER``.
        command: the command that was run, in a shell or by an MCP tool; empty when there is none.
        cut: the host cut the text before we saw it.
        frame_chars: characters of a frame that the host put before the text, on its first line.
        max_chars: the host shows at most this many characters, ``None`` for no limit.
        max_bytes: the host shows at most this many UTF-8 bytes, ``None`` for no limit.
        max_line_bytes: the host drops a line longer than this many UTF-8 bytes, ``None`` for no limit.
        choose: chooses the encoding of each JSON document, ``None`` for minified JSON only. What it returns has been
            proven to lead back to the document. It may raise RecursionError.
        min_bytes: texts under this many UTF-8 bytes are left alone.
        min_gain: smallest share (0..1) of bytes that a conversion must save.
        max_input_bytes: texts over this many UTF-8 bytes are left alone.
        budget_seconds: time after which the work is given up.
        noise: reduce terminal control codes.
        paths: fold repeated paths.
    """

    __slots__ = (
        "budget_seconds", "choose", "command", "cut", "frame_chars", "kind", "max_bytes", "max_chars",
        "max_input_bytes", "max_line_bytes", "min_bytes", "min_gain", "noise", "paths",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913  one keyword per fact, all optional
        self,
        kind: str = OTHER,
        *,
        command: str = "",
        cut: bool = False,
        frame_chars: int = 0,
        max_chars: "int | None" = None,
        max_bytes: "int | None" = None,
        max_line_bytes: "int | None" = None,
        choose: "Choose | None" = None,
        min_bytes: int = 512,
        min_gain: float = 0.02,
        max_input_bytes: int = 64 << 20,
        budget_seconds: float = 5.0,
        noise: bool = False,
        paths: bool = False,
    ) -> None:
        self.kind = kind
        self.command = command
        self.cut = cut
        self.frame_chars = frame_chars
        self.max_chars = max_chars
        self.max_bytes = max_bytes
        self.max_line_bytes = max_line_bytes
        self.choose = choose
        self.min_bytes = min_bytes
        self.min_gain = min_gain
        self.max_input_bytes = max_input_bytes
        self.budget_seconds = budget_seconds
        self.noise = noise
        self.paths = paths


def byte_length(text: str) -> int:
    """Length of ``text`` in UTF-8 bytes; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def over_limits(text: str, context: Context) -> bool:
    """True when the host would cut ``text``, or drop a line of it."""
    if context.max_chars is not None and len(text) > context.max_chars:
        return True
    if context.max_bytes is not None and byte_length(text) > context.max_bytes:
        return True
    limit = context.max_line_bytes
    return limit is not None and any(byte_length(line) > limit for line in text.split("\n"))
