"""Which encoding a document gets: the smallest proven one that the settings and the evidence allow, else JSON."""

from typing import NamedTuple

from unpretty.encodings.base import Declined
from unpretty.encodings.document import Document
from unpretty.encodings.evidence import is_allowed
from unpretty.encodings.registry import NAMES, get
from unpretty.encodings.shapes import classify, has_table
from unpretty.encodings.verified import encode_verified
from unpretty.engine.context import Context, byte_length, over_limits

AUTO, JSON = "auto", "json"

# Without a tokenizer bytes stand in for tokens. Punctuation costs more bytes than tokens, so a text that is only a
# little shorter may have more tokens: in the table of docs/encoding-table.md none does that is shorter by this share.
MIN_BYTES_SAVED = 0.15
# What encoding and proving a document takes, on the slow side: characters of JSON per second and encoding.
CHARS_PER_SECOND = 500_000


class Choice(NamedTuple):
    """What a document becomes.

    Attributes:
        encoding: name of the encoding; ``json`` when no other won.
        text: the document in it.
        declined: encodings that were considered and not used, with the code of the reason (``base.REASONS``).
        sizes: size of each encoding that could carry the document, in tokens when the context counts them, else in
            UTF-8 bytes.
    """

    encoding: str
    text: str
    declined: dict[str, str]
    sizes: dict[str, int]


def choose(document: str, context: Context) -> Choice:
    """The form of a JSON ``document``, minified before, that its reader should get.

    ``context.encodings`` names what is allowed: an encoding by name needs no evidence, ``auto`` stands for those that
    are shown to be read as well as JSON by ``context.model`` (none for an unknown model). JSON is always allowed. With
    ``context.count_tokens`` the fewest tokens win; without, an encoding has to save ``MIN_BYTES_SAVED`` of the bytes of
    a document that has a table. A text that the reader's limits would cut is not chosen, and nothing is tried that
    would take longer than the context's budget.

    Raises DecodeError when ``document`` is not JSON, RecursionError when it is nested too deeply to be read at all.
    """
    return choose_for(Document.from_text(document), document, context)


def choose_for(document: Document, text: str, context: Context) -> Choice:
    """As ``choose``, for a document that was read before; ``text`` is its JSON text."""
    declined: dict[str, str] = {}
    texts = {JSON: text}
    names = _candidates(document, context, declined)
    fault = _fault(document, len(text) * len(names), context) if names else ""
    if fault:
        declined.update(dict.fromkeys(names, fault))
        names = []
    for name in names:
        try:
            encoded = encode_verified(document, get(name))
            if over_limits(encoded, context):
                raise Declined("over_limit")
        except Declined as reason:
            declined[name] = reason.code
        except RecursionError:
            declined[name] = "too_deep"
        else:
            texts[name] = encoded
    return _smallest(texts, declined, context)


def _fault(document: Document, chars: int, context: Context) -> str:
    """The reason not to try any encoding, empty when there is none."""
    if chars > context.budget_seconds * CHARS_PER_SECOND:
        return "over_budget"
    return "no_table" if context.count_tokens is None and not has_table(document.value) else ""


def _candidates(document: Document, context: Context, declined: dict[str, str]) -> list[str]:
    """The encodings to try besides JSON; those that lack evidence are put into ``declined``."""
    names = [name for name in NAMES if name in context.encodings and name != JSON]
    if AUTO in context.encodings:
        shape = classify(document.value)
        for name in NAMES:
            if name == JSON or name in names:
                continue
            if is_allowed(name, context.model, shape):
                names.append(name)
            else:
                declined[name] = "no_evidence"
    return names


def _smallest(texts: dict[str, str], declined: dict[str, str], context: Context) -> Choice:
    count = context.count_tokens
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
