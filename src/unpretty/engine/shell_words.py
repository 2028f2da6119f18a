"""The simple commands of a shell command line, by its text alone: nothing is expanded.

Quotes, escapes, comments, substitutions, redirections and here-documents are read as a POSIX shell reads them. What
bash would not accept is read as far as it goes, and each character a bounded number of times.
"""

# Everything else is a part of a word.
_SPECIAL = " \t\r\n;|&()`'\"\\#<>"
_BEFORE_COMMENT = " \t\r\n;|&()`"
_NO_QUOTES = {ord("'"): " ", ord('"'): " "}


class SimpleCommand:
    """One simple command.

    Attributes:
        words: its words without their quotes, redirections left out; a here-document is a word of its own.
        reads: its standard input is a file.
        prints: its standard output is not a file.
    """

    __slots__ = ("prints", "reads", "words")

    def __init__(self, *words: str) -> None:
        self.words = list(words)
        self.reads = False
        self.prints = True


def pipelines(text: str) -> "list[list[SimpleCommand]]":
    """The simple commands of ``text``, each list being one pipeline; those in substitutions and groups come too.

    What follows a substitution or a group begins with the word ``)``, in its place.
    """
    reader = _Reader(text)
    found = reader.read()
    if reader.unclosed >= 0:  # not as a shell would read it: no quote can be trusted from there on
        found += _Reader(text[reader.unclosed :].translate(_NO_QUOTES)).read()
    return found


class _Reader:
    """Reads from left to right; ``nesting`` holds what is open: ``"``, ``(`` or a backtick."""

    __slots__ = (
        "_all_ended", "_at", "_command", "_documents", "_found", "_nesting", "_target", "_text", "_word", "unclosed",
    )  # fmt: skip

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._command = SimpleCommand()
        self._found = [[self._command]]
        self._word: list[str] = []
        self._nesting: list[tuple[str, int]] = []
        # What the next word is the target of: "<", ">", another redirection ("&"), none; "<<": what ends a document.
        self._target = ""
        self._documents: list[tuple[SimpleCommand, str]] = []
        self._all_ended = True
        self.unclosed = -1

    def read(self) -> "list[list[SimpleCommand]]":
        """All pipelines; ``unclosed`` tells where a quote was opened that nothing closes."""
        text, size = self._text, len(self._text)
        while self._at < size:
            start = self._at
            quoted = bool(self._nesting) and self._nesting[-1][0] == '"'
            special = '"\\`$' if quoted else _SPECIAL
            while self._at < size and text[self._at] not in special:
                self._at += 1
            if self._at > start:
                self._word.append(text[start : self._at])
            if self._at < size:
                self._at += 1
                (self._in_quotes if quoted else self._outside)(text[self._at - 1])
        self._end_word()
        self.unclosed = next((at for char, at in self._nesting if char == '"'), -1)
        return self._found

    def _in_quotes(self, char: str) -> None:
        if char == '"':
            self._nesting.pop()
        elif char == "\\":
            self._escaped()
        elif char == "`":
            self._operator(char)
        elif self._text.startswith("(", self._at):
            self._at += 1
            self._operator("(")
        else:
            self._word.append(char)

    def _outside(self, char: str) -> None:
        if char in " \t\r":
            self._end_word()
        elif char == "\\":
            self._escaped()
        elif char == '"':
            self._nesting.append((char, self._at))
        elif char == "'":
            self._in_single_quotes()
        elif char == "#":
            if self._at > 1 and self._text[self._at - 2] not in _BEFORE_COMMENT:
                self._word.append(char)
            else:
                end = self._text.find("\n", self._at)
                self._at = end if end != -1 else len(self._text)
        elif char in "<>":
            self._redirect(char)
        else:
            self._operator(char)

    def _escaped(self) -> None:
        self._word.append(self._text[self._at : self._at + 1].replace("\n", ""))
        self._at += 1

    def _in_single_quotes(self) -> None:
        text, start = self._text, self._at
        end = text.find("'", start)
        if start > 1 and text[start - 2] == "$":  # $'...' knows escapes
            while end != -1 and _is_escaped(text, end):
                end = text.find("'", end + 1)
        if end != -1:  # an apostrophe without its fellow is one
            self._word.append(text[start:end])
            self._at = end + 1

    def _operator(self, char: str) -> None:
        self._end_word()
        self._target = ""
        if char == "|" and not self._text.startswith("|", self._at):
            self._at += self._text.startswith("&", self._at)
            self._command = SimpleCommand()
            self._found[-1].append(self._command)
            return
        closes = False
        if char in "()`":
            closes = self._nest(char)
        elif char == "\n":
            self._take_documents()
            if len(self._found[-1]) > 1 and not self._command.words:
                return  # a pipeline goes on after a line end
        else:
            self._at += self._text.startswith(char, self._at)
        self._command = SimpleCommand(")") if closes else SimpleCommand()
        self._found.append([self._command])

    def _nest(self, char: str) -> bool:
        """Open or close a group or a substitution; True when it was closed."""
        opened = self._nesting[-1][0] if self._nesting else ""
        if char == "(" or (char == "`" and opened != "`"):
            self._nesting.append((char, self._at))
            return False
        if opened:  # nothing is open after the pattern of a case
            self._nesting.pop()
        return True

    def _end_word(self) -> None:
        word = "".join(self._word)
        self._word = []
        if not word:
            return
        if not self._target:
            self._command.words.append(word)
        elif self._target == "<<":
            self._documents.append((self._command, word))
        elif self._target == ">" and (word == "/dev/null" or not word.startswith("/dev/")):
            self._command.prints = False
        self._target = ""

    def _redirect(self, char: str) -> None:
        handle = "".join(self._word)
        if handle.isdigit():
            self._word = []
        else:
            handle = ""
            self._end_word()
        rest = self._text[self._at : self._at + 2]
        sign = char + rest[: len(rest) - len(rest.lstrip("<>&|"))]
        self._at += len(sign) - 1
        if sign == "<<":
            self._at += self._text.startswith("-", self._at)
            self._target = "<<"
        elif sign == "<":
            self._target = "<"
            self._command.reads = True
        else:
            self._target = ">" if sign in (">", ">>", ">|") and handle in ("", "1") else "&"

    def _take_documents(self) -> None:
        """Give the here-documents that begin here to their commands; after one without an end none is looked for."""
        for command, mark in self._documents if self._all_ended else ():
            position = self._at
            while position < len(self._text):
                end = self._text.find("\n", position)
                end = end if end != -1 else len(self._text)
                if self._text[position:end].strip("\t\r") == mark:
                    command.words.append(self._text[self._at : position])
                    self._at = end
                    break
                position = end + 1
            else:
                self._all_ended = False
        self._documents = []


def _is_escaped(text: str, position: int) -> bool:
    """True when an odd number of backslashes is before ``position``."""
    first = position
    while text[first - 1] == "\\":
        first -= 1
    return (position - first) % 2 == 1
