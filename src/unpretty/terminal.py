"""Terminal noise: the text that a screen shows at the end, without the codes that drew it.

``reduce_noise`` removes colours, titles, links and cursor codes, and the progress text that later output on the same
line wrote over. What a terminal would show is the rule (ECMA-48 and xterm's control sequences), on a screen wide and
tall enough. Whatever is not certain stays: a line that depends on how wide a character is drawn keeps all its bytes, a
text that addresses the screen (cursor to a position, alternate screen, scrolling) is declined as a whole.

A text without control bytes is never touched, and ``\\r\\n`` stays as it is: only a carriage return in the middle of a
line is a movement. On a line that was written over, blanks at the end go; on all others they stay.
"""

from unpretty.terminal_codes import ESC, Undecidable, strip_codes, tokens
from unpretty.terminal_line import edit

# Characters that may draw, move or switch character sets in ways that differ between terminals: C0 but for BEL, BS,
# TAB, LF, CR and ESC, then DEL and C1. Lines that hold one next to other codes stay as they are.
_ODD_ASCII = "".join(map(chr, [*range(7), 11, 12, *range(14, 27), *range(28, 32), 127]))
_ODD_C1 = "".join(map(chr, range(128, 160)))


def has_noise(text: str) -> bool:
    """Tell whether ``text`` holds a control code that ``reduce_noise`` looks at. Cheap: a few scans at memory speed."""
    return ESC in text or "\b" in text or "\a" in text or ("\r" in text and text.count("\r") != text.count("\r\n"))


def reduce_noise(text: str) -> "str | None":
    """Return what a screen shows at the end, or ``None`` when nothing changes or the text cannot be reduced exactly.

    The result is always shorter, in characters and in UTF-8 bytes, holds no character that the screen would not show,
    and is a fixed point: reducing it again returns ``None``. Time is linear in the length of the text. Never raises.
    """
    if not has_noise(text):
        return None
    try:
        reduced = _reduce(text)
    except Undecidable:
        return None
    return reduced if len(reduced) < len(text) else None


def _reduce(text: str) -> str:
    odd = [c for c in (_ODD_ASCII if text.isascii() else _ODD_ASCII + _ODD_C1) if c in text]
    if not odd and not _moves_back(text):
        # The common case, coloured text: nothing is ever written over, so lines need no looking at.
        stripped = strip_codes(text)
        if stripped is not None:
            return stripped
    # Without any line feed carriage returns may be the line ends of an old text file.
    is_lines = "\n" in text
    reduced = []
    for line in text.split("\n"):
        end = "\r" if line[-1:] == "\r" else ""
        body = line[:-1] if end else line
        if not has_noise(body) or any(c in line for c in odd) or not (is_lines or "\r" not in body or ESC in body):
            # Codes that reach beyond a line matter on every line, odd or not.
            if odd and ESC in body:
                tokens(body)
            reduced.append(line)
        else:
            reduced.append(_reduce_line(body) + end)
    return "\n".join(reduced)


def _moves_back(text: str) -> bool:
    return "\b" in text or ("\r" in text and text.count("\r") != text.count("\r\n"))


def _reduce_line(line: str) -> str:
    """Return what ``line``, without its line end, shows; the line itself when that cannot be told exactly."""
    shown = None
    if "\b" not in line and "\r" not in line:
        shown = strip_codes(line)
    if shown is None:
        parts = tokens(line)
        shown = None if parts is None else edit(parts, len(line))
    return line if shown is None or len(shown) > len(line) else shown
