"""Terminal control sequences: which are invisible, which move inside a line, which reach beyond it.

Sources: ECMA-48 (5th edition) and xterm's "Control Sequences" page. Built-in string methods only: this runs in the hook.
"""

ESC = "\x1b"

# Private modes that change nothing that was written: cursor keys, wrapping, blinking, cursor on/off, mouse, focus,
# meta key, bracketed paste, synchronized output, colour scheme reports.
_QUIET_MODES = frozenset(
    "1 7 12 25 1000 1001 1002 1003 1004 1005 1006 1007 1015 1016 1034 1035 1036 2004 2026 2027 2031 9001".split()
)
# Operating system commands without a place on the screen: titles, palette, folder, link, colours, shell marks.
_QUIET_OSC = frozenset("0 1 2 4 7 8 10 11 12 13 14 17 19 104 110 111 112 117 119 133 633".split())
# Final bytes of sequences that move or erase inside a line: CUF HPR CUB CHA HPA ECH DCH ICH EL ED.
_LINE_MOVES = frozenset("CaDG`XP@KJ")
# Final bytes that reach beyond the line: CUU CUD CNL CPL CUP HVP VPA VPR margins, scrolling, lines, save and restore, modes.
_FAR = frozenset("ABEFHfdersuSTLMhlg")
_INVISIBLE = ""
_MALFORMED = "malformed"
_PARAMETERS = "0123456789;:<=>?"
_INTERMEDIATE = " !\"#$%&'()*+,-./"


class Undecidable(Exception):  # noqa: N818  not an error: the text is left alone
    """The text uses the screen in a way that is not reduced here."""


def strip_codes(text: str) -> "str | None":
    """Return ``text`` without its invisible codes, or ``None`` when it holds any other or a broken one.

    The caller vouches that nothing in ``text`` moves the cursor back (no backspace, no lone carriage return): then
    erasing to the end of the line or screen changes nothing and counts as invisible too. Linear time.
    """
    pieces = text.split(ESC)
    kept = [pieces[0]]
    known: set[str] = set()
    in_string = False
    for piece in pieces[1:]:
        if in_string:
            if piece[:1] != "\\":
                return None
            in_string = False
            kept.append(piece[1:])
            continue
        tail = piece.lstrip("[0123456789;")
        head = piece[: len(piece) - len(tail) + 1]
        if head in known:
            kept.append(tail[1:])
        elif piece[:1] == "]":
            rest = _after_string(piece)
            if rest is None:
                return None
            in_string = rest == ESC
            if not in_string:
                kept.append(rest)
        else:
            length, kind = _sequence(piece)
            if kind != _INVISIBLE and piece[:length] not in ("[K", "[0K", "[J", "[0J"):
                return None
            if length == len(head):
                known.add(head)
            kept.append(piece[length:])
    return None if in_string else "".join(kept).replace("\a", "")


def tokens(line: str) -> "list[str | tuple[str, int]] | None":
    """Split ``line`` into text and movements ``(final byte, number)``; invisible codes are gone.

    Returns ``None`` when a sequence is broken or unknown: such a line stays as it is.
    Raises:
        Undecidable: a sequence reaches beyond the line.
    """
    pieces = line.split(ESC)
    found: list[str | tuple[str, int]] = [pieces[0]]
    broken = in_string = False
    for piece in pieces[1:]:
        if in_string:
            broken = broken or piece[:1] != "\\"
            in_string = False
            found.append(piece[1:])
        elif piece[:1] == "]":
            rest = _after_string(piece)
            in_string = rest == ESC
            if rest is None:
                broken = True
            elif not in_string:
                found.append(rest)
        else:
            length, kind = _sequence(piece)
            if kind == _MALFORMED:
                broken = True
            elif kind:
                found.append((kind, int(piece[1 : length - 1] or "0")))
            found.append(piece[length:])
    return None if broken or in_string else found


def _after_string(piece: str) -> "str | None":
    """Return what follows the operating system command that ``piece`` starts with, ``None`` when it is to stay.

    ``ESC`` as the result says that the command ends with the next escape character (``ESC \\``).
    """
    end = piece.find("\a")
    body = piece[1:] if end < 0 else piece[1:end]
    number = body.partition(";")[0]
    quiet = number in _QUIET_OSC or body.startswith("9;4;")  # 9;4 is the progress of a task bar
    if not quiet or not body.isprintable():
        return None
    return ESC if end < 0 else piece[end + 1 :]


def _sequence(piece: str) -> "tuple[int, str]":
    """Return length and kind of the sequence whose characters after the escape are the start of ``piece``.

    Kind is ``_INVISIBLE``, ``_MALFORMED`` or the final byte of a movement inside the line.
    Raises:
        Undecidable: the sequence reaches beyond the line.
    """
    first = piece[:1]
    if first == "[":
        tail = piece[1:].lstrip(_PARAMETERS)
        parameters = piece[1 : len(piece) - len(tail)]
        final = tail.lstrip(_INTERMEDIATE)[:1]
        middle = tail[: tail.find(final)] if final else ""
        if not final or not "@" <= final <= "~" or len(parameters) > 100:
            return 0, _MALFORMED
        return 1 + len(parameters) + len(middle) + 1, _csi_kind(parameters, middle, final)
    if first and first in "()":
        if piece[1:2] == "B":  # ASCII, as `tput sgr0` asks for
            return 2, _INVISIBLE
        raise Undecidable
    if first and first in "=>\\":  # keypad modes; the end of a string that was already over
        return 1, _INVISIBLE
    if first and first in "78cDEHMNOPX^_#*+-./":
        raise Undecidable
    return 0, _MALFORMED


def _csi_kind(parameters: str, middle: str, final: str) -> str:  # noqa: PLR0911  a table in words
    private = parameters[:1] if parameters[:1] in "<=>?" else ""
    if middle:
        # Cursor style and soft reset.
        return _INVISIBLE if (middle, final) in ((" ", "q"), ("!", "p")) else _MALFORMED
    if final == "m" or (final in "nc" and not parameters.strip("0123456789;?>=")):
        return _INVISIBLE
    if private:
        if final == "u":  # keyboard protocol
            return _INVISIBLE
        if private == "?" and final in "hl":
            if _QUIET_MODES.issuperset(parameters[1:].split(";")):
                return _INVISIBLE
            raise Undecidable
        return _MALFORMED
    if final == "t":
        return _INVISIBLE if parameters[:2] in ("22", "23") else _MALFORMED
    if final in _LINE_MOVES:
        if (parameters and not parameters.isdigit()) or len(parameters) > 6:
            return _MALFORMED
        if final == "J" and parameters.strip("0"):
            raise Undecidable
        if final == "K" and parameters not in ("", "0", "1", "2"):
            return _MALFORMED
        return final
    if final in _FAR:
        raise Undecidable
    return _MALFORMED
