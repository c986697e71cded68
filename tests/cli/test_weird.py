"""Weird but legal input through the command line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from spaseq.cli.terminal import describe
from spaseq.errors import Location, StreamError
from tests.cli.conftest import Invoke

PROV = "http://www.w3.org/ns/prov#generatedAtTime"
XSD = "http://www.w3.org/2001/XMLSchema#"
ONE = "SELECT ?v WITHIN 1 DAY FROM STREAM s <urn:st> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?v } }"
COPY = """CONSTRUCT { ?s ?p ?v } INTO STREAM <urn:out> WITHIN 1 DAY FROM STREAM s <urn:st>
WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?v } }"""
TRIG = f"@prefix : <urn:> . @prefix p: <http://www.w3.org/ns/prov#> . @prefix x: <{XSD}> .\n"

Try = Callable[..., Result]


def event(number: int, time: str, value: str, datatype: str = "dateTime") -> str:
    name = f"<urn:e{number}>"
    return f'{name} <{PROV}> "{time}"^^<{XSD}{datatype}> .\n<urn:s> <urn:p> {value} {name} .\n'


@pytest.fixture
def attempt(invoke: Invoke) -> Try:
    """Run a query on the content of a stream."""

    def run(content: str | bytes, *options: str, query: str = ONE, name: str = "w.nq") -> Result:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        Path("w.spaseq").write_text(query, encoding="utf-8", newline="")
        return invoke("run", "w.spaseq", "--stream", f"s={name}", *options)

    return run


def lines(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────
TWO = event(1, "2026-01-01T00:00:01Z", '"1"') + event(2, "2026-01-01T00:00:02Z", '"2"')
FILES = {
    "CRLF": TWO.replace("\n", "\r\n").encode(),
    "CR": TWO.replace("\n", "\r").encode(),
    "byte order mark": b"\xef\xbb\xbf" + TWO.encode(),
    "no newline at the end": TWO.rstrip("\n").encode(),
    "comments and empty lines": ("# a\n\n" + TWO.replace(".\n", ". # c\n \t\n")).encode(),
    "gzip": gzip.compress(TWO.encode()),
    "two gzip members": b"".join(gzip.compress(line) for line in TWO.encode().splitlines(keepends=True)),
    "gzip of a byte order mark": gzip.compress(b"\xef\xbb\xbf" + TWO.encode()),
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
@pytest.mark.parametrize("name", ["w.nq", "w", "w.nq.gz"])
def test_files(attempt: Try, content: bytes, name: str) -> None:
    found = lines(attempt(content, name=name))
    assert [row["bindings"] for row in found] == [{"v": {"type": "literal", "value": v}} for v in "12"]


def test_windows_line_ends_in_a_query(attempt: Try) -> None:
    query = ONE.replace(" ", "\r\n")
    assert len(lines(attempt(TWO, query=query))) == 2
    assert len(lines(attempt(TWO, query="\ufeff" + query))) == 2
    wrong = attempt(TWO, query=query.replace("SEQ(A)", "SEQ(A,)"))
    assert wrong.exit_code == 2
    assert "\r" not in wrong.stderr


def test_a_long_literal(attempt: Try) -> None:
    literal = "é" * 2_000_000
    (row,) = lines(attempt(event(1, "2026-01-01T00:00:01Z", f'"{literal}"')))
    assert row["bindings"] == {"v": {"type": "literal", "value": literal}}


# ── times ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "datatype", "shown"),
    [
        ("2026-01-01T24:00:00Z", "dateTime", "2026-01-02T00:00:00Z"),
        ("2026-01-01T00:00:00+14:00", "dateTimeStamp", "2025-12-31T10:00:00Z"),
        ("2026-01-01T00:00:00", "dateTime", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00.1234567899Z", "dateTime", "2026-01-01T00:00:00.123456Z"),
        ("1969-12-31T23:59:59.999999Z", "dateTime", "1969-12-31T23:59:59.999999Z"),
        ("0000-01-01T00:00:00Z", "dateTime", "0000-01-01T00:00:00Z"),
        ("-0044-03-15T12:00:00Z", "dateTime", "-0044-03-15T12:00:00Z"),
        ("-12345-03-15T12:00:00Z", "dateTime", "-12345-03-15T12:00:00Z"),
        ("12026-01-01T00:00:00Z", "dateTime", "12026-01-01T00:00:00Z"),
        ("-5", "int", "1969-12-31T23:59:59.999995Z"),
        ("9223372036854775806", "integer", "294247-01-10T04:00:54.775806Z"),
        ("-9223372036854775807", "integer", "-290308-12-21T19:59:05.224193Z"),
    ],
)
def test_times(attempt: Try, text: str, datatype: str, shown: str) -> None:
    content = event(1, text, '"x"', datatype)
    (row,) = lines(attempt(content))
    assert (row["first"], row["last"]) == (shown, shown)
    assert shown in attempt(content, "--format", "table").stdout
    derived = attempt(content, "--format", "nquads", query=COPY)
    (again,) = lines(attempt(derived.stdout))
    assert again["first"] == shown


@pytest.mark.parametrize("window", ["", "WITHIN 1 DAY", "WITHIN 1 DAY SLIDING", "WITHIN 1 EVENTS"])
@pytest.mark.parametrize("sequence", ["A ; B!", "B! ; A", "A ; B?", "A ; B*", "A{1,3}"])
def test_times_at_the_edges_of_the_range(attempt: Try, window: str, sequence: str) -> None:
    ends = event(1, "-9223372036854775807", '"x"', "integer") + event(2, "9223372036854775806", '"x"', "integer")
    query = f"SELECT ?v {window} FROM STREAM s <urn:st> WHERE {{ SEQ({sequence}) DEFINE GPM A ON s {{ ?s ?p ?v }} "
    query += 'DEFINE GPM B ON s { ?s ?p "y" } }'
    found = lines(attempt(ends, query=query))
    assert len(found) == (3 if sequence == "A{1,3}" and not window else 2)


@pytest.mark.parametrize(("unit", "year"), [("us", "1970"), ("ms", "1970"), ("s", "2026")])
def test_time_units(attempt: Try, unit: str, year: str) -> None:
    (row,) = lines(attempt(event(1, "1767225600", '"x"', "integer"), "--time-unit", unit))
    assert str(row["first"]).startswith(year)


@pytest.mark.parametrize("lateness", ["999999999d", "99999999999d", "9" * 400 + "s"])
def test_endless_lateness(attempt: Try, lateness: str) -> None:
    result = attempt(TWO, "--lateness", lateness)
    assert result.exit_code in (0, 2)
    assert "internal error" not in result.stderr
    assert result.exit_code == 2 or len(lines(result)) == 2


# ── graphs ───────────────────────────────────────────────────────────────────────────────────────────────
def at(second: int) -> str:
    return f'p:generatedAtTime "2026-01-01T00:00:0{second}Z"^^x:dateTime'


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f":e1 {at(1)} . :e1 {{ :s :p 1 }} :e2 {{ :s :p 2 }} :e2 {at(2)} .", [1, 2]),
        (f":e1 {at(1)} . :e1 {{ }} :e2 {at(2)} . :e2 {{ :s :p 2 }}", [2]),
        (f"_:e1 {at(1)} . _:e1 {{ :s :p 1 }} _:e2 {{ :s :p 2 }} _:e2 {at(2)} .", [1, 2]),
        (f":e1 {at(1)} ; <http://www.w3.org/ns/sosa/resultTime> "
         '"2026-01-01T01:00:01+01:00"^^x:dateTime . :e1 { :s :p 1 }', [1]),
        (f":e1 {at(1)} ; :other 3 . :x :y :z . :e1 {{ :s :p 1 }}", [1]),
        (f":e1 {at(1)} . :e1 {{ :s :p 1, 1, 01, +1 }}", [1]),
    ],
)  # fmt: skip
def test_graphs(attempt: Try, text: str, values: list[int]) -> None:
    found = lines(attempt(TRIG + text, name="w.trig"))
    assert [int(row["bindings"]["v"]["value"]) for row in found] == values  # type: ignore[index]


def test_a_time_inside_its_graph(attempt: Try) -> None:
    result = attempt(TRIG + f":e1 {{ :s :p 1 . :e1 {at(1)} }}", name="w.trig")
    assert result.exit_code == 1
    assert "hint: the time stands inside the graph: write it outside, in the default graph" in result.stderr


def test_triples_without_graphs_are_no_events(attempt: Try) -> None:
    result = attempt("<urn:a> <urn:b> <urn:c> .\n" * 3, "--count")
    assert result.stdout == "0\n"
    assert (
        "warning: 3 statements of <urn:st> outside of named graphs were ignored: an event is a named" in result.stderr
    )


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────
TERMS = {
    '"99999999999999999999999999999999999999"^^<%sinteger>': {"value": "9" * 38, "datatype": XSD + "integer"},
    '"NaN"^^<%sdouble>': {"value": "NaN", "datatype": XSD + "double"},
    '"-INF"^^<%sdouble>': {"value": "-INF", "datatype": XSD + "double"},
    '"abc"^^<%sinteger>': {"value": "abc", "datatype": XSD + "integer"},
    '""^^<%sboolean>': {"value": "", "datatype": XSD + "boolean"},
    '"2026-02-30"^^<%sdate>': {"value": "2026-02-30", "datatype": XSD + "date"},
    '"2026-01-01T24:00:00"^^<%sdateTime>': {"value": "2026-01-02T00:00:00", "datatype": XSD + "dateTime"},
    '"x"@en-GB': {"value": "x", "xml:lang": "en-gb"},
    '"x"@en--ltr': {"value": "x", "xml:lang": "en", "its:dir": "ltr"},
    '"a\\tb\\nc\\r\\"\\\\"': {"value": 'a\tb\nc\r"\\'},
    '"\\U0010FFFD"': {"value": "\U0010fffd"},
    '"x"^^<urn:spaseq:triple-term>': {"value": "x", "datatype": "urn:spaseq:triple-term"},
}


@pytest.mark.parametrize(("text", "term"), TERMS.items())
def test_terms_in_every_format(attempt: Try, text: str, term: dict[str, str]) -> None:
    content = event(1, "2026-01-01T00:00:01Z", text.replace("%s", XSD))
    (row,) = lines(attempt(content))
    assert row["bindings"] == {"v": {"type": "literal"} | term}
    (solution,) = json.loads(attempt(content, "--format", "json").stdout)["results"]["bindings"]
    assert solution == row["bindings"]
    (literal,) = ElementTree.fromstring(attempt(content, "--format", "xml").stdout).findall(".//{*}literal")
    assert (literal.text or "") == term["value"]
    cells = attempt(content, "--format", "csv").stdout_bytes.decode()
    assert list(csv.reader(io.StringIO(cells, newline="")))[1:] == [[term["value"]]]
    for name in "tsv", "table":
        assert attempt(content, "--format", name).exit_code == 0
    derived = attempt(content, "--format", "trig", query=COPY)
    (again,) = lines(attempt(derived.stdout, name="w.trig"))
    assert again["bindings"] == row["bindings"]


def test_triple_terms_in_every_format(attempt: Try) -> None:
    content = event(1, "2026-01-01T00:00:01Z", '<<( <urn:a> <urn:b> <<( <urn:c> <urn:d> "e"@en )>> )>>')
    inner = {
        "subject": {"type": "uri", "value": "urn:c"},
        "predicate": {"type": "uri", "value": "urn:d"},
        "object": {"type": "literal", "value": "e", "xml:lang": "en"},
    }
    outer = {
        "subject": {"type": "uri", "value": "urn:a"},
        "predicate": {"type": "uri", "value": "urn:b"},
        "object": {"type": "triple", "value": inner},
    }
    (row,) = lines(attempt(content))
    assert row["bindings"] == {"v": {"type": "triple", "value": outer}}
    assert len(ElementTree.fromstring(attempt(content, "--format", "xml").stdout).findall(".//{*}triple")) == 2
    for name in "json", "csv", "tsv", "table":
        assert attempt(content, "--format", name).exit_code == 0
    for name in "nquads", "trig":
        derived = attempt(content, "--format", name, query=COPY)
        (again,) = lines(attempt(derived.stdout, name=f"w.{name}"))
        assert again["bindings"] == row["bindings"]


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
def gpm(name: str, body: str) -> str:
    return f"DEFINE GPM {name} ON s {{ {body} }} "


def query(sequence: str, *gpms: str, select: str = "SELECT ?v", window: str = "1 DAY") -> str:
    return f"{select} WITHIN {window} FROM STREAM s <urn:st> WHERE {{ SEQ({sequence}) {''.join(gpms)} }}"


A, B = gpm("A", "?x <urn:p> ?v"), gpm("B", "?x <urn:q> ?w")
OPTIONALS = " ".join(f"OPTIONAL {{ ?s <urn:o{i}> ?o{i} }}" for i in range(100))
UNIONS = " UNION ".join(f"{{ ?s <urn:p> ?v{i} }}" for i in range(150))
LARGE = {
    "150 GPMs": query(" ; ".join(f"G{i}" for i in range(150)), *(gpm(f"G{i}", f"?s ?p ?v{i}") for i in range(150))),
    "bounds": query("A{1,1000} ; B", A, B),
    "100 OPTIONALs": query("A", gpm("A", f"?s <urn:p> ?v {OPTIONALS}")),
    "150 UNIONs": query("A", gpm("A", UNIONS)),
    "parentheses": query("(" * 3000 + "A" + ")" * 3000, A),
    "groups": query("A", gpm("A", "{" * 150 + "?x <urn:p> ?v" + "}" * 150)),
    "a filter": query("A", gpm("A", f"?x <urn:p> ?v FILTER({'!' * 150}(?v != 0))")),
    "a comment": query("A", A) + " # " + "x" * 1_000_000,
    "names": query("A", gpm("A", f"?x <urn:{'p' * 60_000}> ?{'v' * 60_000}"), select="SELECT *"),
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_large_queries(attempt: Try, text: str) -> None:
    result = attempt(TWO, "--count", query=text)
    assert result.exit_code == 0, result.stderr[:1000]


TOO_LARGE = {
    "steps": (query("A{1,100000}", A), "steps, more than 4,096"),
    "a bound": (query("A{99999999999999999999}", A), "too large"),
    "triples": (query("A", gpm("A", "?x <urn:p> ?v . " * 5_000)), "joins more than 128 triples"),
    "a list": (query("A", gpm("A", "?x <urn:p> (" + "1 " * 1000 + ")")), "joins more than 128 triples"),
    "EXISTS": (query("A", gpm("A", "?x ?p ?v FILTER EXISTS { " + "?x ?p ?v . " * 200 + "}")), "more than 128 triples"),
    "OPTIONALs": (query("A", gpm("A", "?x ?p ?v " + "OPTIONAL { ?x ?p ?v } " * 200)), "joins more than 128 triples"),
}


@pytest.mark.parametrize(("text", "message"), TOO_LARGE.values(), ids=TOO_LARGE.keys())
def test_too_large_queries(attempt: Try, text: str, message: str) -> None:
    result = attempt(TWO, query=text)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr) < 2000


def test_ten_warnings_are_enough(attempt: Try) -> None:
    text = query("A", A, select="SELECT ?v " + " ".join(f"?n{i}" for i in range(1000)))
    result = attempt(TWO, "--count", query=text)
    assert result.exit_code == 0
    assert result.stderr.count(": warning: nothing binds") == 10
    assert result.stderr.endswith("… and 990 more warnings\n")


@pytest.mark.parametrize("option", ["--output", "--late"])
@pytest.mark.parametrize("stream", ["w.nq", "*.nq", "."])
def test_what_is_read_is_not_overwritten(invoke: Invoke, option: str, stream: str) -> None:
    Path("s.nq").rename("w.nq")
    Path("link.txt").symlink_to("w.nq")
    before = Path("w.nq").read_bytes()
    for place in "w.nq", "./w.nq", "link.txt", "q.spaseq":
        result = invoke("run", "q.spaseq", "--stream", f"s={stream}", option, place)
        assert result.exit_code == 2
        assert "this file is read in the same run" in result.stderr
    assert Path("w.nq").read_bytes() == before
    assert invoke("run", "q.spaseq", "--stream", f"s={stream}", option, "new.txt").exit_code == 0


def test_two_outputs_are_two_files(attempt: Try) -> None:
    assert "cannot both write o" in attempt(TWO, "--output", "o", "--late", "./o").stderr
    assert attempt(TWO, "--output", "/dev/null", "--late", "/dev/null").exit_code == 0


MANY = "".join(
    event(i, str(1_000_000 * (i // 2)), f'"{i % 3}"^^<{XSD}integer>', "integer")
    .replace("<urn:p>", f"<urn:{'pqp'[i * i % 3]}>")
    .replace("<urn:s>", f"<urn:s{i % 4 // 2}>")
    for i in range(40)
)
FORMS = (
    "SELECT *", "SELECT ?v", "SELECT DISTINCT ?v", "SELECT (?v + 1 AS ?u)", "SELECT (1 AS ?u)",
    "SELECT (STR(?v) AS ?u)", "SELECT DISTINCT (?v * 0 AS ?u)", "SELECT (COUNT(*) AS ?n)", "SELECT (SUM(?v) AS ?n)",
    "CONSTRUCT { ?x <urn:r> ?v } INTO STREAM <urn:o>", "CONSTRUCT { ?v <urn:r> ?x } INTO STREAM <urn:o>",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("window", ["4 SECONDS", "4 SECONDS SLIDING", "6 EVENTS"])
@pytest.mark.parametrize("sequence", ["A ; B", "A : B+", "A ; B!", "A | B"])
def test_counts_are_the_number_of_lines(attempt: Try, form: str, window: str, sequence: str) -> None:
    text = query(sequence, A, B, select=form, window=window)
    found = attempt(MANY, query=text)
    if found.exit_code == 2:  # some forms do not go with some sequences
        return
    number = len(lines(found))
    assert attempt(MANY, "--count", query=text).stdout == f"{number}\n"
    assert attempt(MANY, "--count", "--limit", "3", query=text).stdout == f"{min(3, number)}\n"
    assert len(lines(attempt(MANY, "--limit", "3", query=text))) == min(3, number)


# ── terminals ────────────────────────────────────────────────────────────────────────────────────────────
def test_errors_do_not_steer_a_terminal() -> None:
    place = Location("x.nq", 1, 3, "a \x1b[31m\x9b b\u202e", 2)
    shown = describe(StreamError("odd \x1b]0;title\x07", place, hint="see \x1b[2J"))
    assert not [c for c in shown if c != "\n" and not c.isprintable()]
    assert shown.splitlines()[2] == "    ^^"
