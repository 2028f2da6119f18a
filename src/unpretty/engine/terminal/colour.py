r"""Texts whose subject is colour: without their codes they say something else, so they stay as they are.

The signs: two runs that each set a colour touch between letters or digits (``10`` in red, ``20`` in green, as a word
diff writes it) or one is red and one green (``"a"``, ``"b"``), two lines differ only in their codes, what follows the
plain marker of a diff is coloured (the codes then belong to what was compared), or blanks of several background
colours are in a line (a QR code, a palette). The codes are those of SGR in ECMA-48, with xterm's 256 and
true colours, and the addresses of links (OSC 8).
"""

from unpretty.engine.terminal.codes import ESC, VERTICAL, read_sequence

_MARKERS = "<>+- \t"
_PLAIN = ("", "", "")
_NUMBERS = "0123456789;:"
_LONGEST = 60  # characters of a code that is read fast
# Colours of deleted and added words: red and green.
_DELETED = ("31", "91", "41", "101")
_ADDED = ("32", "92", "42", "102")
# Which styles a code of SGR ends, apart from those that set or end a colour.
_ENDS = {
    "22": ("1", "2"), "23": ("3", "20"), "24": ("4", "21"), "25": ("5", "6"), "27": ("7",), "28": ("8",), "29": ("9",),
    "55": ("53",), "59": ("58",),
}  # fmt: skip
TYPE_CHECKING = False
if TYPE_CHECKING:
    Style = tuple[str, str, str]  # colour, background, all others


def is_subject(text: str) -> bool:
    """Tell whether ``text`` would say less without its colours and other text styles. Linear time.

    Raises:
        Undecidable: a sequence does more than move the cursor.
    """
    if ESC + "[" not in text and ESC + "]8;" not in text:
        return False
    return may_be_subject(text) and reads_as_subject(text)


def may_be_subject(text: str) -> bool:
    """Tell whether ``text`` needs ``reads_as_subject``: a few times faster, and False for most coloured texts.

    They hold no other codes than SGR, none between letters or digits, not both red and green where signs touch, one
    background at most, and their lines have no markers and do not become equal.
    """
    pieces = text.split(ESC)
    kept = [pieces[0]]
    last = pieces[0][-1:]
    codes: set[str] = set()
    signs_touch = False
    for i in range(1, len(pieces)):
        code, end, rest = pieces[i].partition("m")
        if code not in codes:
            if not end or code[:1] != "[" or code[1:].strip(_NUMBERS) or len(code) > _LONGEST:
                return True
            codes.add(code)
        if rest:
            if last.isalnum() and rest[0].isalnum():
                return True
            signs_touch = signs_touch or not (last.isspace() or rest[0].isspace())
            last = rest[-1]
            kept.append(rest)
    styles = [_changed(_PLAIN, code[1:])[0] for code in codes]
    if len({style[1] for style in styles if style[1]}) > 1:
        return True
    colours = {colour for style in styles for colour in style[:2]}
    if signs_touch and not colours.isdisjoint(_DELETED) and not colours.isdisjoint(_ADDED):
        return True
    return _may_become_equal("".join(kept).split("\n"), text.split("\n"))


def _may_become_equal(lines: "list[str]", coloured: "list[str]") -> bool:
    """Tell whether ``lines`` have markers, or may be equal where their ``coloured`` forms differ."""
    if not {line.lstrip(" \t")[:1] for line in lines}.isdisjoint("<>+-"):
        return True
    shown = [line for line in lines if line and not line.isspace()]
    distinct = {line.lstrip() for line in shown}
    if len(distinct) == len(shown):
        return False
    forms = {line for line in coloured if line and not line.isspace()}
    # Each form has one text, and each text one form, whose style ends with it.
    return len(forms) != len(distinct) or any(
        ESC in form and not form.rpartition(ESC)[2].startswith(("[m", "[0m")) for form in forms
    )


def reads_as_subject(text: str) -> bool:
    """Tell what ``is_subject`` tells, by reading all styles."""
    reader = _Reader()
    styles: dict[tuple[Style, str], tuple[Style, bool]] = {}
    style = _PLAIN
    pieces = text.split(ESC)
    if pieces[0]:
        reader.take(pieces[0], style)
    for i in range(1, len(pieces)):
        piece = pieces[i]
        code, end, rest = piece.partition("m")
        known = styles.get((style, code)) if end else None
        if known is None:
            length, kind = read_sequence(pieces, i)
            rest = piece[length:]
            if piece.startswith("]8;") and length:
                reader.link(piece[:length])
            if kind[0] == "" and piece[:1] == "[" and length == len(code) + 1 and end:
                known = styles[style, code] = _changed(style, code[1:])
            elif kind[0] not in ("", "K", "J"):
                reader.last = ""  # moved, or a broken code that is shown
                if kind[0] in VERTICAL:
                    reader.marked = False
        if known is not None:
            style, sets = known
            reader.sets = reader.sets or sets
        if rest and reader.take(rest, style):
            return True
    return reader.end_line()


def _changed(style: "Style", parameters: str) -> "tuple[Style, bool]":
    """Return the style after a code of SGR, and whether the code sets a colour."""
    if parameters[:1] in ("<", "=", ">", "?"):
        return style, False
    colour, background, others = style
    sets = False
    for number, value in _attributes(parameters):
        if not number:
            colour, background, others = _PLAIN
        elif number in ("39", "49"):
            colour, background = ("", background) if number == "39" else (colour, "")
        elif number[:-1] in ("3", "9"):
            colour, sets = value, True
        elif number[:-1] in ("4", "10"):
            background, sets = value, True
        elif len(number) <= 2:  # others are no styles, and few styles keep this linear
            gone = _ENDS.get(number, (number,))
            kept = [other for other in others.split(",") if other and other.partition(";")[0] not in gone]
            others = ",".join(sorted(kept if number in _ENDS else [*kept, value]))
    return (colour, background, others), sets


def _attributes(parameters: str) -> "list[tuple[str, str]]":
    """Split the parameters of SGR into attributes, each as its number, empty for a reset, and all of it."""
    found = []
    values = iter(parameters.split(";"))
    for first in values:
        value = first.replace(":", ";")
        if first in ("38", "48", "58"):  # the colour follows: 5;n or 2;r;g;b
            kind = next(values, "")
            value = ";".join([first, kind] + [next(values, "") for _ in range({"5": 1, "2": 3}.get(kind, 0))])
        number = value.partition(";")[0].lstrip("0")
        found.append((number, number + value[value.find(";") :] if ";" in value else number))
    return found


class _Reader:
    """Takes a text in runs of one style.

    ``last`` is the character before and ``style`` its style; ``sets`` says that a code set a colour since. ``plain``
    and ``styled`` hold the line so far without and with its styles, from its first character that is no marker;
    ``marked`` says that a marker without a style came before it, ``ground`` is the background of the line's first run
    of blanks that has one. ``seen`` gives the styled line for each plain one. ``before`` is the run before.
    """

    __slots__ = ("before", "ground", "last", "marked", "plain", "seen", "sets", "shown", "style", "styled")

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}
        self.last = self.before = ""
        self.style = _PLAIN
        self.sets = False
        self._begin_line()

    def _begin_line(self) -> None:
        self.plain: list[str] = []
        self.styled: list[str] = []
        self.shown = _PLAIN  # the style that the end of ``styled`` has
        self.marked = False
        self.ground = ""

    def link(self, code: str) -> None:
        """Note the address of a link, without its parameters, which may be random."""
        self.styled.append("\0" + code.rstrip("\a").split(";", 2)[-1] + "\0")

    def take(self, run: str, style: "Style") -> bool:
        """Read ``run``, which is not empty; True when it shows that colour is the subject."""
        if self.sets:
            self.sets = False
            coloured = self.last != "" and any(self.style[:2]) and any(style[:2])
            if coloured and ((self.last.isalnum() and run[0].isalnum()) or self._is_word_diff(run, style)):
                return True
        self.last = run[-1]
        self.before = run
        self.style = style
        if "\n" not in run:
            return self._take_part(run, style)
        first, *others = run.split("\n")
        if first and self._take_part(first, style):
            return True
        return any(self.end_line() or (part != "" and self._take_part(part, style)) for part in others)

    def _is_word_diff(self, run: str, style: "Style") -> bool:
        """Tell whether ``run`` and the one before, which touch, are red and green, not with a separator between."""
        if self.last.isspace() or self.last in ":=,;/|" or run[0].isspace():
            return False
        one, other = self.style[:2], style[:2]
        for old, new in zip(one, other, strict=True):
            if (old in _DELETED and new in _ADDED) or (old in _ADDED and new in _DELETED):
                words = self.before.rpartition("\n")[2], run.partition("\n")[0]
                return all(any(c.isalnum() for c in word) for word in words)
        return False

    def _take_part(self, part: str, style: "Style") -> bool:
        """Add ``part`` to the line; True when it is coloured text after a marker of a diff, or part of a picture."""
        if style[1] and not part.strip(" "):
            if self.ground and self.ground != style[1]:
                return True
            self.ground = style[1]
        if not self.plain:
            rest = part.lstrip(_MARKERS)
            if style == _PLAIN and part[:1] in _MARKERS and part[: len(part) - len(rest)].strip(" \t"):
                self.marked = True
            part = rest
            if not part:
                return False
        if style is not self.shown and style != self.shown:
            self.styled.append("\0" + "\1".join(style) + "\0")
            self.shown = style
        self.plain.append(part)
        self.styled.append(part)
        return self.marked and style != _PLAIN and not part.isspace()

    def end_line(self) -> bool:
        """End the line; True when an earlier one differs from it in nothing but codes."""
        plain, styled = "".join(self.plain), "".join(self.styled)
        self._begin_line()
        return plain.strip() != "" and self.seen.setdefault(plain, styled) != styled
