"""Exact o200k_base token counts with tiktoken, from the vocabulary that ships with this package.

Nothing is downloaded. The split pattern and the special tokens are those that tiktoken defines for o200k_base (a test
compares them); they are copied here because tiktoken's own ``get_encoding`` fetches the vocabulary over the network.
o200k is an approximation: other models' tokenizers count differently.
"""

from __future__ import annotations

import binascii
import gzip
import hashlib
import re
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from unpretty.errors import UnprettyError

if TYPE_CHECKING:
    import tiktoken

VOCABULARY_FILE = Path(__file__).with_name("o200k_base.tiktoken.gz")
# The hash of the unpacked file, as tiktoken_ext/openai_public.py states it.
VOCABULARY_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
PATTERN = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
SPECIAL_TOKENS = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}

# tiktoken's regular expression engine gives up (a panic) on a run of about a million blanks; runs from this length on
# are counted without it. The class is Unicode's White_Space without \r and \n: Python's own \s would add \x1c-\x1f.
_BLANK = "\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_LONG_BLANKS = re.compile(f"(?<![{_BLANK}])[{_BLANK}]{{100000,}}(?![{_BLANK}\r\n])")


@lru_cache(maxsize=1)
def load_counter() -> Callable[[str], int]:
    """Return a function that counts the o200k tokens of a text. Loading takes about half a second, once per process.

    Text that spells a special token counts as ordinary text; a lone surrogate counts as U+FFFD, which is what a client
    sends instead.

    Raises:
        UnprettyError: tiktoken cannot be loaded, or the vocabulary is missing or damaged. The returned function raises
            it when tiktoken fails on a text.
    """
    return _Counter(_ranks()).count


class _Counter:
    """Two encodings over one vocabulary: the real one, and one that takes its input as a single piece."""

    def __init__(self, ranks: dict[bytes, int]) -> None:
        self._ranks = ranks
        self._encoding = _encoding(ranks, PATTERN)
        self._one_piece: tiktoken.Encoding | None = None

    def count(self, text: str) -> int:
        """Count the tokens of ``text``."""
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        try:
            return self._count(text)
        except Exception as exc:
            raise UnprettyError(f"tiktoken could not count this text: {exc}", code="token_count_failed") from exc
        except BaseException as exc:
            if type(exc).__name__ != "PanicException":  # tiktoken's Rust panics; Ctrl-C and exit pass
                raise
            raise UnprettyError(f"tiktoken could not count this text: {exc}", code="token_count_failed") from exc

    def _count(self, text: str) -> int:
        total = start = 0
        # In front of such a run a piece always ends; its last blank belongs to what follows, if anything does.
        for run in _LONG_BLANKS.finditer(text):
            total += len(self._encoding.encode_ordinary(text[start : run.start()]))
            start = run.end() if run.end() == len(text) else run.end() - 1
            total += self._count_as_one_piece(text[run.start() : start])
        return total + len(self._encoding.encode_ordinary(text[start:] if start else text))

    def _count_as_one_piece(self, blanks: str) -> int:
        if self._one_piece is None:
            self._one_piece = _encoding(self._ranks, r"\s+")
        return len(self._one_piece.encode_ordinary(blanks))


def _encoding(ranks: dict[bytes, int], pattern: str) -> tiktoken.Encoding:
    try:
        import tiktoken

        return tiktoken.Encoding("o200k_base", pat_str=pattern, mergeable_ranks=ranks, special_tokens=SPECIAL_TOKENS)
    except Exception as exc:
        raise UnprettyError(
            f"tiktoken cannot be loaded ({exc}), so tokens are not counted.",
            code="tiktoken_unusable",
            hint="Reinstall unpretty together with its dependencies.",
        ) from exc


def _ranks() -> dict[bytes, int]:
    """Read the packaged vocabulary: one line per token, base64 and rank."""
    try:
        raw = gzip.decompress(VOCABULARY_FILE.read_bytes())
    except (OSError, EOFError, ValueError, zlib.error) as exc:
        raise _damaged(str(exc)) from exc
    if hashlib.sha256(raw).hexdigest() != VOCABULARY_SHA256:
        raise _damaged("its checksum is wrong")
    ranks = {}
    for line in raw.splitlines():
        token, _, rank = line.partition(b" ")
        ranks[binascii.a2b_base64(token)] = int(rank)
    return ranks


def _damaged(why: str) -> UnprettyError:
    return UnprettyError(
        f"The packaged vocabulary {VOCABULARY_FILE.name} cannot be read ({why}), so tokens are not counted.",
        code="vocabulary_damaged",
        hint="Reinstall unpretty.",
    )
