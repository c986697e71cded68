"""``--given``: tables with the rows of queries that have parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from spaseq.errors import OptionError
from spaseq.languages.spaseq import ParsedQuery
from spaseq.pattern.sequences import Query
from spaseq.text import did_you_mean

if TYPE_CHECKING:
    from spaseq.languages.ceql import ParsedFormulaQuery
    from spaseq.sources.parameter_rows import HasRows
    from spaseq.tuples.queries import AnyParsed, AnyPrepared

given_option = click.option(
    "--given", metavar="[QUERY=]FILE", multiple=True,
    help="The rows for the parameters (GIVEN) of a query: CSV, TSV, JSON lines, Parquet or SPARQL results, with a "
    "column for each.",
)  # fmt: skip


sharing_option = click.option(
    "--no-sharing", "sharing", flag_value=False, default=True,
    help="Evaluate each query, and each row of parameters, by itself, and not as many together as can be: to compare.",
)  # fmt: skip


def given_tables(given: Sequence[str], queries: Mapping[str, HasRows | None]) -> dict[str, str]:
    """The files of ``--given`` by query; OptionError if one is of none, or of a query that has one already.

    ``queries`` have what GIVEN says, if there is one.
    """
    names = list(queries)
    without = [name for name, has in queries.items() if has is not None and has.rows is None]
    found: dict[str, str] = {}
    for one in given:
        name, sign, path = one.partition("=")
        if not sign or name not in names:
            name, path = _only(one, names, without), one
        if name in found:
            raise OptionError(f"--given {one}: the query {name} has rows from {found[name]} already")
        found[name] = path
    if missing := [name for name in without if name not in found]:
        raise OptionError(f"the query {missing[0]} needs rows: give them with --given {missing[0]}=FILE")
    return found


def _only(given: str, names: Sequence[str], without: Sequence[str]) -> str:
    """The query of a table that names none: there is one alone that needs rows."""
    name, sign, _ = given.partition("=")
    if sign and "/" not in name:
        raise OptionError(f"--given {given}: there is no query {name}; {did_you_mean(name, names)}")
    if not without:
        raise OptionError(f"--given {given}: no query needs rows: none has parameters (GIVEN) without rows")
    if len(without) != 1:
        raise OptionError(f"--given {given}: write QUERY=FILE, with the name of a query: {', '.join(without)}")
    return without[0]


def of_graphs(queries: Iterable[Query]) -> dict[str, HasRows | None]:
    """What GIVEN says in queries in SPAseq, by their names."""
    return {query.name: query.given for query in queries}


def given_rows(tables: Mapping[str, str], queries: Sequence[Query]) -> dict[str, list[dict[str, Any]]]:
    """The rows of files, each read once.  StreamError: one cannot be read, or a row does not fit its query."""
    from spaseq.graphs.parameter_rows import needed_rows  # which takes long to import, and check seldom needs

    found = {}
    for query in queries:
        if query.name in tables and query.given is not None:
            rows = needed_rows(query, tables[query.name]).values()
            found[query.name] = [dict(zip(query.given.names, row, strict=True)) for row in rows]
        elif query.name in tables:
            raise OptionError(f"--given: the query {query.name} has no parameters")
    return found


def prepared(tables: Mapping[str, str], queries: Mapping[str, AnyParsed]) -> dict[str, AnyPrepared]:
    """Queries in CEQL or SQL with their rows; errors as of ``given_rows``."""
    from spaseq.tuples.parameter_rows import with_table
    from spaseq.tuples.queries import prepare

    return {name: with_table(prepare(parsed), tables.get(name), name) for name, parsed in queries.items()}


def checked(given: Sequence[str], queries: Mapping[str, ParsedQuery | ParsedFormulaQuery]) -> dict[str, int]:
    """How many rows the tables have, by query; errors as of ``given_rows``."""
    tables = given_tables(given, {name: parsed.query.given for name, parsed in queries.items()})
    return {name: _count(name, queries[name], path) for name, path in tables.items()}


def _count(name: str, parsed: ParsedQuery | ParsedFormulaQuery, path: str) -> int:
    if isinstance(parsed, ParsedQuery):
        return len(given_rows({name: path}, [replace(parsed.query, name=name)])[name])
    from spaseq.tuples.parameter_rows import with_rows
    from spaseq.tuples.queries import prepare_formula

    return len(with_rows(prepare_formula(parsed, "with parameters"), path, name).rows or ())
