"""Which encoding a document gets: the smallest proven one that the settings and the evidence allow, else JSON."""

from collections.abc import Callable
from typing import NamedTuple

from unpretty.encodings.document import Document
from unpretty.encodings.errors import Declined
from unpretty.encodings.evidence import is_allowed
from unpretty.encodings.registry import get, names
from unpretty.encodings.shapes import classify, has_table
from unpretty.encodings.verified import encode_verified
from unpretty.engine.context import Context, byte_length, over_limits

AUTO, JSON = "auto", "json"

# Without a tokenizer bytes are compared instead. Punctuation costs more bytes than tokens, so a text that is only a
# little shorter may have more tokens: in the table of docs/encoding-table.md none does that is shorter by this share.
MIN_BYTES_SAVED = 0.15
# What encoding and proving a document takes, on the slow side: characters of JSON per second and encoding.
CHARS_PER_SECOND = 500_000


class Allowed(NamedTuple):
    """What a reader may be given.

    Attributes:
        names: the encodings: one by name needs no evidence, ``auto`` is all that are shown to be read as well as JSON
            by ``model``. JSON is always allowed.
        model: the model that will read the text, "" when unknown; nothing is shown for that.
        count_tokens: exact token counter when one is loaded; without it sizes are compared in bytes.
    """

    names: tuple[str, ...] = (JSON,)
    model: str = ""
    count_tokens: Callable[[str], int] | None = None


JSON_ONLY = Allowed()


class Choice(NamedTuple):
    """What a document becomes.

    Attributes:
        encoding: name of the encoding; ``json`` when no other won.
        text: the document in it.
        declined: encodings that were considered and not used, with the code of the reason (``errors.REASONS``).
        sizes: size of each encoding that could carry the document, in tokens when they are counted, else in UTF-8
            bytes.
    """

    encoding: str
    text: str
    declined: dict[str, str]
    sizes: dict[str, int]


def choose(document: str, context: Context, allowed: Allowed = JSON_ONLY) -> Choice:
    """The form of a JSON ``document``, minified before, that its reader should get.

    With a token counter the fewest tokens win; without, an encoding has to save ``MIN_BYTES_SAVED`` of the bytes of a
    document that has a table. A text that the reader's limits would cut is not chosen, and nothing is tried that would
    take longer than the context's budget.

    Raises DecodeError when ``document`` is not JSON, RecursionError when it is nested too deeply to be read at all.
    """
    return choose_for(Document.from_text(document), document, context, allowed)


def choose_for(document: Document, text: str, context: Context, allowed: Allowed) -> Choice:
    """As ``choose``, for a document that was read before; ``text`` is its JSON text."""
    declined: dict[str, str] = {}
    texts = {JSON: text}
    candidates = _candidates(document, allowed, declined)
    why = ""
    if candidates and len(text) * len(candidates) > context.budget_seconds * CHARS_PER_SECOND:
        why = "over_budget"
    elif candidates and allowed.count_tokens is None and not has_table(document.value):
        why = "no_table"
    for name in candidates:
        if why:
            declined[name] = why
            continue
        try:
            encoded = encode_verified(document, get(name))
            if over_limits(encoded, context):
                raise Declined("over_limit")
        except Declined as exc:
            declined[name] = exc.code
        except RecursionError:
            declined[name] = "too_deep"
        else:
            texts[name] = encoded
    return _smallest(texts, declined, allowed.count_tokens)


def _candidates(document: Document, allowed: Allowed, declined: dict[str, str]) -> list[str]:
    """The encodings to try besides JSON; those that lack evidence are put into ``declined``."""
    listed = [name for name in names() if name in allowed.names and name != JSON]
    if AUTO not in allowed.names:
        return listed
    shape = classify(document.value)
    for name in names():
        if name == JSON or name in listed:
            continue
        if is_allowed(name, allowed.model, shape):
            listed.append(name)
        else:
            declined[name] = "no_evidence"
    return listed


def _smallest(texts: dict[str, str], declined: dict[str, str], count: Callable[[str], int] | None) -> Choice:
    sizes = {name: count(text) if count else byte_length(text) for name, text in texts.items()}
    json_bytes = byte_length(texts[JSON])
    limit = json_bytes - 1 if count else int(json_bytes * (1 - MIN_BYTES_SAVED))
    best = JSON
    for name, text in texts.items():
        if name == JSON:
            continue
        # Neither more tokens nor more bytes than JSON: a result never grows by either measure.
        if sizes[name] >= sizes[JSON] or byte_length(text) > limit:
            declined[name] = "not_smaller"
        elif sizes[name] < sizes[best]:
            best = name
    return Choice(best, texts[best], declined, sizes)
