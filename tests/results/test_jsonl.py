"""JSON lines are made by columns: byte for byte what Python's ``json`` makes of each match."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Triple

from gpm.native.json import lists, solutions
from gpm.native.texts import taken, times, woven
from gpm.rows import TextColumn
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.names import FEW_KEPT, EventNames
from spaseq.results.formats import Layout, open_writer
from spaseq.results.formats.writer import Utf8Output
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable
from spaseq.results.terms import coded_names, names_of, texts_of
from spaseq.sources.rdf.events import EventIris
from spaseq.streams.timestamps import iso
from spaseq.text import json_text
from tests.results.tables import START, iri, make_table

XSD = "http://www.w3.org/2001/XMLSchema#"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.integers(-(1 << 70), 1 << 70).map(lambda n: Literal(str(n), datatype=NamedNode(XSD + "integer")))
DATATYPES = st.sampled_from(["date", "duration", "hexBinary", "integer", "boolean", "double", "float", "dateTime"])
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
TERMS: st.SearchStrategy[Any] = st.one_of(
    TEXTS.map(Literal),
    st.builds(lambda text, tag: Literal(text, language=tag), TEXTS, st.sampled_from(["en", "de-ch", "x-a-b"])),
    st.builds(lambda text: Literal(text, language="ar", direction=BaseDirection.RTL), TEXTS),
    st.builds(lambda text, name: Literal(text, datatype=NamedNode(XSD + name)), TEXTS, DATATYPES),
    st.builds(lambda text: Literal(text, datatype=NamedNode("http://example.org/é?a&b'")), TEXTS),
    NUMBERS,
    st.floats().map(Literal),
    st.booleans().map(Literal),
    st.decimals(-(10**9), 10**9, places=6).map(lambda n: Literal(str(n), datatype=NamedNode(XSD + "decimal"))),
    st.datetimes().map(lambda time: Literal(time.isoformat(), datatype=NamedNode(XSD + "dateTime"))),
    st.sampled_from(
        [iri("x"), NamedNode("urn:é/%20&"), BlankNode("e12.b-0"), Triple(iri("s"), iri("p"), Literal('"é'))]
    ),
    st.none(),
)
PICKS = st.lists(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 99)), max_size=6), min_size=4, max_size=4)


def written(table: MatchTable, several: bool = False) -> str:
    output = io.StringIO(newline="")
    open_writer("jsonl", output, Layout(several=several)).write(table)
    return output.getvalue()


def one_by_one(table: MatchTable, several: bool = False) -> str:
    """What the format is by definition."""
    objects = [match.to_dict() for match in table]
    shown = [each if several else {name: each[name] for name in each if name != "query"} for each in objects]
    return "".join(json_text(each) + "\n" for each in shown)


@given(st.lists(st.tuples(TERMS, TERMS, TERMS), max_size=4), TEXTS, st.booleans(), st.data())
def test_columns_are_lines(rows: list[tuple[Any, ...]], text: str, several: bool, data: st.DataObject) -> None:
    picks = data.draw(PICKS)[: len(rows)]
    spans = [(data.draw(INT64), data.draw(INT64)) for _ in rows]
    table = make_table(("a", "b", "é"), rows, query=text, picks=picks, times=spans)
    named = replace(table, event_name=lambda handle: f"urn:{text}:{handle}", atom_names=("Ä", text))
    assert written(named, several) == one_by_one(named, several)
    own = named.alone(np.arange(len(named)))
    assert written(own, several) == one_by_one(named, several)


@pytest.mark.parametrize(
    "term",
    [
        'I\x7f\x1f"\\',
        "B\t",
        "S\u2028\0",
        "S\x80 \x9f\x9fé\xa0°\x85",
        "Iurn:\x9b",
        "L\0x",
        "Len--\0x",
        "L--rtl\0x",
        "La-b--ltr--\0x",
        "T\0x",
        f"T{XSD}string\0x",
        'T"\n\0',
    ],
)
def test_odd_bytes_of_terms(term: str) -> None:
    table = make_table(("x",), [(None,)])
    assert isinstance(table.terms, Terms)
    words = np.array([[table.terms.intern(term.encode())]], np.uint64)
    assert written(replace(table, words=words)) == one_by_one(replace(table, words=words))


def test_atoms_of_one_name_share_a_list() -> None:
    table = replace(make_table((), [()], picks=[[(1, 5), (0, 6), (1, 7), (2, 8)]]), atom_names=("A", "B", "A"))
    assert json.loads(written(table))["events"] == {
        "B": ["http://example.org/e5", "http://example.org/e7"],
        "A": ["http://example.org/e6", "http://example.org/e8"],
    }
    assert written(table) == one_by_one(table)


def test_derived_events_stand_at_the_end() -> None:
    triples = [Triple(iri("s"), iri("p"), term) for term in (Literal('é\n"x"'), BlankNode("d1"))]
    derived = tuple(DerivedEvent("urn:é", START, f"urn:derived:{number}", triples) for number in range(3))
    table = make_table((), [()] * 3, derived=derived)
    assert written(table) == one_by_one(table)
    assert list(json.loads(written(table[:1]))) == ["first", "last", "events", "bindings", "stream", "event", "triples"]


def test_aggregates_have_no_events() -> None:
    table = replace(make_table(("n",), [(Literal(1),), (None,)], picks=[[], []]), atom_names=())
    assert written(table) == one_by_one(table)
    assert written(make_table(("n",), [])) == ""


@given(st.lists(INT64 | st.integers(-(10**9), 10**9).map(lambda second: second * 1_000_000)))
def test_times_are_iso(microseconds: list[int]) -> None:
    assert listed(times(np.array(microseconds, np.int64))) == [iso(each) for each in microseconds]


@given(st.lists(st.text("aé", max_size=3), min_size=1, max_size=9), st.data())
def test_texts_are_chosen(texts: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(texts) - 1)))
    found = taken(texts_of(texts), np.array(chosen, np.int64))
    assert listed(found) == [texts[number] for number in chosen]


@pytest.mark.parametrize("chosen", [-1, 2])
def test_texts_that_are_not_there(chosen: int) -> None:
    with pytest.raises(ValueError, match=f"no text {chosen} among 2"):
        taken(texts_of(["a", "b"]), np.array([chosen]))
    for ends in ([0, 9], [-1, 1], [1, 0]):
        with pytest.raises(ValueError, match="no text 0 among 1"):
            taken((np.array(ends), b"a"), np.array([0]))


def test_lines_need_a_text_each() -> None:
    assert woven(2, [b"<", texts_of(["a", "bé"]), b">\n"]) == "<a>\n<bé>\n".encode()
    for column in (
        texts_of(["a"]),
        (np.array([0, 1, 9]), b"ab"),
        (np.array([0, 2, 1]), b"ab"),
        (np.array([-1, 1, 2]), b"ab"),
    ):
        with pytest.raises(ValueError, match="no column of 2 texts"):
            woven(2, [column])


def test_words_of_another_table() -> None:
    words = np.array([[Terms().intern(b"Iurn:x")]], np.uint64)
    with pytest.raises(ValueError, match="no word of this table"):
        solutions(Terms(), words, [b'"x"'], str)
    with pytest.raises(ValueError, match="0 names of 1 columns"):
        solutions(Terms(), words, [], str)


@pytest.mark.parametrize(
    ("offsets", "keys"), [([0, 3], [0, 0]), ([-1, 2], [0, 0]), ([2, 0, 2], [0, 0]), ([], [0, 0]), ([0, 2], [0, 1])]
)
def test_lists_out_of_range(offsets: list[int], keys: list[int]) -> None:
    with pytest.raises(ValueError, match=r"range|key"):
        lists(np.array(offsets, np.int64), np.array(keys, np.uint16), [b'"A"'], texts_of(["a", "b"]))


def test_failures_of_triple_terms_come_out() -> None:
    table = make_table(("t",), [(Triple(iri("s"), iri("p"), iri("o")),)])  # type: ignore[list-item]
    assert isinstance(table.terms, Terms)
    with pytest.raises(ZeroDivisionError):
        solutions(table.terms, table.words, [b'"t"'], lambda word: str(word // 0))


@pytest.mark.parametrize("count", [1, FEW_KEPT, 4 * FEW_KEPT])
def test_names_of_events_as_columns(count: int) -> None:
    names = EventNames(7)
    names.add(EventIris.of(f"urn:é:{number}" for number in range(count)))
    for number in range(count):
        names.append(f"urn:single:{number}")
    names.add(EventIris.of(f"urn:ordered:{number}" for number in range(count)), np.arange(count)[::-1].copy())
    known = [names(number) for number in range(7, names.next)]
    numbers = np.arange(7, names.next, dtype=np.uint64)[:: -1 if count % 2 else -2]
    kept = names.kept(numbers)
    table = replace(make_table((), [()], picks=[[(0, number) for number in numbers.tolist()]]), event_name=kept)
    assert written(table) == one_by_one(table)
    assert [kept(number) for number in numbers.tolist()] == [known[number - 7] for number in numbers.tolist()]


@pytest.mark.parametrize("step", [1, 20])
def test_names_and_which_of_them_each_event_has(step: int) -> None:
    names = EventNames(7)
    names.add(EventIris.of(f"urn:{number}" for number in range(7, 2007)))
    numbers = np.repeat(np.arange(7, 2007, step, dtype=np.uint64)[::-1], 2)
    for function in (names.kept(numbers), lambda number: f"urn:{number}"):
        texts, codes = coded_names(function, numbers)
        known = listed(texts)
        assert [known[code] for code in codes.tolist()] == [f"urn:{number}" for number in numbers.tolist()]
        assert listed(names_of(function, numbers)) == [f"urn:{number}" for number in numbers.tolist()]


def test_bytes_and_text_keep_their_order() -> None:
    file = io.BytesIO()
    output = Utf8Output(file)
    output.write("é\r\n")
    output.write_encoded("ü\n".encode())
    output.write("a")
    output.flush()
    assert file.getvalue().decode() == "é\r\nü\na"


def listed(column: TextColumn) -> list[str]:
    ends, text = column
    return [text[start:stop].decode() for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
