"""Terminal control sequences: which are invisible, which move inside a line or between lines, which do more.

Sources: ECMA-48 (5th edition) and xterm's "Control Sequences" page. Built-in string methods only: the hook runs this.
"""

ESC = "\x1b"
# Final bytes that move between lines: CUU CUD CNL CPL.
VERTICAL = "ABEF"

# Private modes that change nothing that was written: cursor keys, wrapping, blinking, cursor on and off, mouse, focus,
# meta key, bracketed paste, synchronized output, colour scheme reports.
_QUIET_MODES = frozenset(
    {"1", "7", "12", "25", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1007", "1015", "1016"}
    | {"1034", "1035", "1036", "2004", "2026", "2027", "2031", "9001"}
)
# Operating system commands without a place on the screen: titles, palette, directory, link, colours, shell marks.
_QUIET_COMMANDS = frozenset(
    {"0", "1", "2", "4", "7", "8", "10", "11", "12", "13", "14", "17", "19", "104", "110", "111", "112", "117", "119"}
    | {"133", "633"}
)
# Final bytes that move or erase inside a line, as far as this library goes: CUF HPR CUB CHA HPA ECH DCH ICH EL ED.
_LINE_MOVES = "CaDG`XP@KJ"
# Final bytes that do more: CUP HVP VPA VPR, margins, scrolling, whole lines, save and restore, modes, tabs, repetition.
_FAR = "HfdersuSTLMhlgb"
_PARAMETERS = "0123456789;:<=>?"
_INTERMEDIATE = " !\"#$%&'()*+,-./"
_LONGEST = 64  # characters; a longer sequence is no sequence

# What a sequence does: nothing to see, something broken or unknown, or ``(final byte, number)``.
_INVISIBLE = ("", 0)
_BROKEN = ("?", 0)
# With nothing to the right of the cursor these change nothing: EL and ED.
_TO_THE_RIGHT = (("K", 0), ("J", 0))
# Sequences that were read before, by their characters after the escape. Few in real text; emptied when there are many.
_SEEN: "dict[str, tuple[str, int]]" = {}
_MOST_SEEN = 500


class Undecidable(Exception):
    """The text uses the screen in a way that is not reduced here."""


def strip_codes(text: str, *, moves_back: bool) -> "tuple[str | None, bool]":
    """Return ``text`` without its invisible codes, and whether a code moves between lines. Linear time.

    The text is ``None`` when a sequence is broken or unknown. Movements stay, but for erasing to the right where
    nothing else moves: that changes nothing. ``moves_back`` says that carriage returns or backspaces do move. Where
    something moves, erasing directly after a colour counts as unknown: grep and gcc write it with each colour, in
    whatever text they print, so it does not say that the text was to go.

    Raises:
        Undecidable: a sequence does more than move the cursor.
    """
    pieces = text.split(ESC)
    kept = [pieces[0]]
    erasers: list[int] = []
    colours: set[str] = set()
    broken = vertical = coloured = False
    for i in range(1, len(pieces)):
        piece = pieces[i]
        code, end, rest = piece.partition("m")
        if code in colours and end:  # most codes by far
            kept.append(rest)
            continue
        length, kind = read_sequence(pieces, i)
        if kind is _INVISIBLE:
            if length == len(code) + 1 and piece[:1] == "[":
                colours.add(code)
        elif kind in _TO_THE_RIGHT:
            erasers.append(len(kept))
            coloured = coloured or (kept[-1] == "" and pieces[i - 1][:1] == "[" and pieces[i - 1][-1] == "m")
            kept.append(ESC + piece[:length])
        else:
            broken = broken or kind is _BROKEN
            vertical = vertical or kind[0] in VERTICAL
            moves_back = True
            length = 0
            kept.append(ESC)
        kept.append(piece[length:])
    if broken or (coloured and moves_back):
        return None, vertical
    if not moves_back:
        for i in erasers:
            kept[i] = ""
    return "".join(kept).replace("\a", ""), vertical


def tokens(line: str) -> "list[str | tuple[str, int]]":
    """Split ``line``, which ``strip_codes`` gave, into text and movements ``(final byte, number)``."""
    pieces = line.split(ESC)
    found: list[str | tuple[str, int]] = [pieces[0]] if pieces[0] else []
    for i in range(1, len(pieces)):
        length, kind = read_sequence(pieces, i)
        found.append(kind)
        if len(pieces[i]) > length:
            found.append(pieces[i][length:])
    return found


def read_sequence(pieces: "list[str]", i: int) -> "tuple[int, tuple[str, int]]":
    """Return length and kind of the sequence at the start of ``pieces[i]``, which followed an escape character.

    Raises:
        Undecidable: the sequence does more than move the cursor.
    """
    piece = pieces[i]
    first = piece[:1]
    if first == "[":
        return _control_sequence(piece)
    if first == "]":
        return _command(piece, pieces[i + 1] if i + 1 < len(pieces) else "")
    if piece[:2] in ("(B", ")B"):  # ASCII, as `tput sgr0` asks for
        return 2, _INVISIBLE
    if first in ("=", ">", "\\"):  # keypad modes; the end of a command
        return 1, _INVISIBLE
    if first and first in "()78cDEHMNOPX^_#*+-./":
        raise Undecidable
    return 0, _BROKEN


def _command(piece: str, following: str) -> "tuple[int, tuple[str, int]]":
    r"""Read an operating system command, which BEL ends or the next escape character with a backslash (ST)."""
    end = piece.find("\a")
    body = piece[1:] if end < 0 else piece[1:end]
    quiet = body.partition(";")[0] in _QUIET_COMMANDS or body.startswith("9;4;")  # 9;4 is the progress of a task bar
    if not quiet or not body.isprintable() or (end < 0 and following[:1] != "\\"):
        return 0, _BROKEN
    return len(piece) if end < 0 else end + 1, _INVISIBLE


def _control_sequence(piece: str) -> "tuple[int, tuple[str, int]]":
    tail = piece[1:_LONGEST].lstrip(_PARAMETERS)
    end = min(_LONGEST, len(piece)) - len(tail) + 1
    code = piece[:end]
    kind = _SEEN.get(code)
    if kind is None:
        final = tail.lstrip(_INTERMEDIATE)[:1]
        if not final or not "@" <= final <= "~":
            return 0, _BROKEN
        start, end = end - 1, piece.index(final, end - 1) + 1
        kind = _kind(piece[1:start], piece[start : end - 1], final)
        if end == len(code):
            if len(_SEEN) >= _MOST_SEEN:
                _SEEN.clear()
            _SEEN[code] = kind
    return (0, _BROKEN) if kind is _BROKEN else (end, kind)


def _kind(parameters: str, middle: str, final: str) -> "tuple[str, int]":
    if middle:  # cursor style and soft reset
        return _INVISIBLE if (middle, final) in ((" ", "q"), ("!", "p")) else _BROKEN
    if final == "m" or (final in "nc" and not parameters.strip("0123456789;?>=")):  # colour; questions to the terminal
        return _INVISIBLE
    if parameters[:1] in ("<", "=", ">", "?"):
        return _private_kind(parameters, final)
    if final == "t":  # keep and restore the title
        return _INVISIBLE if parameters[:2] in ("22", "23") else _BROKEN
    if final in _FAR or (final == "J" and parameters.strip("0")):
        raise Undecidable
    is_move = final in _LINE_MOVES or final in VERTICAL
    if not is_move or len(parameters) > 6 or (parameters and not parameters.isdigit()):
        return _BROKEN
    number = int(parameters or "0")
    return _BROKEN if final == "K" and number > 2 else (final, number)


def _private_kind(parameters: str, final: str) -> "tuple[str, int]":
    if final == "u":  # keyboard protocol
        return _INVISIBLE
    if parameters[0] != "?" or final not in "hl":
        return _BROKEN
    if _QUIET_MODES.issuperset(parameters[1:].split(";")):
        return _INVISIBLE
    raise Undecidable
