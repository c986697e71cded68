"""``spaseq convert`` of RDF whose statements of one event lie apart: what is wrong with them has its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Invoke, start

XSD = "http://www.w3.org/2001/XMLSchema#"
TIME = "http://www.w3.org/ns/prov#generatedAtTime"
HEADER = f"PREFIX : <http://e/> PREFIX time: <{TIME}>\n"


def time(name: str, value: int | str) -> str:
    return f'<http://e/{name}> <{TIME}> "{value}"^^<{XSD}integer> .\n'


def quad(subject: str, value: str, name: str) -> str:
    return f'<http://e/{subject}> <http://e/v> "{value}" <http://e/{name}> .\n'


# As a dump by predicate has it: the times behind all else, in which each graph comes twice.
DUMP = "".join(quad(one, "1", one) for one in "abc") + "".join(quad(one, "2", one) for one in "abc")
TIMES = time("b", 1) + time("a", 2) + time("c", 3)
IN_ORDER = "".join(
    time(one, at).replace(f'"{at}"^^<{XSD}integer>', f'"1970-01-01T00:00:00.00000{at}Z"^^<{XSD}dateTime>')
    + quad(one, "1", one)
    + quad(one, "2", one)
    for at, one in enumerate("bac", 1)
)


def test_a_dump_by_predicate(folder: Path, invoke: Invoke) -> None:
    Path("a.nq").write_text(DUMP + TIMES)
    assert invoke("convert", "a.nq", "--output", "-").stdout == IN_ORDER
    assert start("convert", "-", "--output", "b.nq").communicate(DUMP + TIMES) == ("", "")
    assert Path("b.nq").read_text() == IN_ORDER
    assert not [one.name for one in folder.iterdir() if one.name.startswith(".")]


def test_times_in_a_file_of_their_own_and_trig(folder: Path, invoke: Invoke) -> None:
    Path("1.nq").write_text(TIMES)
    graphs = "".join(f':{one} {{ :{one} :v "{value}" }}\n' for value in "12" for one in "abc")
    Path("2.trig").write_text(HEADER + graphs)
    assert invoke("convert", "1.nq", "2.trig", "--output", "-").stdout == IN_ORDER
    assert invoke("convert", "2.trig", "1.nq", "--output", "-").stdout == IN_ORDER


def test_what_reads_well_is_as_it_was_written(folder: Path, invoke: Invoke) -> None:
    term = "<<( <http://e/s> <http://e/p> _:b )>>"
    Path("a.nq").write_text(
        time("a", 2) + f"<http://e/s><http://e/p>{term}<http://e/a>.\n" + time("b", 1) + quad("s", "x", "b")
    )
    assert invoke("convert", "a.nq", "--output", "-").stdout.splitlines()[-1] == (
        f"<http://e/s> <http://e/p> {term} <http://e/a> ."
    )


BAD = {
    "no time": (DUMP + time("a", 2) + time("c", 3), "a.nq:5:1: error: the graph <http://e/b> has no time", 5),
    "two times": (DUMP + TIMES + time("b", 7), "a.nq:10:1: error: a second time for the graph <http://e/b>", 10),
    "a bad time": (DUMP + TIMES.replace('"1"', '"x"'), 'a.nq:7:59: error: "x" is not an integer', 7),
    "a bad line": (DUMP.replace('"1" <http://e/b>', '"1 <http://e/b>') + TIMES, "a.nq:2:", 2),
    "a bad line that names no graph": (DUMP.replace('"2" <http://e/b>', '"2') + TIMES, "a.nq:5:", 5),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_has_its_place(name: str, folder: Path, invoke: Invoke) -> None:
    text, message, line = BAD[name]
    Path("a.nq").write_text(text)
    stopped = invoke("convert", "a.nq", "--output", "b.nq")
    assert stopped.exit_code == 1
    assert message in stopped.stderr
    assert text.splitlines()[line - 1][:20] in stopped.stderr
    assert not Path("b.nq").exists()
    skipped = invoke("convert", "a.nq", "--output", "b.nq", "--on-error", "skip")
    assert skipped.stderr.startswith("warning: 1 malformed event of <urn:spaseq:stream> was skipped")
    assert f"first at a.nq:{line}:" in skipped.stderr
    gone = "a" if name == "a bad line that names no graph" else "b"  # the event of the line before is lost
    assert [line.split()[0][-2] for line in Path("b.nq").read_text().splitlines() if TIME in line] == [
        one for one in "bac" if one != gone
    ]


def test_what_is_of_no_event_is_told(folder: Path, invoke: Invoke) -> None:
    Path("a.nq").write_text(DUMP + "<http://e/x> <http://e/y> <http://e/z> .\n" + TIMES + time("z", 1))
    done = invoke("convert", "a.nq", "--output", "b.nq")
    assert "1 time of <urn:spaseq:stream> has no graph" in done.stderr
    assert "1 statement of <urn:spaseq:stream> outside of named graphs was ignored" in done.stderr
    assert "first at a.nq:7:1" in done.stderr
    assert Path("b.nq").read_text() == IN_ORDER


def test_an_error_in_trig_loses_the_rest_of_its_file(folder: Path, invoke: Invoke) -> None:
    graphs = [f':{one} {{ :{one} :v "{value}" }}\n' for value in "12" for one in "abc"]
    Path("a.trig").write_text(HEADER + "".join([*graphs, "oops\n"]))
    Path("b.nq").write_text(TIMES)
    stopped = invoke("convert", "a.trig", "b.nq", "--output", "c.nq")
    assert stopped.stderr.startswith("a.trig:8:")
    skipped = invoke("convert", "a.trig", "b.nq", "--output", "c.nq", "--on-error", "skip")
    assert "first at a.trig:8:" in skipped.stderr
    assert "<http://e/c>" not in Path("c.nq").read_text()  # the event that was open
    assert "<http://e/a>" in Path("c.nq").read_text()
