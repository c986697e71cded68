"""Every format is read back by somebody else's parser."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from xml.etree import ElementTree

import pyoxigraph
import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, QueryResultsFormat, RdfFormat, parse_query_results
from rich.cells import cell_len

from spaseq.errors import SpaseqError
from spaseq.results.formats import FRAMES, WRITERS, Layout, open_writer
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable
from tests.results.tables import START, OxTerm, iri, make_table

XSD = "http://www.w3.org/2001/XMLSchema#"
ROWS: list[tuple[OxTerm | None, ...]] = [
    (iri("x"), Literal(1), Literal('tab\t "quoted", line\nend\r é\\')),
    (BlankNode("e1.b0"), None, Literal("chat", language="fr")),
    (None, Literal(2.5), Literal("2026-01-01", datatype=NamedNode(XSD + "date"))),
    (None, None, None),
    (Literal(""), Literal(True), Literal("<&>'")),
]
COLUMNS = ("a", "b", "c")


def write(format: str, *tables: MatchTable, layout: Layout | None = None) -> str:
    output = io.StringIO(newline="")
    writer = open_writer(format, output, layout or Layout(tables[0].columns))
    for table in tables:
        writer.write(table)
    writer.close()
    return output.getvalue()


def solutions(text: str, format: QueryResultsFormat) -> list[tuple[OxTerm | None, ...]]:
    parsed = parse_query_results(text.encode(), format=format)
    return [tuple(solution) for solution in parsed]


@pytest.mark.parametrize(
    ("name", "format"),
    [("json", QueryResultsFormat.JSON), ("xml", QueryResultsFormat.XML), ("tsv", QueryResultsFormat.TSV)],
)
def test_solutions_come_back(name: str, format: QueryResultsFormat) -> None:
    one, two = make_table(COLUMNS, ROWS[:2]), make_table(COLUMNS, ROWS[2:])
    assert solutions(write(name, one, two), format) == ROWS


@pytest.mark.parametrize("name", ["json", "xml", "tsv"])
def test_no_matches_still_make_a_document(name: str) -> None:
    text = write(name, make_table(COLUMNS, []))
    parsed = parse_query_results(text.encode(), format=getattr(QueryResultsFormat, name.upper()))
    assert list(parsed) == []
    assert [variable.value for variable in parsed.variables] == list(COLUMNS)


@pytest.mark.parametrize("name", ["json", "xml", "tsv"])
def test_matches_without_variables(name: str) -> None:
    text = write(name, make_table((), [(), ()]))
    parsed = parse_query_results(text.encode(), format=getattr(QueryResultsFormat, name.upper()))
    assert parsed.variables == []
    assert [list(solution) for solution in parsed] == [[], []]


def test_matches_without_variables_show_events() -> None:
    table = make_table((), [(), ()])
    lines = [json.loads(line) for line in write("jsonl", table).splitlines()]
    assert [line["bindings"] for line in lines] == [{}, {}]
    assert [line["events"]["A"] for line in lines] == [["http://example.org/e0"], ["http://example.org/e1"]]
    assert write("csv", table).split("\r\n") == ["", "", "", ""]
    assert write("table", table, layout=Layout(())).count("/e1") >= 1
    assert table.to_arrow().column_names == ["first", "last", "events"]
    assert len(table.to_pandas()) == 2


def test_csv_has_plain_values() -> None:
    rows = list(csv.reader(io.StringIO(write("csv", make_table(COLUMNS, ROWS)), newline="")))
    assert rows == [
        ["a", "b", "c"],
        ["http://example.org/x", "1", 'tab\t "quoted", line\nend\r é\\'],
        ["_:e1.b0", "", "chat"],
        ["", "2.5", "2026-01-01"],
        ["", "", ""],
        ["", "true", "<&>'"],
    ]


def test_jsonl_lines_are_what_to_dict_gives() -> None:
    table = make_table(COLUMNS, ROWS)
    lines = [json.loads(line) for line in write("jsonl", table, layout=Layout(several=True)).splitlines()]
    assert lines == [match.to_dict() for match in table]


def test_jsonl_of_one_query_has_no_name() -> None:
    line = write("jsonl", make_table(COLUMNS, ROWS[:1])).strip()
    assert list(json.loads(line)) == ["first", "last", "events", "bindings"]


def derived_table() -> MatchTable:
    triples = [pyoxigraph.Triple(iri("s"), iri("p"), term) for term in (Literal("x\n@prefix a:"), BlankNode("d1"))]
    events = tuple(
        DerivedEvent("http://example.org/out", START + i * 1_500_000, f"urn:spaseq:derived:{i}", triples)
        for i in range(3)
    )
    return make_table((), [()] * 3, derived=events)


@pytest.mark.parametrize(("name", "format"), [("nquads", RdfFormat.N_QUADS), ("trig", RdfFormat.TRIG)])
def test_derived_events_are_a_stream_on_the_wire(name: str, format: RdfFormat) -> None:
    table = derived_table()
    text = write(name, table[:1], table[1:], layout=Layout(prefixes={"ex": "http://example.org/"}))
    quads = list(pyoxigraph.parse(text.encode(), format=format))
    assert len(quads) == 9
    time, *graph = quads[3:6]
    assert time.graph_name == pyoxigraph.DefaultGraph()
    assert time.predicate.value == "http://www.w3.org/ns/prov#generatedAtTime"
    assert time.object == Literal("2026-01-01T00:00:01.500000Z", datatype=NamedNode(XSD + "dateTime"))
    assert [quad.graph_name for quad in graph] == [time.subject] * 2 == [NamedNode("urn:spaseq:derived:1")] * 2
    assert graph[0].triple == pyoxigraph.Triple(iri("s"), iri("p"), Literal("x\n@prefix a:"))


def test_trig_declares_prefixes_once() -> None:
    table = derived_table()
    text = write("trig", table[:1], table[1:], layout=Layout(prefixes={"ex": "http://example.org/"}))
    assert sum(line.startswith("@prefix ex:") for line in text.splitlines()) == 1
    assert "ex:s ex:p" in text


@pytest.mark.parametrize("name", ["nquads", "trig"])
def test_solutions_are_no_stream(name: str) -> None:
    assert "<http" not in write(name, make_table(COLUMNS, ROWS)).replace("@prefix xsd: <http", "").replace(
        "@prefix prov: <http", ""
    )


def test_table_shows_terms_for_people() -> None:
    text = write("table", make_table(COLUMNS, ROWS), layout=Layout(COLUMNS, prefixes={"ex": "http://example.org/"}))
    lines = text.splitlines()
    assert lines[0].split() == ["first", "last", "?a", "?b", "?c", "events"]
    assert "ex:x" in lines[2] and "A ex:e0, B ex:e1 ex:e2" in lines[2]
    assert "chat@fr" in text and "_:e1.b0" in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_table_has_one_head_and_cuts_nothing() -> None:
    tables = make_table(("x",), [(Literal("short"),)]), make_table(("x",), [(Literal("a" * 300),)])
    text = write("table", *tables)
    assert text.count("?x") == 1
    assert len(text.splitlines()) == 4 and text.count("a") >= 300


def test_a_table_waits_for_the_rows_that_make_its_columns() -> None:
    output = io.StringIO()
    writer = open_writer("table", output, Layout(("x",), first_rows=2, awaited=True))
    short, long = (make_table(("x",), [(Literal(text),)]) for text in ("a", "a" * 30))
    writer.write(short)
    assert output.getvalue() == ""
    writer.write(long)
    lines = output.getvalue().splitlines()
    assert len(lines) == 4 and lines[2].index("A ") == lines[3].index("A ")
    writer.write(replace(short, query="other"))
    assert len(output.getvalue().splitlines()) == 5  # an empty line
    writer.close()
    assert len(output.getvalue().splitlines()) == 8


def on_terminal(width: int, monkeypatch: pytest.MonkeyPatch, *tables: MatchTable) -> list[str]:
    """The lines of a table on a terminal."""
    monkeypatch.setenv("COLUMNS", str(width))
    output = Terminal()
    writer = open_writer("table", output, Layout(tables[0].columns))
    for table in tables:
        writer.write(table)
    return output.getvalue().splitlines()


def test_a_match_is_one_line_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [make_table(("x",), [(Literal(text),)]) for text in ("short", "a" * 300, "宽" * 300)]
    lines = on_terminal(80, monkeypatch, *tables)
    assert len(lines) == 2 + 3 and all(cell_len(line) <= 80 for line in lines)
    assert "aaa…" in lines[3] and "宽宽" in lines[4] and "…" in lines[4]


def test_a_later_match_is_whole_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [make_table(("x", "y"), [(Literal(number), Literal("end"))]) for number in (1, 123_456_789)]
    assert " 123456789   end " in on_terminal(140, monkeypatch, *tables)[3]


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (140, "2026-01-01T00:00:00Z   2026-01-01T00:00:01Z   …company/1   A …quote/0, B …quote/1 …quote/2"),
        (80, "2026-01-01T00:00:00Z   +1s    …company/1   A …quote/0, B …quote/1 …quote/2"),
        (60, "2026-01-01T00:00:00Z   +1s    …1   A …0, B …1 …2"),
        (40, "2026-01-01T00:00:00Z +1s  …1 A …0, B …1…"),
        (20, "…:00:00Z +1s  …1 A …"),
    ],
)
def test_lines_become_shorter_step_by_step(width: int, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(("x",), [(NamedNode("http://example.org/data/stock/company/1"),)])
    named = replace(table, event_name=lambda handle: f"http://example.org/data/stock/quote/{handle}")
    assert on_terminal(width, monkeypatch, named)[2] == line


def test_table_on_a_terminal_is_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(("x",), [(NamedNode("http://example.org/data/stock/company/1"),)])
    assert "…company/1" in on_terminal(140, monkeypatch, table)[2]


def test_table_of_several_queries_names_them() -> None:
    tables = [make_table(("x",), [(Literal(1),)], query=name) for name in ("one", "two")]
    text = write("table", *tables, layout=Layout(several=True))
    assert text.index("one") < text.index("two") and text.count("?x") == 2


def test_table_of_derived_events() -> None:
    assert "urn:spaseq:derived:2" in write("table", derived_table())


def test_xml_refuses_what_it_cannot_carry() -> None:
    with pytest.raises(SpaseqError, match=r"U\+0001"):
        write("xml", make_table(("x",), [(Literal("\x01"),)]))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
xml_texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff", include_characters="\t\r\n"),
    max_size=12,
)
languages = st.sampled_from(["en", "de-ch", "zh-hant", "x-private"])
datatypes = st.sampled_from(["date", "duration", "hexBinary", "integer", "boolean", "double"])


def literals(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Literal]:
    return st.one_of(
        texts.map(Literal),
        st.builds(lambda text, tag: Literal(text, language=tag), texts, languages),
        st.builds(lambda text, name: Literal(text, datatype=NamedNode(XSD + name)), texts, datatypes),
        st.builds(lambda text: Literal(text, datatype=NamedNode("http://example.org/é?a&b'")), texts),
        st.integers(-(1 << 63), (1 << 63) - 1).map(Literal),
        st.floats(allow_nan=False).map(Literal),
        st.booleans().map(Literal),
    )


def rows(texts: st.SearchStrategy[str]) -> st.SearchStrategy[list[tuple[OxTerm | None, ...]]]:
    others = st.sampled_from([None, iri("x"), NamedNode("urn:é/%20&<".replace("<", "")), BlankNode("e12.b-0")])
    return st.lists(st.tuples(others | literals(texts), literals(texts)), max_size=4)


def stored(term: OxTerm | None) -> OxTerm | None:
    """The term as the term table keeps it."""
    if term is None:
        return None
    table = make_table(("x",), [(term,)])
    from gpm.terms import decode

    return decode(table.terms, int(table.words[0, 0]))  # type: ignore[arg-type, return-value]


@settings(max_examples=150, deadline=None)
@given(rows(texts))
def test_any_term_survives_json_and_tsv(given_rows: list[tuple[OxTerm | None, ...]]) -> None:
    table = make_table(("a", "b"), given_rows)
    expected = [tuple(map(stored, row)) for row in given_rows]
    assert solutions(write("json", table), QueryResultsFormat.JSON) == expected
    lines = write("tsv", table).split("\n")[1:-1]
    assert len(lines) == len(expected)
    for line, row in zip(lines, expected, strict=True):
        assert [parse_term(field) for field in line.split("\t")] == list(row)
    assert [json.loads(line) for line in write("jsonl", table, layout=Layout(several=True)).split("\n")[:-1]] == [
        match.to_dict() for match in table
    ]


def parse_term(field: str) -> OxTerm | None:
    if not field:
        return None
    (triple,) = pyoxigraph.parse(f"<urn:s> <urn:p> {field} .", format=RdfFormat.N_TRIPLES)
    return triple.object  # type: ignore[return-value]


@settings(max_examples=150, deadline=None)
@given(rows(xml_texts))
def test_any_xml_text_survives_xml(given_rows: list[tuple[OxTerm | None, ...]]) -> None:
    expected = [tuple(map(stored, row)) for row in given_rows]
    root = ElementTree.fromstring(write("xml", make_table(("a", "b"), given_rows)))
    results = [
        {binding.get("name"): xml_term(binding[0]) for binding in result} for result in root.iter(NAMESPACE + "result")
    ]
    assert [(result.get("a"), result.get("b")) for result in results] == expected


NAMESPACE = "{http://www.w3.org/2005/sparql-results#}"


def xml_term(element: ElementTree.Element) -> OxTerm:
    text, kind = element.text or "", element.tag.removeprefix(NAMESPACE)
    if kind != "literal":
        return NamedNode(text) if kind == "uri" else BlankNode(text)
    datatype = element.get("datatype")
    language = element.get("{http://www.w3.org/XML/1998/namespace}lang")
    return Literal(text, language=language, datatype=NamedNode(datatype) if datatype else None)


@settings(max_examples=100, deadline=None)
@given(rows(xml_texts))
def test_any_text_survives_csv(given_rows: list[tuple[OxTerm | None, ...]]) -> None:
    text = write("csv", make_table(("a", "b"), given_rows))
    back = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert [row[1] for row in back] == [stored(row[1]).value for row in given_rows]  # type: ignore[union-attr]


@settings(max_examples=100, deadline=None)
@given(rows(texts), st.sampled_from(sorted(WRITERS.keys() - FRAMES - {"xml"})))
def test_no_format_fails(given_rows: list[tuple[OxTerm | None, ...]], format: str) -> None:
    write(format, make_table(("a", "b"), given_rows))


@pytest.mark.parametrize("name", ["json", "xml", "tsv"])
def test_times_are_the_first_two_variables(name: str) -> None:
    table = make_table(("first", "b"), [(Literal("x"), None)], times=[(START, START + 1_500_000)])
    text = write(name, table, layout=Layout(table.columns, times=True))
    parsed = parse_query_results(text.encode(), format=getattr(QueryResultsFormat, name.upper()))
    assert [variable.value for variable in parsed.variables] == ["first_", "last", "first", "b"]
    instant = NamedNode(XSD + "dateTime")
    assert [tuple(solution) for solution in parsed] == [
        (
            Literal("2026-01-01T00:00:00Z", datatype=instant),
            Literal("2026-01-01T00:00:01.5Z", datatype=instant),
            Literal("x"),
            None,
        )
    ]


def test_times_in_csv() -> None:
    far = (1 << 63) - 1
    table = make_table(("x",), [(Literal(1),), (Literal(2),)], times=[(START, START), (-far, far)])
    rows = write("csv", table, layout=Layout(table.columns, times=True)).splitlines()
    assert rows == [
        "first,last,x",
        "2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1",
        "-290308-12-21T19:59:05.224193Z,294247-01-10T04:00:54.775807Z,2",
    ]
