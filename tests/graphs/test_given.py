"""Queries with parameters on an engine: where rows come from, and that they are one query (semantics.md 3.7)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyoxigraph
import pytest
import rdflib
from pyarrow import parquet

import spaseq
from spaseq.errors import OptionError, SpaseqError, StreamError
from spaseq.languages.spaseq.cells import CellReader
from spaseq.pattern.sequences import Given

E = "http://e/"
QUERY = f"""
PREFIX ex: <{E}>
SELECT *
WITHIN ?length SECONDS SLIDING
FROM STREAM s <urn:s>
GIVEN ?who ?limit ?length
WHERE {{
  SEQ(A ; B)
  DEFINE GPM A ON s {{ ?a ex:of ?who ; ex:p ?x }}
  DEFINE GPM B ON s {{ ?b ex:of ?who ; ex:p ?y . FILTER(?y > ?limit) }}
}}
"""
ROWS: list[dict[str, Any]] = [
    {"who": rdflib.URIRef(E + "a"), "limit": 5, "length": 10},
    {"who": rdflib.URIRef(E + "b"), "limit": 7, "length": 20},
    {"who": rdflib.URIRef(E + "a"), "limit": 2, "length": 3},
]
IN_TEXT = QUERY.replace(
    "GIVEN ?who ?limit ?length", "GIVEN (?who ?limit ?length) { (ex:a 5 10) (ex:b 7 20) (ex:a 2 3) }"
)


def alone(row: dict[str, Any]) -> str:
    """The query of a row, written by hand."""
    text = QUERY.replace("GIVEN ?who ?limit ?length", "").replace("?who", f"<{row['who']}>")
    return text.replace("?limit", str(row["limit"])).replace("?length", str(row["length"]))


def events(count: int = 60) -> list[tuple[int, bytes]]:
    """Quotes of two, one each half second."""
    return [
        (
            number * 500_000,
            f"<{E}{number}> <{E}of> <{E}{'ab'[number % 3 % 2]}> .\n"
            f'<{E}{number}> <{E}p> "{number * 7 % 11}"^^<http://www.w3.org/2001/XMLSchema#integer> .'.encode(),
        )
        for number in range(count)
    ]


def said(match: spaseq.Match) -> tuple[Any, ...]:
    """A match without its query and without what is given."""
    shown = {name: str(value) for name, value in match.bindings.items() if name not in ROWS[0]}
    return match.microseconds, tuple(sorted(shown.items()))


def in_order(found: list[spaseq.Match]) -> list[list[tuple[Any, ...]]]:
    """What was decided at each time; and rows come in their order."""
    times = [list(group) for _, group in groupby(found, key=lambda match: match.microseconds.decided)]
    given = [{name: _value(match.bindings[name]) for name in ROWS[0]} for match in found]
    places = [(match.microseconds.decided, ROWS.index(row)) for match, row in zip(found, given, strict=True)]
    assert places == sorted(places)
    return [sorted(map(said, group)) for group in times]


def _value(term: Any) -> Any:
    return term.toPython() if isinstance(term, rdflib.Literal) else term


@pytest.fixture
def wanted() -> list[tuple[Any, ...]]:
    """What three queries, written by hand, give."""
    return [said(match) for match in spaseq.run([alone(row) for row in ROWS], {"s": events()})]


# ── rows together are as each alone ──────────────────────────────────────────────────────────────────────
def test_rows_are_queries_and_come_in_order_of_decision(wanted: list[tuple[Any, ...]]) -> None:
    found = list(spaseq.run(QUERY, {"s": events()}, given=ROWS))
    assert len(wanted) > 50
    assert in_order(found) == [sorted(group) for _, group in groupby(wanted, key=lambda one: one[0].decided)]
    assert {match.query for match in found} == {"query1"}
    assert list(found[0].bindings)[:3] == ["who", "limit", "length"]


@pytest.mark.parametrize("size", [1, 7, 60])
def test_pushed_and_restored(wanted: list[tuple[Any, ...]], size: int) -> None:
    engine, found = spaseq.Engine(), []
    engine.register(QUERY, "given", given=ROWS)
    for start in range(0, 60, size):
        found += engine.push_batch("s", events()[start : start + size])
        engine = spaseq.Engine.restore(engine.snapshot(), {"given": QUERY})
    found += engine.close()
    assert sorted(map(said, found)) == sorted(wanted)
    assert [match.microseconds.decided for match in found] == [one[0].decided for one in wanted]


def test_rows_of_the_text() -> None:
    found = list(spaseq.run(IN_TEXT, {"s": events()}))
    assert [match.bindings for match in found] == [
        match.bindings for match in spaseq.run(QUERY, {"s": events()}, given=ROWS)
    ]
    prepared = spaseq.prepare(IN_TEXT)
    assert list(spaseq.run(prepared, {"s": events()})) == found


def test_no_rows_find_nothing() -> None:
    run = spaseq.run(QUERY, {"s": events()}, given=[])
    assert not list(run)
    assert run.statistics()["queries"]["query1"]["rows"] == 0


def test_rows_never_compete() -> None:
    """Under ``;`` the next event that fits is another one for each row."""
    query = QUERY.replace("ex:of ?who ;", "").replace("?limit ?length", "?limit").replace("?length", "9")
    pushed = events(4)
    found = list(spaseq.run(query, {"s": pushed}, given=[{"who": 0, "limit": limit} for limit in (5, 8)]))
    pairs = [(str(m.bindings["limit"]), str(m.bindings["a"])[-1], str(m.bindings["b"])[-1]) for m in found]
    assert [number * 7 % 11 for number in range(4)] == [0, 7, 3, 10]
    assert sorted(pairs) == [
        (limit, a, b) for limit, ends in (("5", "133"), ("8", "333")) for a, b in zip("012", ends, strict=True)
    ]


def test_most_results_are_of_the_query() -> None:
    every = list(map(said, spaseq.run(QUERY, {"s": events()}, given=ROWS)))
    run = spaseq.run(QUERY, {"s": events()}, given=ROWS, max_results=9)
    assert [said(match) for match in run] == every[:9]
    assert run.statistics()["queries"]["query1"]["over"]
    engine = spaseq.Engine()
    engine.register(QUERY, "q", max_results=2, given=ROWS)
    found = [match for time, graph in events() for match in engine.push("s", graph, time)]
    assert len(found) == 2
    restored = spaseq.Engine.restore(engine.snapshot(), {"q": QUERY})
    assert not restored.push("s", *reversed(events(61)[-1]))
    assert restored.statistics()["queries"]["q"]["results"] == 2


def test_counting(wanted: list[tuple[Any, ...]]) -> None:
    run = spaseq.Run(QUERY, {"s": events()}, given=ROWS, count_only=True)
    assert not list(run)
    assert run.counts() == {"query1": len(wanted)}


def test_statistics_are_of_all_rows(wanted: list[tuple[Any, ...]]) -> None:
    run = spaseq.run(QUERY, {"s": events()}, given=ROWS)
    list(run)
    found = run.statistics()["queries"]["query1"]
    assert (found["rows"], found["results"], found["events"]) == (3, len(wanted), 60)
    assert found["transitions"][1]["filters"] == ["?who as given", "(?y > ?limit)"]
    assert sum(one["fired"] for one in found["transitions"]) > 0


def test_callbacks() -> None:
    heard: list[spaseq.Match] = []
    engine = spaseq.Engine()
    engine.register(QUERY, "q", on_match=heard.append, given=ROWS)
    found = engine.push_batch("s", events())
    assert found
    assert heard == found


def test_unregistered_rows_leave_nothing() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", given=ROWS)
    engine.push_batch("s", events(20))
    engine.unregister("q")
    assert not engine.queries
    engine.register(QUERY, "q", given=ROWS[:1])
    assert engine.statistics()["queries"]["q"]["rows"] == 1


def test_derived_streams() -> None:
    construct = QUERY.replace("SELECT *", "CONSTRUCT { ?b ex:over ?limit } INTO STREAM <urn:t>")
    reader = (
        f"PREFIX ex: <{E}> SELECT ?b ?l FROM STREAM t <urn:t> WHERE {{ SEQ(T) DEFINE GPM T ON t {{ ?b ex:over ?l }} }}"
    )
    found = list(spaseq.run({"c": construct, "r": reader}, {"s": events()}, given={"c": ROWS}))
    derived = [match for match in found if match.query == "c"]
    read = [match for match in found if match.query == "r"]
    assert len(derived) == len(read) > 50
    assert {str(match.bindings["l"]) for match in read} == {"5", "7", "2"}
    names = [match.derived.name for match in derived if match.derived]
    assert len(set(names)) == len(names)


def test_labels_tell_derived_events_apart() -> None:
    construct = QUERY.replace("SELECT *", "CONSTRUCT { ?b ex:over 1 } INTO STREAM <urn:t>").replace(
        "GIVEN ?who", "GIVEN ?label ?who"
    )
    rows = [{"label": label, **ROWS[0]} for label in ("x", "y")]
    found = list(spaseq.run(construct, {"s": events()}, given=rows))
    assert len({match.derived.name for match in found if match.derived}) == len(found) > 10


# ── snapshots with other rows ────────────────────────────────────────────────────────────────────────────
def test_rows_come_and_go_with_a_restart() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", given=ROWS[:2])
    engine.push_batch("s", events(30))
    other = spaseq.Engine.restore(engine.snapshot(), {"q": QUERY}, given={"q": ROWS[1:]})
    found = other.push_batch("s", events()[30:]) + other.close()
    kept = [said(m) for m in found if str(m.bindings["limit"]) == "7"]
    new = [said(m) for m in found if str(m.bindings["limit"]) == "2"]
    assert len(kept) + len(new) == len(found)
    whole = [said(m) for m in spaseq.run(alone(ROWS[1]), {"s": events()}) if m.microseconds.decided >= 15_000_000]
    assert sorted(kept) == sorted(whole)
    assert new == [said(m) for m in spaseq.run(alone(ROWS[2]), {"s": events()[30:]})]


def test_a_row_that_is_new_after_a_restart_does_not_see_events_that_wait() -> None:
    engine = spaseq.Engine(lateness=10_000_000)
    engine.register(QUERY, "q", given=ROWS[1:2])
    engine.push_batch("s", events(10))
    engine.given("q").add(ROWS[2:])
    engine.push_batch("s", events()[10:15])
    engine = spaseq.Engine.restore(engine.snapshot(), {"q": QUERY}, given=ROWS)
    found = engine.push_batch("s", events()[15:]) + engine.close()
    for row, since in zip(ROWS, (15, 0, 10), strict=True):
        its = [said(match) for match in found if str(match.bindings["limit"]) == str(row["limit"])]
        assert sorted(its) == sorted(map(said, spaseq.run(alone(row), {"s": events()[since:]})))


def test_another_query_is_refused() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", given=ROWS)
    with pytest.raises(SpaseqError, match='taken with another query "q"'):
        spaseq.Engine.restore(engine.snapshot(), {"q": QUERY.replace("?y > ?limit", "?y >= ?limit")})


# ── rows come and go ─────────────────────────────────────────────────────────────────────────────────────
def test_rows_are_added_and_removed() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", given=ROWS[:1])
    rows = engine.given("q")
    assert [dict(row) for row in rows] == [
        {"who": ROWS[0]["who"], "limit": rdflib.Literal(5), "length": rdflib.Literal(10)}
    ]
    engine.push_batch("s", events(20))
    assert rows.add(ROWS) == 2
    assert rows.add([{**ROWS[0], "limit": rdflib.Literal("05", datatype=rdflib.XSD.integer)}]) == 0
    assert len(rows) == 3
    found = engine.push_batch("s", events()[20:40])
    assert rows.remove([ROWS[0], {**ROWS[0], "limit": 99}]) == 1
    later = engine.push_batch("s", events()[40:])
    assert {str(match.bindings["limit"]) for match in later} == {"7", "2"}
    new = [said(match) for match in found + later if str(match.bindings["limit"]) == "2"]
    assert new == [said(match) for match in spaseq.run(alone(ROWS[2]), {"s": events()[20:]})]
    assert engine.statistics()["queries"]["q"]["rows"] == 2


def test_a_new_row_does_not_see_events_that_wait() -> None:
    engine = spaseq.Engine(lateness=10_000_000)
    engine.register(QUERY, "q", given=[])
    engine.push_batch("s", events(10))
    assert engine.given("q").add(ROWS[:1]) == 1
    for time, graph in events()[10:20]:
        engine.push("s", graph, time)
    engine = spaseq.Engine.restore(engine.snapshot(), {"q": QUERY})
    found = engine.push_batch("s", events()[20:]) + engine.close()
    assert sorted(map(said, found)) == sorted(map(said, spaseq.run(alone(ROWS[0]), {"s": events()[10:]})))


def test_rows_that_are_wrong_change_nothing() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", given=[])
    with pytest.raises(StreamError, match="row 1"):
        engine.given("q").add([ROWS[0], {**ROWS[0], "length": "long"}])
    assert len(engine.given("q")) == 0
    engine.register(alone(ROWS[0]), "plain")
    with pytest.raises(OptionError, match='the query "plain" has no parameters'):
        engine.given("plain")
    with pytest.raises(OptionError, match="there is no query named"):
        engine.given("nothing")


def test_a_query_that_is_over_takes_no_rows() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", max_results=1, given=ROWS)
    engine.push_batch("s", events())
    assert engine.given("q").add([{**ROWS[0], "limit": 1}]) == 0


# ── where rows come from ─────────────────────────────────────────────────────────────────────────────────
COLUMNS: dict[str, list[Any]] = {"who": ["ex:a", f"<{E}b>", "ex:a"], "limit": [5, 7, 2], "length": [10, 20, 3]}
CSV = 'who,note,limit,length\nex:a,"one, two",5,10\nex:b,,7,20\n<http://e/a>,x,2,3\nex:a,again,05,10\n'


def written(path: Path, data: bytes | str) -> str:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def parquet_file(path: Path) -> Path:
    parquet.write_table(pyarrow.table(COLUMNS), path)
    return path


def solutions(path: Path) -> str:
    """Results of SPARQL in JSON."""
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    rows = [
        {"who": {"type": "uri", "value": str(row["who"])}}
        | {name: {"type": "literal", "value": str(row[name]), "datatype": integer} for name in ("limit", "length")}
        for row in ROWS
    ]
    return written(path, json.dumps({"head": {"vars": list(ROWS[0])}, "results": {"bindings": rows}}))


SOURCES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: pandas.DataFrame(COLUMNS),
    "polars": lambda _: polars.DataFrame(COLUMNS),
    "lazy polars": lambda _: polars.DataFrame(COLUMNS).lazy(),
    "Arrow": lambda _: pyarrow.table(COLUMNS),
    "a batch of Arrow": lambda _: pyarrow.RecordBatch.from_pydict(COLUMNS),
    "terms in a frame": lambda _: pandas.DataFrame(ROWS),
    "dictionaries": lambda _: iter(ROWS),
    "names with marks": lambda _: [{"?" + name: value for name, value in row.items()} for row in ROWS],
    "terms of pyoxigraph": lambda _: [{**row, "who": pyoxigraph.NamedNode(str(row["who"]))} for row in ROWS],
    "NumPy": lambda _: [{**row, "limit": np.int64(row["limit"])} for row in ROWS],
    "CSV": lambda folder: Path(written(folder / "t.csv", CSV)),
    "CSV, gzip": lambda folder: written(folder / "t.csv.gz", gzip.compress(CSV.encode())),
    "CSV with a mark": lambda folder: written(folder / "t.csv", "\ufeff" + CSV),
    "TSV of SPARQL": lambda folder: written(
        folder / "t.tsv", f"?who\t?limit\t?length\n<{E}a>\t5\t10\n<{E}b>\t7\t20\n<{E}a>\t2\t3\n"
    ),
    "Parquet": lambda folder: (parquet.write_table(pyarrow.table(COLUMNS), folder / "t.parquet"), folder / "t.parquet")[
        1
    ],
    "JSON lines": lambda folder: written(
        folder / "t.jsonl", pandas.DataFrame(COLUMNS).to_json(orient="records", lines=True) + "\n"
    ),
    "results of SPARQL": lambda folder: solutions(folder / "t.srj"),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_sources(kind: str, tmp_path: Path, wanted: list[tuple[Any, ...]]) -> None:
    assert sorted(map(said, spaseq.run(QUERY, {"s": events()}, given=SOURCES[kind](tmp_path)))) == sorted(wanted)


CELLS = {
    "12.5": '"12.5"^^<http://www.w3.org/2001/XMLSchema#decimal>',
    "-3": '"-3"^^<http://www.w3.org/2001/XMLSchema#integer>',
    " 4 ": '"4"^^<http://www.w3.org/2001/XMLSchema#integer>',
    "1e3": '"1e3"^^<http://www.w3.org/2001/XMLSchema#double>',
    "true": '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>',
    "ex:a": "<http://e/a>",
    "<http://x/y>": "<http://x/y>",
    '"x"@en': '"x"@en',
    '"5"': '"5"',
    '"5"^^ex:unit': '"5"^^<http://e/unit>',
    "Anna": '"Anna"',
    "Anna Maria": '"Anna Maria"',
    "no:prefix": '"no:prefix"',
    "http://x/y": '"http://x/y"',
    "12:30": '"12:30"',
    "5 kg": '"5 kg"',
    "?x": '"?x"',
    "UNDEF": '"UNDEF"',
    '"open': '"\\"open"',
}


@pytest.mark.parametrize("cell", CELLS)
def test_cells_are_what_stands_in_a_query(cell: str) -> None:
    reader = CellReader(Given(("x",), prefixes={"ex": E, "xsd": "http://www.w3.org/2001/XMLSchema#"}))
    assert term(reader.term(cell, is_text=True)) == CELLS[cell]
    in_frames = CELLS[cell]
    if cell[0] not in '"<e':  # numbers have types there
        in_frames = str(pyoxigraph.Literal(cell))
    assert term(reader.term(cell, is_text=False)) == (str(pyoxigraph.Literal(cell)) if cell == "true" else in_frames)


VALUES = {
    True: '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>',
    7: '"7"^^<http://www.w3.org/2001/XMLSchema#integer>',
    2.5: '"2.5"^^<http://www.w3.org/2001/XMLSchema#double>',
    Decimal("1.50"): '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>',
    datetime(2026, 1, 1, 12, tzinfo=UTC): '"2026-01-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
    datetime(2026, 1, 1, 12): '"2026-01-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
    date(2026, 1, 1): '"2026-01-01"^^<http://www.w3.org/2001/XMLSchema#date>',
    rdflib.URIRef(E + "a"): "<http://e/a>",
    rdflib.Literal("x", lang="en"): '"x"@en',
    pyoxigraph.Literal("5"): '"5"',
    float("-inf"): '"-INF"^^<http://www.w3.org/2001/XMLSchema#double>',
}


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_of_python(value: Any) -> None:
    assert term(CellReader(Given(("x",))).term(value, is_text=False)) == VALUES[value]


def term(found: Any) -> str:
    """A term in N-Triples."""
    if hasattr(found, "value"):
        return str(pyoxigraph.NamedNode(found.value))
    datatype = pyoxigraph.NamedNode(found.datatype)
    if found.language:
        return str(pyoxigraph.Literal(found.lexical, language=found.language))
    return str(pyoxigraph.Literal(found.lexical, datatype=datatype))


# ── what is wrong ────────────────────────────────────────────────────────────────────────────────────────
WRONG: dict[str, tuple[str, str]] = {
    "who,limit,length\nex:a,5,10\nex:b,,20\n": ("t.csv:3", "the column limit has no value"),
    "who,limit,length\nex:a,5,ten\n": ("t.csv:2", "the column length: ?length is the length of the window"),
    "who,limit,length\nex:a,5,0\n": ("t.csv:2", "this is no positive integer (0)"),
    "who,limit,lenght\nex:a,5,3\n": ("t.csv", "there is no column length, for the parameter ?length"),
    "who,limit,length,limit\nex:a,5,3,4\n": ("t.csv", "the column limit is there twice"),
    "who,limit,length\nex:a,5\n": ("t.csv:2", "a row of 2 values for 3 columns"),
    'who,limit,length\nex:a,"5\n': ("t.csv:2", "this is no CSV"),
    "": ("t.csv", "there is no column who"),
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_tables(text: str, tmp_path: Path) -> None:
    place, message = WRONG[text]
    path = written(tmp_path / "t.csv", text)
    with pytest.raises(StreamError) as caught:
        spaseq.run(QUERY, {"s": events()}, given=path)
    assert str(caught.value).startswith(f"{tmp_path}/{place}")
    assert message in str(caught.value)


def test_wrong_files(tmp_path: Path) -> None:
    wrong = {
        "t.csv": b"\xff\xfe", "t.parquet": b"x", "t.srj": b"{", "t.srx": b"<a/>", "t.jsonl": b"{",
        "t.ndjson": b"[" * 1_000_000,
    }  # fmt: skip
    for name, data in wrong.items():
        with pytest.raises(StreamError, match=r"this is no|these are no"):
            spaseq.run(QUERY, {"s": events()}, given=written(tmp_path / name, data))
    ask = written(tmp_path / "ask.srj", '{"head": {}, "boolean": true}')
    with pytest.raises(StreamError, match="results of ASK"):
        spaseq.run(QUERY, {"s": events()}, given=ask)
    with pytest.raises(StreamError, match="ending of its name"):
        spaseq.run(QUERY, {"s": events()}, given=str(tmp_path / "t.doc"))
    with pytest.raises(StreamError, match="no such file"):
        spaseq.run(QUERY, {"s": events()}, given=str(tmp_path / "no.csv"))


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA, pandas.NaT], ids=repr)
def test_values_that_are_missing(missing: object) -> None:
    with pytest.raises(StreamError, match=r"row 1.*the column limit has no value"):
        spaseq.run(QUERY, {"s": events()}, given=[ROWS[0], {**ROWS[0], "limit": missing}])


def test_values_that_are_no_terms() -> None:
    for value in (object(), b"x", pyoxigraph.BlankNode(), rdflib.BNode(), [1]):
        with pytest.raises(StreamError, match=r"row 0: error: the column limit: .* is n"):
            spaseq.run(QUERY, {"s": events()}, given=[{**ROWS[0], "limit": value}])
    with pytest.raises(StreamError, match="a row is a dictionary, not int"):
        spaseq.run(QUERY, {"s": events()}, given=[1])
    with pytest.raises(StreamError, match="there is no column limit"):
        spaseq.run(QUERY, {"s": events()}, given=[{"who": 1}])


def test_arguments() -> None:
    with pytest.raises(OptionError, match=r"needs rows for GIVEN \?who \?limit \?length"):
        spaseq.run(QUERY, {"s": events()})
    with pytest.raises(OptionError, match="has its rows in its text"):
        spaseq.run(IN_TEXT, {"s": events()}, given=ROWS)
    with pytest.raises(OptionError, match="has no parameters"):
        spaseq.run(alone(ROWS[0]), {"s": events()}, given=ROWS)
    with pytest.raises(OptionError, match="rows are given by the name of their query, as there are query1, query2"):
        spaseq.run([QUERY, QUERY], {"s": events()}, given=ROWS)
    with pytest.raises(OptionError, match="rows are given for querz1, but did you mean query1"):
        spaseq.run([QUERY, IN_TEXT], {"s": events()}, given={"querz1": ROWS})
    with pytest.raises(OptionError, match="rows are given as a path"):
        spaseq.run(QUERY, {"s": events()}, given=5)


def test_properties_are_iris() -> None:
    query = QUERY.replace("ex:p ?y", "?limit ?y").replace("?y > ?limit", "?y > 3")
    with pytest.raises(StreamError, match=r"the column limit: \?limit is a property, and this is no IRI \(5\)"):
        spaseq.run(query, {"s": events()}, given=ROWS)
    assert list(spaseq.run(query, {"s": events()}, given=[{**ROWS[0], "limit": rdflib.URIRef(E + "p")}]))


def test_equal_rows_are_one() -> None:
    rows = [{**ROWS[0], "limit": limit} for limit in (5, rdflib.Literal("05", datatype=rdflib.XSD.integer), "5")]
    run = spaseq.run(QUERY, {"s": events()}, given=rows)
    list(run)
    assert run.statistics()["queries"]["query1"]["rows"] == 2  # 5 and 05 are one number, "5" is a text
