"""Edits JSON and JSONC files by splicing text, so that every byte outside the edited entry stays as it was.

A file is never serialised again: comments, a byte order mark, CRLF, tabs, odd spacing, trailing commas and the order of
keys survive. New text takes the file's own indentation and line ending. Removing what was just added gives back the
identical text; where the layout alone could not tell (whitespace inside an empty pair of brackets), adding keeps that
whitespace and puts its own line breaks in front of it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from unpretty.errors import UnprettyError
from unpretty_installer.edit.json_tree import (
    SPACE,
    Item,
    JsonSyntaxError,
    Node,
    comment_end,
    parse,
    skip_spaces,
    value_of,
)

JsonPath = Sequence[str | int]
Splice = tuple[int, int, str]  # replace text[start:end] by this

__all__ = ["JsonDocument", "JsonSyntaxError"]


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A JSON text and its tree. Every edit returns a new document; a path is a sequence of keys and indexes."""

    text: str
    root: Node
    name: str = "JSON"
    strict: bool = False

    @classmethod
    def read(cls, data: bytes | None, *, name: str = "JSON", strict: bool = False) -> "JsonDocument":
        """Parse the bytes of a file. A missing, empty or blank file counts as ``{}``.

        Args:
            data: the file's bytes (UTF-8, with or without a byte order mark), or None when there is no file.
            name: what error messages call the file, usually its path.
            strict: refuse comments and trailing commas, for clients that cannot read them.

        Raises:
            JsonSyntaxError: the text does not parse; the message says at which line and column.
            UnprettyError: the bytes are not UTF-8.
        """
        try:
            text = (data or b"").decode("utf-8")
        except UnicodeDecodeError as exc:
            raise UnprettyError(f"{name} is not UTF-8 text (byte {exc.start}).", code="invalid_json") from None
        root = parse(text, name=name, strict=strict)
        if root is None:
            end_of_line = "\n" if text and not text.endswith(("\n", "\r")) and text != "\ufeff" else ""
            text = f"{text}{end_of_line}{{}}{_line_ending(text)}"
        return cls._of(text, name, strict)

    @classmethod
    def _of(cls, text: str, name: str, strict: bool) -> "JsonDocument":
        root = parse(text, name=name, strict=strict)
        assert root is not None
        return cls(text, root, name, strict)

    def to_bytes(self) -> bytes:
        """The document as UTF-8 bytes."""
        return self.text.encode("utf-8")

    def value(self, path: JsonPath = ()) -> object:
        """The value at ``path`` as plain Python values, None when there is none (or it is ``null``)."""
        node = self.node(path)
        return None if node is None else value_of(self.text, node)

    def node(self, path: JsonPath) -> Node | None:
        """The node at ``path``, or None."""
        item = self._item(path)
        return self.root if not path else (item.node if item else None)

    def append(self, path: JsonPath, value: object, key: str | None = None) -> "JsonDocument":
        """Add ``value`` as the last element of the array at ``path``, or as the last member of the object there."""
        node = self._container(path, key)
        if not node.items:
            return self._spliced(self._fill_empty(node, value, key))
        last = node.items[-1]
        after = last.node.end if last.comma is None else last.comma + 1
        position, line_comment = _rest_of_line(self.text, after)
        lead, new = self._laid_out(node, value, key, own_line=line_comment)
        if last.comma is not None:
            return self._spliced([(position, position, f"{lead}{new},")])
        return self._spliced([(after, after, ","), (position, position, lead + new)])

    def prepend(self, path: JsonPath, value: object) -> "JsonDocument":
        """Add ``value`` as the first element of the array at ``path``."""
        node = self._container(path, None)
        if not node.items:
            return self._spliced(self._fill_empty(node, value, None))
        inside = node.start + 1
        position, line_comment = _rest_of_line(self.text, inside)
        if line_comment or self._is_multiline(node):
            lead, new = self._laid_out(node, value, None, own_line=True)
            return self._spliced([(position, position, f"{lead}{new},")])
        padding = self.text[inside : skip_spaces(self.text, inside)]
        lead, new = self._laid_out(node, value, None)
        return self._spliced([(inside, inside, f"{padding}{new}," if padding else f"{new},{lead}")])

    def replace(self, path: JsonPath, value: object) -> "JsonDocument":
        """Put ``value`` in place of the one at ``path``."""
        item = self._item(path)
        if item is None:
            raise KeyError(path)
        node = item.node
        indent = None
        if "\n" in self.text[node.start : node.end] or (not node.items and not self._is_inline()):
            indent = self._line_indent(item.start)
        return self._spliced([(node.start, node.end, self._rendered(value, indent))])

    def remove(self, path: JsonPath) -> "JsonDocument":
        """Take out the member or element at ``path`` together with its comma and the whitespace in front of it."""
        parent, item = self.node(path[:-1]), self._item(path)
        if parent is None or item is None:
            raise KeyError(path)
        text, at = self.text, parent.items.index(item)
        previous = parent.items[at - 1].comma if at else parent.start
        assert previous is not None
        start, line_comment = _last_comment(text, previous + 1)
        end = item.node.end
        before: list[Splice] = []
        after: list[Splice] = []
        if item.comma is not None:
            leads = start == item.start and at == 0 and len(parent.items) > 1
            after = [(item.comma, skip_spaces(text, item.comma + 1) if leads else item.comma + 1, "")]
        elif at > 0:
            before = [(previous, previous + 1, "")]
        else:
            end = self._end_of_sole(parent, item, start)
        rest = _apply(text, after)[end:]
        keep = ""
        if line_comment and not rest.lstrip(" \t").startswith(("\n", "\r")):
            keep = _line_ending(text)  # or else the next token would become part of that comment
        return self._spliced([*before, (start, end, keep), *after])

    def _end_of_sole(self, parent: Node, item: Item, start: int) -> int:
        """Where removing the only item ends: the line break that ``_fill_empty`` put after it goes too."""
        end, close = item.node.end, parent.end - 1
        broke_line = start == parent.start + 1 and "\n" in self.text[start : item.start]
        tail = _line_ending(self.text) + self._line_indent(parent.start)
        if broke_line and not self.text[end:close].strip(SPACE) and self.text.startswith(tail, end, close):
            return end + len(tail)
        return end

    def _fill_empty(self, node: Node, value: object, key: str | None) -> list[Splice]:
        inside, close = node.start + 1, node.end - 1
        blank = not self.text[inside:close].strip(SPACE)
        position, line_comment = _rest_of_line(self.text, inside)
        lead, new = self._laid_out(node, value, key, own_line=line_comment)
        tail = _line_ending(self.text) + self._line_indent(node.start) if blank and lead else ""
        return [(position, position, lead + new + tail)]

    def _laid_out(self, node: Node, value: object, key: str | None, *, own_line: bool = False) -> tuple[str, str]:
        """The whitespace that leads a new item of ``node``, and the item's own text."""
        separator = ":" if self._is_dense() else ": "
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + separator
        if not (own_line or self._is_multiline(node)):
            gap = "" if self._is_dense() or not node.items else " "
            return gap, name + self._rendered(value, None)
        indent = self._item_indent(node)
        return _line_ending(self.text) + indent, name + self._rendered(value, indent)

    def _rendered(self, value: object, indent: str | None) -> str:
        """``value`` as JSON text: over several lines that start with ``indent``, or on one line for None."""
        if indent is None:
            separators = (",", ":") if self._is_dense() else (", ", ": ")
            return json.dumps(value, ensure_ascii=False, separators=separators)
        pretty = json.dumps(value, ensure_ascii=False, indent=self._unit())
        return pretty.replace("\n", _line_ending(self.text) + indent)

    def _is_inline(self) -> bool:
        """Whether the whole document is written on one line."""
        return bool(self.root.items) and not _breaks_before(self.text, self.root)

    def _is_multiline(self, node: Node) -> bool:
        return _breaks_before(self.text, node) if node.items else not self._is_inline()

    def _is_dense(self) -> bool:
        """Whether a one-line document has no spaces after its colons and commas."""
        if not self._is_inline():
            return False
        first = self.root.items[0]
        return self.text[first.node.start - 1] == ":" if first.key is not None else ", " not in self.text

    def _unit(self) -> str:
        """One level of indentation as the document has it; two spaces when it shows none."""
        level = [self.root]
        while level:
            for node in level:
                outer = self._line_indent(node.start)
                inner = self._line_indent(node.items[0].start) if node.items else ""
                if node.items and _breaks_before(self.text, node) and inner.startswith(outer) and inner != outer:
                    return inner[len(outer) :]
            level = [item.node for node in level for item in node.items]
        return "  "

    def _item_indent(self, node: Node) -> str:
        if node.items and _breaks_before(self.text, node):
            return self._line_indent(node.items[0].start)
        return self._line_indent(node.start) + self._unit()

    def _line_indent(self, position: int) -> str:
        """The whitespace that begins the line on which ``position`` lies."""
        start = max(self.text.rfind("\n", 0, position), self.text.rfind("\r", 0, position)) + 1
        line = self.text[start:position].removeprefix("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _item(self, path: JsonPath) -> Item | None:
        node, found = self.root, None
        for step in path:
            if isinstance(step, int):
                found = node.items[step] if node.kind == "[" and 0 <= step < len(node.items) else None
            else:
                found = next((item for item in reversed(node.items) if item.key == step), None)
            if found is None:
                return None
            node = found.node
        return found

    def _container(self, path: JsonPath, key: str | None) -> Node:
        node = self.node(path)
        if node is None or node.kind != ("[" if key is None else "{"):
            raise KeyError(path)
        return node

    def _spliced(self, splices: list[Splice]) -> "JsonDocument":
        return JsonDocument._of(_apply(self.text, splices), self.name, self.strict)


def _apply(text: str, splices: list[Splice]) -> str:
    """``text`` with the splices made; they are listed in the order in which they are in the text."""
    for start, end, new in reversed(splices):
        text = text[:start] + new + text[end:]
    return text


def _line_ending(text: str) -> str:
    """The first line ending in ``text``; a line feed when it has none."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _breaks_before(text: str, node: Node) -> bool:
    """Whether the first item of ``node`` is on a later line than the opening bracket."""
    return "\n" in text[node.start : node.items[0].start]


def _rest_of_line(text: str, position: int) -> tuple[int, bool]:
    """The end of the last comment that starts on this line at or after ``position``, before any other token.

    Returns:
        The offset (``position`` itself when there is no comment) and whether that comment is a ``//`` comment.
    """
    return _last_comment(text, position, " \t")


def _last_comment(text: str, position: int, spaces: str = SPACE) -> tuple[int, bool]:
    """The end of the last comment after ``position``, and whether it is a ``//`` comment; ``spaces`` may part them."""
    end, line_comment = position, False
    while True:
        at = end
        while at < len(text) and text[at] in spaces:
            at += 1
        stop = comment_end(text, at)
        if stop is None:
            return end, line_comment
        end, line_comment = stop, text.startswith("//", at)
