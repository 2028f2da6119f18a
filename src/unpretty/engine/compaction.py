"""The one engine: a text and what is known about it in, a smaller text with the same meaning and the decision out.

Every caller (hook, worker, proxy, convert, explain, estimate) builds a Context and asks ``compact``; no gate is
anywhere else. The steps, each of which may do nothing: terminal noise, JSON documents, path folding, table encodings.
"""

import gc
import time

from unpretty.engine import reason
from unpretty.engine.commands import asks_for_original, searches_files, shows_file
from unpretty.engine.context import FILE, OTHER, SEARCH, Context, byte_length, over_limits
from unpretty.engine.json_text.documents import Documents, may_hold_documents
from unpretty.engine.views import is_diff, is_line_numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from unpretty.engine.context import Choose

_LINE_NUMBER_STARTS = tuple(f":{digit}" for digit in range(1, 10))
STEPS = ("json", "nested", "noise", "paths", "tables")


class Decision:
    """What happened to one text and why.

    Attributes:
        reason: a code of ``unpretty.engine.reason``: ``converted`` or the first gate that ended it.
        encoding: name of the encoding of the converted documents, empty when none was converted.
        bytes_in, bytes_out: UTF-8 bytes before and after (equal when nothing changed).
        chars_in, chars_out: characters before and after.
        docs: number of JSON documents that were made smaller.
        steps: UTF-8 bytes saved by each step that saved any; keys of ``STEPS``.
    """

    __slots__ = ("bytes_in", "bytes_out", "chars_in", "chars_out", "docs", "encoding", "reason", "steps")

    def __init__(self, why: str, text: str, size: "int | None" = None) -> None:
        self.reason = why
        self.encoding = ""
        self.bytes_in = self.bytes_out = byte_length(text) if size is None else size
        self.chars_in = self.chars_out = len(text)
        self.docs = 0
        self.steps: dict[str, int] = {}

    @property
    def converted(self) -> bool:
        """True when a smaller text was made."""
        return self.reason == reason.CONVERTED


class Compaction:
    """The text for the reader, the original one unless ``decision.converted``, and the decision."""

    __slots__ = ("decision", "text")

    def __init__(self, text: str, decision: Decision) -> None:
        self.text = text
        self.decision = decision


def compact(text: str, context: "Context | None" = None) -> Compaction:
    r"""Make ``text`` smaller without changing what it says; never raises for any text.

    Without a context the text is taken for a tool result of unknown origin: JSON documents are minified, nothing else.

    >>> from unpretty import Context, compact
    >>> compact('{\n  "price": 1.50,\n  "tags": [ "a", "b" ]\n}', Context(min_bytes=0)).text
    '{"price":1.50,"tags":["a","b"]}'
    """
    if context is None:
        context = Context(OTHER)
    size = byte_length(text)
    why = _gate(text, size, context)
    if why:
        return Compaction(text, Decision(why, text, size))
    collecting = gc.isenabled()
    # A scan makes very many small objects and no cycles: the collector would double its time.
    gc.disable()
    try:
        return _Work(text, size, context).run()
    except RecursionError:
        return Compaction(text, Decision(reason.TOO_DEEP, text, size))
    except MemoryError:
        return Compaction(text, Decision(reason.TOO_LARGE, text, size))
    except Exception:  # a result must never be lost to a bug of ours
        return Compaction(text, Decision(reason.ERROR, text, size))
    finally:
        if collecting:
            gc.enable()


def _gate(text: str, size: int, context: Context) -> str:
    """The reason to leave ``text`` alone before any work, empty when there is none."""
    if context.command:
        if asks_for_original(context.command):
            return reason.BYPASSED
        if shows_file(context.command):
            return reason.FILE_VIEW
    if context.kind == FILE:
        return reason.FILE_VIEW
    if size < context.min_bytes:
        return reason.TOO_SMALL
    why = _view(text)
    if why:
        return why
    if context.cut:
        return reason.CUT_BY_HOST
    if size > context.max_input_bytes:
        return reason.TOO_LARGE
    return ""


def _view(text: str) -> str:
    """The reason to leave a text alone that points into files, empty for any other."""
    if is_diff(text):
        return reason.DIFF
    return reason.LINE_NUMBERED if is_line_numbered(text) else ""


class _Work:
    """The steps on one text; ``text`` is what it has become so far."""

    __slots__ = ("context", "decision", "original", "started", "text")

    def __init__(self, text: str, size: int, context: Context) -> None:
        self.original = self.text = text
        self.context = context
        self.decision = Decision(reason.NOT_JSON, text, size)
        self.started = time.monotonic()

    def run(self) -> Compaction:
        decision = self.decision
        if self.context.noise:
            self._reduce_noise()
            # Colours hide what a text is.
            why = "" if self.text is self.original else _view(self.text)
            if why:
                decision.reason = why
                self._undo()
                return Compaction(self.original, decision)
        if may_hold_documents(self.text, self.context.frame_chars):
            if self.context.kind == SEARCH or searches_files(self.context.command):
                # Lines of files: what looks like a document may be one of them as it is there.
                decision.reason = reason.FILE_VIEW
            else:
                self._minify_documents()
        elif self.context.kind == SEARCH:
            decision.reason = reason.NO_PATHS
        if self.context.paths and not decision.docs and decision.reason != reason.OVER_BUDGET:
            self._fold_paths()
        if not self._worth_it():
            return Compaction(self.original, decision)
        decision.reason = reason.CONVERTED
        decision.bytes_out = byte_length(self.text)
        decision.chars_out = len(self.text)
        return Compaction(self.text, decision)

    def _step(self, name: str, work: "Callable[[str], str | None]") -> None:
        shorter = work(self.text)
        if shorter is not None:
            self._saved(name, byte_length(self.text) - byte_length(shorter))
            self.text = shorter

    def _saved(self, name: str, size: int) -> None:
        if size:
            self.decision.steps[name] = self.decision.steps.get(name, 0) + size

    def _reduce_noise(self) -> None:
        if "\x1b" in self.text or "\r" in self.text or "\b" in self.text or "\x07" in self.text:
            from unpretty.engine.terminal import reduce_noise

            self._step("noise", reduce_noise)

    def _fold_paths(self) -> None:
        # A first look, for texts that cost less than an import: paths hold slashes, and a file in the current directory
        # is followed by a line number.
        text = self.text
        likely = len(text) > 1 << 17 or "/" in text or "\\" in text
        if likely or any(digit in text for digit in _LINE_NUMBER_STARTS):
            from unpretty.engine.paths import fold_paths

            self._step("paths", fold_paths)

    def _minify_documents(self) -> None:
        """Minify each document of the text; what cannot be proven equal stays."""
        deadline = self.started + self.context.budget_seconds
        documents = Documents(self.text, self.context.frame_chars, deadline)
        pieces: list[str] = []
        position = found = 0
        unproven = False
        for start, end, value in documents:
            found += 1
            document = self.text[start:end]
            smaller = self._smaller(document, value)
            if smaller is None:
                unproven = True
            elif smaller is not document:
                pieces += (self.text[position:start], smaller)
                position = end
                self.decision.docs += 1
        if documents.reason == reason.OVER_BUDGET:
            self._undo()
            self.decision.reason = reason.OVER_BUDGET
            return
        if pieces:
            self.text = "".join(pieces) + self.text[position:]
        self.decision.reason = (
            reason.NOT_VERIFIED if unproven else reason.ALREADY_COMPACT if found else documents.reason
        )

    def _smaller(self, document: str, value: object) -> "str | None":
        """``document`` in its smallest allowed form, itself when nothing is gained, None when the proof fails."""
        from unpretty.engine.json_text.minify import minify
        from unpretty.engine.json_text.verify import is_same

        minified = minify(document)
        text = minified.text
        if len(text) < len(document):
            if not is_same(document, value, minified):
                return None
            self._saved("json", byte_length(document) - byte_length(minified.flat))
            self._saved("nested", byte_length(minified.flat) - byte_length(text))
            self.decision.encoding = self.decision.encoding or "json"
        else:
            text = document
        return text if self.context.choose is None else self._encode(text, self.context.choose)

    def _encode(self, document: str, choose: "Choose") -> str:
        """A minified ``document`` as the caller's chooser wants it."""
        encoding, text = choose(document, self.context)
        if encoding == "json":
            return document
        self._saved("tables", byte_length(document) - byte_length(text))
        self.decision.encoding = encoding
        return text

    def _worth_it(self) -> bool:
        """True when the text became smaller by enough and fits the host; the reason is set otherwise."""
        context, decision = self.context, self.decision
        saved = decision.bytes_in - byte_length(self.text)
        if self.text == self.original:
            return False
        if saved <= 0 or saved < context.min_gain * decision.bytes_in:
            decision.reason = reason.GAIN_TOO_SMALL
            return self._undo()
        if time.monotonic() - self.started > context.budget_seconds:
            decision.reason = reason.OVER_BUDGET
            return self._undo()
        if over_limits(self.text, context):
            decision.reason = reason.OVER_HOST_LIMIT
            return self._undo()
        return True

    def _undo(self) -> bool:
        """Nothing was converted after all."""
        self.decision.docs = 0
        self.decision.encoding = ""
        self.decision.steps = {}
        return False
