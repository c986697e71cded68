"""Streams of edges: rows of names as tables, lines as events.  What is kept up to date is what is found from scratch.

A line of an input is a row: how much later it comes, subject, relation and object, between tabs.  One whose first part
is no number is an event: N-Triples, if they are some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import pyarrow

from spaseq.errors import OptionError, SpaseqError, StreamError
from spaseq.paths import EdgeStream, Paths, PreparedPath, prepare
from tests.fuzz.door import Door, same

WINDOW, MOST_ROWS, AT_ONCE = 40, 200, 7
QUERIES = """
    QUERY steps FROM LABEL "a", <http://example.org/a> ALL WALK (:p|^:q)/!(:r)
    QUERY trails FROM LABEL "b" ALL TRAIL (:p|:q|^!(:r)){1,3}
    QUERY near FROM LABEL "a", LABEL "b" ANY SHORTEST (:p|^:p|:q)+/[?x: isIRI(?x) || ?x > "b"]
    QUERY one_each FROM LABEL "a", LABEL "b", <urn:d>, <http://example.org/a> ANY (!()|^!())+ NOT BACK TO START
    QUERY nearest FROM LABEL "a" TO LABEL "c", <urn:d> ALL SHORTEST (:p|:q|^:r)+
    QUERY two_each FROM LABEL "a" SHORTEST 2 (:p|^:q){1,3}
    QUERY without_rounds FROM LABEL "c" SHORTEST 2 SIMPLE (:p|:q|:r){1,3}
"""
Row = tuple[int, str, str, str]


def enter(data: bytes) -> str:
    """Push all of it, and compare what there is with what a search finds."""
    stream, time, appeared = EdgeStream(_queries(), WINDOW, named=True), 0, 0
    for part in _parts(data):
        if isinstance(part, str):
            with suppress(StreamError, OptionError):
                appeared += len(stream.push(part, time))
            continue
        times = []
        for row in part:
            time += row[0]
            times.append(time)
        found = _pushed(stream, times, part)
        appeared += 0 if found is None else len(found)
        if found is not None:
            str(list(found))
    _compare(stream)
    return f"{appeared.bit_length()} {len(stream).bit_length()}"


@cache
def _queries() -> tuple[PreparedPath, ...]:
    return prepare(QUERIES)


def _parts(data: bytes) -> Iterator[str | list[Row]]:
    """Rows that come together, and events."""
    rows: list[Row] = []
    for line in data.decode("utf-8", "replace").split("\n")[:MOST_ROWS]:
        cells = line.split("\t")
        if len(cells) == 4 and cells[0].isascii() and cells[0].isdigit():
            rows.append((min(int(cells[0][:9]), 1000), cells[1], cells[2], cells[3]))
        elif line:
            yield from [rows, line] if rows else [line]
            rows = []
        if len(rows) == AT_ONCE:
            yield rows
            rows = []
    if rows:
        yield rows


def _pushed(stream: EdgeStream, times: Sequence[int], rows: Sequence[Row]) -> Any:
    """What appears with rows, as strings and as codes of a dictionary; None: one of them is no edge."""
    columns = dict(zip(("subject", "relation", "object"), zip(*(row[1:] for row in rows), strict=True), strict=True))
    table = pyarrow.table(
        {name: _column(texts, coded=bool(len(rows) % 2)) for name, texts in columns.items()}
    )  # fmt: skip
    is_edge = all(all(row[1:]) for row in rows)
    try:
        found = stream.push_table(times, table)
    except SpaseqError as error:
        same(is_edge, False, f"refused rows: {error}")
        return None
    same(is_edge, True, "rows that are edges")
    return found


def _column(texts: Sequence[str], coded: bool) -> Any:
    column = pyarrow.array(texts, pyarrow.string())
    return column.dictionary_encode() if coded else column


def _compare(stream: EdgeStream) -> None:
    """DisagreementError: a query has other results than on the graph of the window."""
    graph = stream.graph()
    same(len(stream), len(graph), "edges in the window")
    for query in _queries():
        same(_measured(stream.current(query.name)), _measured(graph.match(query)), query.name)


def _measured(paths: Paths) -> Counter[tuple[str, str, int]]:
    """How many paths of each length each pair of nodes has."""
    found: Counter[tuple[str, str, int]] = Counter()
    for path in paths:
        values = path.values()
        found[values[0].to_ntriples(), values[-1].to_ntriples(), len(path)] += 1
    return found


def seeds() -> list[bytes]:
    """Rows between a few nodes, which come again and go; names that are IRIs, long, empty, or nearly IRIs."""
    names = ["a", "b", "c", "urn:d", "http://example.org/a", "urn:", "https://x y", "é", "c" * 70, "http://<>"]
    rows = [
        f"{number % 5}\t{names[number * 3 % 7]}\t{'pqr'[number % 3]}\t{names[number * 5 % len(names)]}"
        for number in range(90)
    ]
    events = ['<http://example.org/a> <urn:relation:p> "c" .', "<urn:d> <urn:relation:q> _:b .", "none"]
    few = [f"{number}\ta\tp\tb\n{number}\tb\tp\tc\n41\ta\tq\tc\nnone\n0\t\tp\tb" for number in range(3)]
    return ["\n".join(rows).encode(), "\n".join([*rows[:20], *events, *rows[20:40]]).encode(), *map(str.encode, few)]


DOOR = Door("edges", enter, seeds, (b"\t", b"\n", b"a\tp\tb", b"urn:", b"http://", b"41\t"))
