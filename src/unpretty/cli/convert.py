"""``unpretty convert``: JSON, JSON Lines, CSV, TSV and Parquet into any encoding, and back."""

import contextlib
import itertools
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import click

from unpretty.convert.blocks import blocks, decode_blocks, joined
from unpretty.convert.measure import Size, measure
from unpretty.convert.readers import FORMATS, format_of, read_text, record_reader
from unpretty.encodings.document import Document
from unpretty.encodings.errors import REASONS, Declined, DecodeError
from unpretty.encodings.registry import get, names
from unpretty.encodings.selection import AUTO, JSON, Allowed, Choice, choose_for
from unpretty.encodings.verified import encode_verified
from unpretty.engine.context import Context
from unpretty.errors import UnprettyError
from unpretty.tokens.count import load_counter


@click.command()
@click.argument("file", default="-")
@click.option("--to", "encoding", type=click.Choice([*names(), AUTO]), default=JSON, show_default=True,
              help="The encoding to write, or with --decode the one that FILE is in.")  # fmt: skip
@click.option("--from", "data_format", type=click.Choice(FORMATS),
              help="The format of FILE; by default the one of its suffix, or json.")  # fmt: skip
@click.option("--decode", is_flag=True, help="Read FILE in the encoding of --to, and write JSON.")
@click.option("--count", is_flag=True, help="Print bytes and o200k tokens of every encoding instead of the data.")
@click.option("--model", default="", help="With --to auto: use only encodings that this model was shown to read well.")
def command(  # noqa: PLR0913, PLR0917  one parameter per option
    file: str, encoding: str, data_format: str | None, decode: bool, count: bool, model: str
) -> None:
    """Convert data to a compact encoding, or back to JSON.

    Without FILE, or with -, standard input is read. Every encoded text is verified: decoding it gave the same data.
    What an encoding cannot carry is an error that says why. auto takes the encoding with the fewest tokens.

    JSON Lines, CSV, TSV and Parquet are read as a stream, and their records become one array; very long inputs become
    several blocks of records with a blank line between them (JSON stays one array).
    """
    if decode and (count or encoding == AUTO or data_format):
        raise click.UsageError("--decode needs the encoding in --to, and goes with neither --count nor --from.")
    name = "standard input" if file == "-" else file
    with _opened(file) as stream, _naming(name):
        if decode:
            _write([decode_blocks(read_text(stream), encoding), "\n"])
            return
        data_format = data_format or format_of(file)
        documents = _documents(stream, data_format)
        if count:
            _print_sizes(measure(documents, load_counter()))
        else:
            texts, encoding = _encoded(documents, encoding, model)
            _write(itertools.chain(texts, ["\n"]) if data_format == "json" else joined(texts, encoding))


def _opened(file: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if file == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as exc:
        raise UnprettyError(f"Cannot read {file}: {exc.strerror}.", code="unreadable") from None


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Errors that say which file they are about."""
    try:
        yield
    except DecodeError as exc:
        raise UnprettyError(f"{name}: {exc}", code=exc.code, hint=exc.hint) from None
    except RecursionError:
        raise UnprettyError(f"{name}: {REASONS['too_deep']}", code="too_deep") from None


def _documents(stream: IO[bytes], data_format: str) -> Iterator[Document]:
    if data_format != "json":
        return blocks(record_reader(data_format)(stream))
    try:
        return iter([Document.from_text(read_text(stream))])
    except DecodeError as exc:
        if "more text follows" in exc.what:
            exc.hint = "For one document per line use --from jsonl."
        raise


def _encoded(documents: Iterator[Document], encoding: str, model: str) -> tuple[Iterator[str], str]:
    """The documents in their encoding, and its name: what ``auto`` chooses for the first one is used for all."""
    if encoding == AUTO:
        first = next(documents)
        allowed = Allowed((AUTO,) if model else names(), model, load_counter())
        choice = choose_for(first, first.minified, Context(budget_seconds=math.inf), allowed)
        encoding = choice.encoding
        _explain(choice)
        documents = itertools.chain([first], documents)
    return (_text(document, encoding) for document in documents), encoding


def _text(document: Document, encoding: str) -> str:
    if encoding == JSON:
        return document.minified
    try:
        return encode_verified(document, get(encoding))
    except Declined as reason:
        raise UnprettyError(
            f"{encoding} cannot carry this data. {reason}", code=reason.code, hint="Use --to json, or --to auto."
        ) from None


def _write(texts: Iterable[str]) -> None:
    for text in texts:
        sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def _explain(choice: Choice) -> None:
    """On standard error: which encoding won, and why not the others."""
    best, json = choice.sizes[choice.encoding], choice.sizes[JSON]
    than = "" if choice.encoding == JSON else f", {1 - best / json:.1%} fewer than json"
    click.echo(f"auto: {choice.encoding}, {best:,} tokens{than}", err=True)
    for name in names():
        code = choice.declined.get(name)
        size = f"{choice.sizes[name]:,} tokens" if name in choice.sizes else ""
        if name != choice.encoding:
            click.echo(
                f"  {name}: {' - '.join(part for part in (size, REASONS[code] if code else '') if part)}", err=True
            )


def _print_sizes(sizes: dict[str, Size]) -> None:
    rows = [_size_row(name, size, sizes[JSON].tokens) for name, size in sizes.items()]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*_HEAD, box=None)
        for column in table.columns[1:4]:
            column.justify = "right"
        for row in rows:
            table.add_row(*row)
        Console(highlight=False).print(table)
    else:
        for name, size_bytes, tokens, share, note in (_HEAD, *rows):
            click.echo(f"{name:<10}  {size_bytes:>13}  {tokens:>13}  {share:>8}  {note}".rstrip())


_HEAD = ("encoding", "bytes", "o200k tokens", "vs json", "")


def _size_row(name: str, size: Size, json_tokens: int) -> tuple[str, str, str, str, str]:
    if size.declined:
        return name, "-", "-", "-", REASONS[size.declined]
    return name, f"{size.size_bytes:,}", f"{size.tokens:,}", f"{size.tokens / json_tokens - 1:+.1%}", ""
