r"""Terminal noise: the text that a screen shows at the end, without the codes that drew it.

``reduce_noise`` removes colours, titles, links and cursor codes, and the progress text that later output wrote over.
What a terminal would show is the rule (ECMA-48 and xterm's control sequences), on a screen wide and tall enough.
Whatever is not certain stays: a line with a broken code, or one that depends on how wide a character is drawn, keeps
all its bytes; a text that addresses the screen (positions, alternate screen, scrolling) is declined as a whole.
So does what is no noise: a line in which text would vanish that is neither progress nor erased by a code
(``progress.py``), and a text whose subject is colour (``colour.py``).

A text without control bytes is never touched, and ``\r\n`` stays as it is: only a carriage return in the middle of a
line is a movement. Where something was written over or erased, blanks at the end of the line go; elsewhere they stay.
"""

from unpretty.engine.terminal.codes import ESC, Undecidable, strip_codes

# Characters that may draw, move or switch character sets in ways that differ between terminals: C0 but for BEL, BS,
# TAB, LF, CR and ESC, then DEL and C1. Lines that hold one and other codes stay as they are.
_ODD_ASCII = "".join(map(chr, [*range(7), 11, 12, *range(14, 27), *range(28, 32), 127]))
_ODD_C1 = "".join(map(chr, range(128, 160)))
# Clearing the screen before anything was written changes nothing: `clear`, watch modes.
_CLEARING = (ESC + "[H" + ESC + "[J", ESC + "[H", ESC + "[1;1H", ESC + "[2J", ESC + "[3J", ESC + "c")


def has_noise(text: str) -> bool:
    """Tell whether ``text`` holds a control code that ``reduce_noise`` looks at. Cheap: a few scans at memory speed."""
    return ESC in text or "\b" in text or "\a" in text or _has_lone_return(text)


def reduce_noise(text: str) -> "str | None":
    """Return what a screen shows at the end, or ``None`` when nothing changes or the text cannot be reduced exactly.

    The result is always shorter, in characters and in UTF-8 bytes, holds no character that the screen would not show,
    and is a fixed point: reducing it again returns ``None``. Time is linear in the length of the text. Never raises.
    """
    if not has_noise(text):
        return None
    drawn = _without_clearing(text)
    try:
        if _colour_is_subject(drawn):
            return None
        reduced = _reduce(drawn)
    except Undecidable:
        return None
    return reduced if len(reduced) < len(text) else None


def _colour_is_subject(text: str) -> bool:
    if ESC not in text:
        return False
    from unpretty.engine.terminal.colour import is_subject

    return is_subject(text)


def _has_lone_return(text: str) -> bool:
    return "\r" in text and text.count("\r") != text.count("\r\n")


def _without_clearing(text: str) -> str:
    start = 0
    while text.startswith(_CLEARING, start):
        start += next(len(code) for code in _CLEARING if text.startswith(code, start))
    return text[start:]


def _reduce(text: str) -> str:
    """Return ``text`` reduced, line by line unless it is only coloured or goes back to earlier lines.

    Raises:
        Undecidable: the text does more than move the cursor, or moves it to where is not certain.
    """
    moves_back = "\b" in text or _has_lone_return(text)
    odd = [c for c in (_ODD_ASCII if text.isascii() else _ODD_ASCII + _ODD_C1) if c in text]
    stripped, vertical = (None, False) if odd else strip_codes(text, moves_back=moves_back)
    if vertical:
        from unpretty.engine.terminal.screen import play

        if stripped is None:
            raise Undecidable
        return play(stripped)
    # Without any line feed carriage returns may be the line ends of an old text file.
    returns_move = "\n" in text or ESC in text
    if stripped is None:
        return "\n".join([_strip_line(line, odd, returns_move) for line in text.split("\n")])
    if not has_noise(stripped):
        return stripped
    return "\n".join([_show_line(line, returns_move) for line in stripped.split("\n")])


def _strip_line(line: str, odd: "list[str]", returns_move: bool) -> str:
    """Return what ``line`` shows, or ``line`` itself when it holds a broken code or one of the ``odd`` characters."""
    if not has_noise(line):
        return line
    stripped, vertical = strip_codes(line, moves_back="\b" in line or "\r" in line[:-1])
    if vertical:
        raise Undecidable
    return line if stripped is None or any(c in line for c in odd) else _show_line(stripped, returns_move)


def _show_line(line: str, returns_move: bool) -> str:
    """Return what ``line``, which has only movements left, shows; ``line`` itself when that is not certain."""
    body = line[:-1] if line[-1:] == "\r" else line
    if ESC not in body and "\b" not in body and not ("\r" in body and returns_move):
        return line
    from unpretty.engine.terminal.line import show

    shown = show(body)
    return line if shown is None or len(shown) > len(body) else shown + line[len(body) :]
