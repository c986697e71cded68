"""``spaseq map``."""

from __future__ import annotations

import re

import click

from spaseq.cli import options, sources
from spaseq.cli.terminal import say
from spaseq.errors import OptionError, require
from spaseq.sources.files import TABLE_ENDINGS, check_path, ending_of

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*")


@click.command("map")
@click.argument("table", metavar="TABLE")
@options.csv_options
@click.option(
    "--base", metavar="IRI", default="https://example.org/", show_default=True,
    help="What the IRIs of the proposal begin with.",
)  # fmt: skip
def map_(table: str, columns: str | None, separator: str | None, nulls: tuple[str, ...], base: str) -> None:
    """Propose a mapping for TABLE, a file of CSV, JSON lines, Parquet or Arrow IPC, by its first rows.

    It says what a row means as an event: write it to a file, go on with it, and give it to run or convert (--map).
    """
    require("pyarrow")
    from spaseq.languages.mappings import parse
    from spaseq.sources.mapped.proposal import proposed
    from spaseq.sources.tables.opening import open_source

    check_path(table)
    _check(table, base)
    text = proposed(open_source(table, csv=sources.csv_format(columns, separator, nulls)), base)
    parse(text)
    say(text.rstrip("\n"), err=False)


def _check(table: str, base: str) -> None:
    """OptionError: the one is no table, or the other no IRI."""
    if table != "-" and ending_of(table) not in TABLE_ENDINGS:
        raise OptionError(f"{table}: a table ends in {', '.join(TABLE_ENDINGS)}, or these with .gz or .zst")
    if _IRI.fullmatch(base) is None:
        raise OptionError(f"--base {base}: this is no IRI")
