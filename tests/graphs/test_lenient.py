"""Terms that only a lenient parser lets pass: what an engine takes it can save; what no line can hold is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, parse

import spaseq
from gpm.terms import ox_term, term_bytes
from spaseq.errors import OptionError, SnapshotError

QUERY = """SELECT ?s ?o ?x WITHIN 100 SECONDS SLIDING FROM STREAM s <urn:s> WHERE { SEQ(A ; B)
    DEFINE GPM A ON s { ?s <urn:p> ?o } DEFINE GPM B ON s { ?x <urn:q> ?o } }"""
LENIENT = [
    "<urn:a b> <urn:p> <urn:o> .", "<urn:a> <urn:p> <urn:a<b> .", "<rel> <urn:p> <> .",
    "<urn:{a}|^`> <urn:p> <urn:\x7f\xa0> .",
    "<urn:a\\u0022> <urn:p> <urn:o> .", '<urn:a> <urn:p> "x\\n"^^<urn:d t> .', '<urn:a> <urn:p> "x\\"y"^^<dt> .',
    '<urn:a> <urn:p> "x"@toolonglanguagetag .', '<urn:a> <urn:p> "x"@a-b-c-123456789 .', '<urn:a> <urn:p> "x"@en-a .',
    '<urn:a> <urn:p> "x\\u0000y" .', '<urn:a> <urn:p> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .',
    '<urn:a> <urn:p> <<( <urn:a b> <urn:p> "x"@toolonglanguagetag )>> .', "_:a <urn:p> <urn:b c> .",
]  # fmt: skip
BENT = [
    "urn:a> <urn:p> <urn:o> . #", "urn:s> <urn:p", "urn:s><urn:p", "urn:x> . #", 'urn:s> <urn:p> "x"^^<urn:d',
    "urn:s> <urn:p> <urn:o> .\n<urn:x", "urn:s\\u0062", "urn:\t", "urn:\r", "urn:\0",
]  # fmt: skip
PLACES = [
    "<{}> <urn:p> <urn:o> .", "<urn:s> <{}> <urn:o> .", "<urn:s> <urn:p> <{}> .", "<{}> <urn:p> _:o .",
    '<urn:s> <urn:p> "x"^^<{}> .', "<urn:s> <urn:p> <urn:o> <{}> .", "<{}> <urn:p> <urn:o> <urn:g> .",
    "<urn:s> <urn:p> <<( <urn:a> <urn:b> <{}> )>> .",
]  # fmt: skip


def leniently(line: str) -> list[Quad]:
    return list(parse(line.encode(), RdfFormat.N_QUADS, lenient=True))


def engine_of(lateness: int = 0) -> spaseq.Engine:
    engine = spaseq.Engine(lateness=lateness)
    engine.register(QUERY, "q")
    return engine


@pytest.mark.parametrize("lateness", [0, 10_000_000])
@pytest.mark.parametrize("line", LENIENT)
def test_what_is_in_an_engine_can_be_saved(line: str, lateness: int) -> None:
    """As a word of a partial match, and as an event that waits."""
    quads, engine = leniently(line), engine_of(lateness)
    engine.push("s", quads, 0)
    restored = spaseq.Engine.restore(engine.snapshot(), {"q": QUERY})
    more = [Triple(quad.subject, NamedNode("urn:q"), quad.object) for quad in quads]
    found = [
        [str(match) for match in one.push("s", more, 1) + one.close()]
        for one in (engine, restored)
    ]  # fmt: skip
    assert found[0] == found[1]
    assert len(found[0]) == 1


@pytest.mark.parametrize("bent", BENT)
@pytest.mark.parametrize("place", PLACES)
def test_an_iri_that_no_line_can_hold(bent: str, place: str) -> None:
    """It is refused, one by one and among others, and nothing else is taken for it."""
    quads = leniently(place.format("".join(f"\\u{ord(character):04X}" for character in bent)))
    plain = Triple(NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:o"))
    other = Quad(*plain, quads[0].graph_name)
    for graph in (quads, tuple(quads), [other, *quads], [*quads, other]):
        engine = engine_of()
        with pytest.raises(OptionError, match=r"an IRI has the character .*, with which no line can be written"):
            engine.push("s", graph, 0)
        with pytest.raises(OptionError, match=r"item 1: an IRI has the character"):
            engine.push_batch("s", [(0, [plain]), (1, graph), *((2, [plain]) for _ in range(50))])
        assert engine.statistics()["streams"]["urn:s"]["events"] == 0


def test_terms_as_bytes() -> None:
    """Those that some parser reads, and no others."""
    for line in LENIENT:
        for term in (leniently(line)[0].subject, leniently(line)[0].object):
            assert ox_term(term_bytes(term)) == term
    for wrong in (b"Iurn:a> . #", b"Iurn:\n", b"I\xff", b"Lno_tag\0x", b"Turn:a> \0x", b"B b"):
        with pytest.raises((ValueError, SyntaxError)):
            ox_term(wrong)


def test_a_forged_term() -> None:
    """A snapshot with a term that no parser reads is damaged."""
    from nfa_native.core import archive
    from nfa_native.core.arrays import column, read_store
    from spaseq.runtime.snapshot.container import GRAPHS

    engine = engine_of()
    engine.push("s", leniently("<urn:a b> <urn:p> <urn:o> ."), 0)
    header, sections = GRAPHS.unpack(engine.snapshot())
    columns = dict(read_store(sections["terms"], "terms", 1))
    text = column(columns, "bytes", "u1").tobytes()  # type: ignore[arg-type]
    import numpy as np

    columns["bytes"] = np.frombuffer(text.replace(b"urn:a b", b"urn:a>b"), np.uint8)
    sections["terms"] = archive.pack({"terms": (1, columns)})
    with pytest.raises(SnapshotError, match="damaged"):
        spaseq.Engine.restore(GRAPHS.pack(header, sections), {"q": QUERY})


# ── comments ─────────────────────────────────────────────────────────────────────────────────────────────
COMMENT = b"# caf\xe9 \xff\n"
TEXTS = {
    "N-Triples": COMMENT + b"<urn:a> <urn:p> <urn:o> . " + COMMENT,
    "carriage returns": b"# \xff\r<urn:a> <urn:p> <urn:o> . # \xff\r",
    "Turtle": COMMENT + b"@prefix : <urn:> . " + COMMENT + b":a :p :o . " + COMMENT,
    "TriG, by pyoxigraph": COMMENT + b"@prefix : <urn:> . " + COMMENT + b":g { :a :p :\\~o . " + COMMENT + b"}",
}
ALL = "SELECT ?o FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s <urn:p> ?o FILTER(%s) } }"
TESTS = "true", 'REGEX(STR(?o), "o")'
PROV, DATE_TIME = b"http://www.w3.org/ns/prov#generatedAtTime", b"http://www.w3.org/2001/XMLSchema#dateTime"
TIMES = b'<urn:g%d> <%s> "2026-01-01T00:00:0%dZ"^^<%s> .'


@pytest.mark.parametrize("gpm", ["auto", "pyoxigraph"])
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("name", TEXTS)
def test_comments_are_no_text(name: str, test: str, gpm: str) -> None:
    """Their bytes need not be UTF-8, as for pyoxigraph."""
    engine = spaseq.Engine({"urn:kb": TEXTS[name]}, gpm=gpm)
    engine.register(ALL % test)
    assert len(engine.push("s", TEXTS[name], 0)) == 1
    assert len(engine.push_batch("s", [(time, TEXTS[name]) for time in range(1, 50)])) == 49


@pytest.mark.parametrize("gpm", ["auto", "pyoxigraph"])
@pytest.mark.parametrize("size", [1, 30_000])
@pytest.mark.parametrize("ending", ["nq", "trig", "messages"])
def test_comments_of_files(tmp_path: Path, ending: str, size: int, gpm: str) -> None:
    """Wherever a comment is cut by the borders of what is read at once."""
    comment, path = b"# \xff" + b"\xe2\x82" * size + b"\n", tmp_path / f"s.{ending.replace('messages', 'nq')}"
    line = b"%s<urn:a> <urn:p> <urn:o> <urn:g%d> . %s"
    events = [line % (comment, n, comment) + TIMES % (n, PROV, n, DATE_TIME) + comment for n in range(3)]
    if ending == "trig":
        graph = b"<urn:g%d> { %s <urn:a> <urn:p> <urn:o> . %s }\n%s\n"
        events = [graph % (n, comment, comment, TIMES % (n, PROV, n, DATE_TIME)) for n in range(3)]
    head = b'VERSION "1.2-messages"\n' if ending == "messages" else b""
    path.write_bytes(head + (b"MESSAGE\n" if ending == "messages" else b"").join(events))
    assert len(list(spaseq.run(ALL % TESTS[1], {"s": str(path)}, gpm=gpm))) == 3
