r"""Which text a later one may hide without loss: a state of a progress display that another state follows.

A carriage return is a movement for a progress bar and a line end for data (old text files, fields of databases, white
space of JSON), and nothing marks the difference. So a text that was written over may only go when it says itself that
it is progress: a percentage, a fraction, a time that is left, a spinner, a row of curl's table. And there must be two
states of the same thing, or blanks that wipe the one; a single sentence with a percentage in it is a sentence.
"""

WIDTH = 80  # columns; a longer line takes two rows of the narrowest usual terminal, and going back leaves the first one

_UNITS = frozenset(("b", "kb", "kib", "mb", "mib", "gb", "gib", "tb", "tib", "k", "m", "g", "byte", "bytes"))
_FAILURES = (
    *("error", "fail", "fatal", "warn", "panic", "exception", "denied", "refused", "abort", "cannot", "unable"),
    *("invalid", "not found", "timed out", "killed"),
)
_COUNTED = frozenset(("eta", "elapsed", "elapsed:", "remaining", "remaining:"))
_SPINNER = "|/-\\"
_BAR = _SPINNER + "=#>.*+~_ "
_SURE = "sure"
_DIGITS = "0123456789"
_ARRAY = "[]-+.,eE" + _DIGITS + "truefalsn \t"  # what arrays of numbers are made of
_BEFORE = ("", " ", "(", "[", ":", "=", "#", ">")
_AFTER = ("", " ", ")", "]", "[", ":", "=", "#", ">", "-")
# The last texts that were judged; few, since only the one before is asked for again.
_JUDGED: "dict[str, tuple[bool, str]]" = {}
_MOST_JUDGED = 8


def may_hide(lost: str, new: str, known: bool, redrawn: bool = False) -> "tuple[bool, bool]":
    """Tell whether ``new``, written from where ``lost`` began, may hide it, and whether both show the same thing.

    ``known`` says that ``lost`` itself showed the same thing as the text which it hid; ``redrawn`` that the program
    erased what came after ``lost`` when it wrote it, as one does with a line that changes. Linear time.
    """
    if _is_json(lost) or _is_json(new):
        return False, False
    if redrawn and not _names_failure(lost.lower()):
        return True, True
    same = not new.strip(" ") or _show_same(lost, new)
    if (same or known) and is_state(lost):
        return True, same
    begins = len(lost) < len(new) and new.startswith(lost.rstrip(" "))
    return same and (begins or _differ_in_spinner(lost, new)), same


def is_document(text: str) -> bool:
    """Tell whether a line begins with what may be a JSON document or a member of one; neither is erased."""
    start = text.lstrip()[:1]
    return (start in ("{", "[") and _is_json(text)) or (start == '"' and '":' in text)


def is_state(text: str) -> bool:
    """Tell whether ``text`` shows how far something has come, and neither names a failure nor is a row of a table."""
    return _judged(text)[0]


def _judged(text: str) -> "tuple[bool, str]":
    """Return whether ``text`` is a state, and its label; each text is asked for when it comes and when it goes.

    The total belongs to the label of a state that has nothing else: ``17/500`` and ``18/500`` are of the same thing.
    All words belong to the label where the sign is weak (a total, a time), and those in front of the sign where the
    text begins with a number, as rows of a table do.
    """
    found = _JUDGED.get(text)
    if found is None:
        if len(_JUDGED) >= _MOST_JUDGED:
            _JUDGED.clear()
        how = _says_how_far(text)
        label = _label(text)
        if how and how != _SURE:
            label += how + _letters(text)
        elif how and not label:
            label = " " + _letters(text[: max(text.find("%" if "%" in text else "/"), 0)])
        found = _JUDGED[text] = (how != "", label)
    return found


def _letters(text: str) -> str:
    return "".join([c for c in text if c.isalpha()])


def _says_how_far(text: str) -> str:
    """Return how a text shows how far something has come: empty when not, ``sure``, a total (``/500``), a time (``:``).

    The last two are weak: the marks of a school and the time of a runner look the same.
    """
    shown = text.strip(" ")
    if len(shown) <= 3 and shown and all(c in _BAR or _is_block(c) for c in shown):
        return _SURE
    if "%" not in text and "/" not in text and ":" not in text:
        return ""
    lowered = shown.lower()
    if _names_failure(lowered) or (shown[:1] == "|" and shown[-1:] == "|") or _has_fields(text):
        return ""
    if _has_percentage(text):
        return _SURE
    return _time(lowered) or _fraction(text)


def _names_failure(lowered: str) -> bool:
    return any(word in lowered for word in _FAILURES)


def _has_fields(text: str) -> bool:
    """Tell whether a mark that separates fields is between a letter and a letter or digit: ``1,grew 50%``."""
    for mark in ",;|":
        if mark not in text:
            continue
        parts = text.split(mark)
        for before, after in zip(parts, parts[1:], strict=False):
            sides = before[-1:] + after[:1]
            if len(sides) == 2 and sides.isalnum() and not sides.isdecimal():
                return True
    return False


def columns(text: str) -> int:
    """The number of columns that ``text`` takes at most on a terminal."""
    if text.isascii() and "\t" not in text:
        return len(text)
    wide = [c for c in set(text) if c >= "\u2e80" or "\u1100" <= c < "\u2000" or c == "\t"]
    return len(text) + sum([text.count(c) * (7 if c == "\t" else 1) for c in wide])


def _is_block(char: str) -> bool:
    return "\u2500" <= char <= "\u25ff" or "\u2800" <= char <= "\u28ff"


def _is_json(text: str) -> bool:
    """Tell whether ``text`` may be JSON or a piece of it; as such a percentage or a fraction is in quotes."""
    if '"' in text or "{" in text or "}" in text:
        return True
    return ("[" in text or "]" in text) and not text.strip(_ARRAY)


def _show_same(lost: str, new: str) -> bool:
    was_state, label = _judged(lost)
    state, new_label = _judged(new)
    if state:
        same = label == new_label and not (lost.startswith("- ") and new.startswith("- "))  # items of a list
    else:
        same = was_state and _ends_what_began(lost, new)
    return same or _differ_in_spinner(lost, new)


def _ends_what_began(lost: str, new: str) -> bool:
    """Tell whether ``new`` begins with the words of ``lost``, none of them after its percentage."""
    end = next((i for i, char in enumerate(lost) if char in _DIGITS), len(lost))
    words = lost[:end].rstrip(" ([")
    return "%" in lost and _letters(words) == _letters(lost) != "" and new.startswith(words)


def _label(text: str) -> str:
    """The first word in front of any number."""
    for word in text.split():
        if not word.isascii() and all(_is_block(c) for c in word):
            continue
        if any(c in _DIGITS for c in word):
            break
        if any(c.isalpha() for c in word):
            return word.strip("()[]:.,|")
    return ""


def _differ_in_spinner(lost: str, new: str) -> bool:
    """Tell whether both are the same words next to another sign of a spinner, or before another number of dots."""
    a, b = lost.strip(" "), new.strip(" ")
    if a == b or len(a) < 3 or len(b) < 3:
        return False
    for at, inner, start, end in ((0, 1, 1, None), (-1, -2, None, -1)):
        signs = a[at] + b[at]
        if all(c in _SPINNER or _is_block(c) for c in signs) and a[inner] == " " and a[start:end] == b[start:end]:
            return True
    words = a.rstrip(".")
    return words == b.rstrip(".") and words[-1:].isalpha()


def _has_percentage(text: str) -> bool:
    parts = text.split("%")
    for i in range(len(parts) - 1):
        before, number = _number_at_end(parts[i].removesuffix(" "))
        if not number or float(number) > 100 or not _begins_word(before):
            continue
        if not _is_cell(before) and _ends_word(parts[i + 1]):
            return True
    return False


def _begins_word(before: str) -> bool:
    sign = before[-1:]
    return sign in _BEFORE or _is_block(sign) or before.endswith("..")


def _ends_word(after: str) -> bool:
    sign, following = after[:1], after[1:2]
    if sign == "|":  # a bar follows, no further field
        return following in _BAR or _is_block(following)
    if sign in (",", ".", ";"):
        return following in ("", " ")
    return sign in _AFTER or _is_block(sign)


def _is_cell(before: str) -> bool:
    """Tell whether what follows ``before`` is a field of its own: a mark that separates fields is in front."""
    text = before.rstrip(" ")
    if text[-1:] != "|":
        return text[-1:] in (",", ";", "\t") and text != ""
    bar = text[:-1].rpartition("|")[2]
    return len(bar) < 5 or not all(c in _BAR or _is_block(c) for c in bar)


def _number_at_end(text: str) -> "tuple[str, str]":
    """Split ``text`` into what comes before the number at its end, and the number, which may be empty."""
    before = text.rstrip(_DIGITS)
    if before[-1:] == "." and before[-2:-1].isdecimal() and len(before) < len(text):
        before = before[:-1].rstrip(_DIGITS)
    number = text[len(before) :]
    return (before, number) if number.isascii() and len(number) <= 16 else (text, "")


def _number_at_start(text: str) -> "tuple[str, str]":
    """Split ``text`` into the number at its start, which may be empty, and what follows."""
    after = text.lstrip(_DIGITS)
    if after[:1] == "." and after[1:2].isdecimal() and len(after) < len(text):
        after = after[1:].lstrip(_DIGITS)
    number = text[: len(text) - len(after)]
    return (number, after) if len(number) <= 16 else ("", text)


def _fraction(text: str) -> str:
    """Return ``sure`` for ``(3/9)``, ``1.2/3.4 MB`` or ``3/9`` after a bar, ``/500`` for ``17/500``; no dates."""
    parts = text.split("/")
    total = ""
    for i in range(len(parts) - 1):
        left = parts[i].removesuffix(" ")
        unit = left[len(left.rstrip("BKMGTbikmgtyes")) :]
        left = left[: len(left) - len(unit)].removesuffix(" ")
        before, part = _number_at_end(left)
        whole, after = _number_at_start(parts[i + 1].removeprefix(" "))
        if not part or not whole or (unit and unit.lower() not in _UNITS):
            continue
        is_chain = (i > 0 and not before) or (i + 2 < len(parts) and not after)  # 3/9/2024
        if is_chain or not _begins_word(before) or _is_cell(before):
            continue
        if _is_sized(after):
            return _SURE
        if unit or float(part) > float(whole) or not _ends_word(after) or _is_month(part, whole):
            continue
        if before.endswith(("(", "[")) or after.startswith((")", "]")) or _ends_in_bar(before.rstrip(" ")):
            return _SURE
        if float(whole) >= 100:  # more than a date holds
            total = "/" + whole
    return total


def _is_sized(after: str) -> bool:
    word = after.removeprefix(" ").lower()
    letters = word[: len(word) - len(word.lstrip("bkmgtiyes"))]
    if len(letters) == 1 and after[:1] == " ":  # 3/4 m of cable
        return False
    return letters in _UNITS and not word[len(letters) : len(letters) + 1].isalnum()


def _is_month(part: str, whole: str) -> bool:
    return float(part) <= 12 and 1900 <= float(whole) <= 2100


def _ends_in_bar(text: str) -> bool:
    """Tell whether ``text`` ends in a bar between brackets or upright lines, or of block characters."""
    if text[-1:] in ("]", "|"):
        inner = text[:-1].rpartition("[" if text[-1] == "]" else "|")[2]
        return len(inner) >= 3 and all(c in _BAR or _is_block(c) for c in inner)
    return text != "" and _is_block(text[-1])


def _time(lowered: str) -> str:
    """Return ``sure`` for a row of curl's table, ``:`` for a time that is left or has passed, no time of a log line."""
    if "--:--" in lowered:
        return _SURE
    if ":" not in lowered:
        return ""
    words = lowered.split()
    times = [word for word in words if all(map(_is_time, word.strip("()[],").split("<")))]
    if len(words) == 12 and len(times) == 3:  # curl
        return _SURE
    has_rate = lowered.endswith(("/s]", "/it]")) or "/s, " in lowered or "/it, " in lowered
    counts = bool(times) and not _COUNTED.isdisjoint(words)
    counts = counts or any(
        "<" in time or (len(time) == 7 and time[0] == "0") or (has_rate and time[0] + time[-1] == "[,")
        for time in times
    )
    return ":" if counts else ""


def _is_time(word: str) -> bool:
    fields = word.split(":")
    return len(fields) in (2, 3) and all(len(field) <= 2 and field.isdecimal() for field in fields)
