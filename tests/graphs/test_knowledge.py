"""Background knowledge of an engine: replaced between two events, and entailing by RDFS."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from pyoxigraph import Literal, NamedNode, Triple

import spaseq
from spaseq.cli.main import main
from spaseq.errors import OptionError, QueryError, StreamError

NS = "http://ex.org/"
SECTOR = """
PREFIX : <http://ex.org/>
SELECT ?c ?sector FROM STREAM s <urn:s>
WHERE { SEQ(A) DEFINE GPM A ON s { ?q :company ?c . GRAPH :kb { ?c :sector ?sector } } }
"""
DEALS = """
PREFIX : <http://ex.org/>
SELECT ?d FROM STREAM s <urn:s>
WHERE { SEQ(A) DEFINE GPM A ON s { ?d a :Deal } }
"""
ONTOLOGY = b"""
@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Swap rdfs:subClassOf :Deal . :price rdfs:domain :Deal . :paid rdfs:subPropertyOf :price .
"""


def kb(sector: str) -> dict[str, bytes]:
    return {NS + "kb": f"<{NS}a> <{NS}sector> <{NS}{sector}> .".encode()}


def about(subject: str, predicate: str, value: str) -> list[Triple]:
    return [Triple(NamedNode(NS + subject), NamedNode(NS + predicate), NamedNode(NS + value))]


def sectors(matches: list[spaseq.Match]) -> list[str]:
    return [str(match.bindings["sector"]).removeprefix(NS) for match in matches]


@pytest.mark.parametrize("gpm", ["auto", "pyoxigraph", "verify"])
def test_events_see_what_was_there_when_they_were_pushed(gpm: str) -> None:
    engine = spaseq.Engine(kb("food"), lateness=10, gpm=gpm)
    engine.register(SECTOR)
    found = [engine.push("s", about("q", "company", "a"), time) for time in (100, 105)]
    assert [sectors(matches) for matches in found] == [[], []]
    engine.update_background(kb("steel"))
    assert sectors(engine.push("s", about("q", "company", "a"), 112)) == ["food"]
    assert sectors(engine.push("s", about("q", "company", "a"), 103)) == []
    assert sectors(engine.close()) == ["steel", "food", "steel"]
    assert engine.kind.evaluator.versions == 1


def test_a_graph_may_be_added_later() -> None:
    engine = spaseq.Engine()
    engine.register(SECTOR)
    assert engine.push("s", about("q", "company", "a"), 1) == []
    engine.update_background(kb("food"))
    assert sectors(engine.push("s", about("q", "company", "a"), 2)) == ["food"]


def test_an_update_that_cannot_be_read_changes_nothing() -> None:
    engine = spaseq.Engine(kb("food"))
    engine.register(SECTOR)
    with pytest.raises(StreamError):
        engine.update_background({**kb("steel"), NS + "other": b"<a"})
    with pytest.raises(OptionError):
        engine.update_background(kb("steel")[NS + "kb"])  # type: ignore[arg-type]
    assert sectors(engine.push("s", about("q", "company", "a"), 1)) == ["food"]


def test_a_snapshot_belongs_to_the_updated_knowledge() -> None:
    engine = spaseq.Engine(kb("food"))
    engine.register(SECTOR)
    engine.update_background(kb("steel"))
    data = engine.snapshot()
    restored = spaseq.Engine.restore(data, [SECTOR], kb("steel"))
    assert sectors(restored.push("s", about("q", "company", "a"), 1)) == ["steel"]
    with pytest.raises(spaseq.SpaseqError):
        spaseq.Engine.restore(data, [SECTOR], kb("food"))


RDF_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
EVENTS = [
    [Triple(NamedNode(NS + "typed"), RDF_TYPE, NamedNode(NS + "Deal"))],
    [Triple(NamedNode(NS + "swap"), RDF_TYPE, NamedNode(NS + "Swap"))],
    [Triple(NamedNode(NS + "priced"), NamedNode(NS + "paid"), Literal(5))],
    [Triple(NamedNode(NS + "other"), NamedNode(NS + "note"), Literal(5))],
]


@pytest.mark.parametrize("entail", ["rdfs", [NS + "ontology"], ()])
@pytest.mark.parametrize("gpm", ["auto", "pyoxigraph", "verify"])
def test_ontologies_entail_types(entail: str | list[str], gpm: str) -> None:
    engine = spaseq.Engine({NS + "ontology": ONTOLOGY}, entail=entail, gpm=gpm)
    engine.register(DEALS)
    found = engine.push_batch("s", [(time, graph, None) for time, graph in enumerate(EVENTS)])
    deals = [str(match.bindings["d"]).removeprefix(NS) for match in found]
    assert deals == (["typed", "swap", "priced"] if entail else ["typed"])


def test_entailment_on_the_command_line(tmp_path: Path) -> None:
    time = "<http://www.w3.org/ns/prov#generatedAtTime>"
    lines = [
        f'{graph[0]} <urn:e:{n}> .\n<urn:e:{n}> {time} "{n}"^^<http://www.w3.org/2001/XMLSchema#long> .\n'
        for n, graph in enumerate(EVENTS)
    ]
    (tmp_path / "s.nq").write_text("".join(lines))
    (tmp_path / "o.ttl").write_bytes(ONTOLOGY)
    (tmp_path / "q.spaseq").write_text(DEALS)
    arguments = ["run", str(tmp_path / "q.spaseq"), "--stream", f"s={tmp_path / 's.nq'}", "--count"]
    arguments += ["--kb", f"{NS}ontology={tmp_path / 'o.ttl'}"]
    for more, count in (([], "1"), (["--entail", "rdfs"], "3"), (["--entail", f"rdfs={NS}ontology"], "3")):
        assert CliRunner().invoke(main, arguments + more).output.splitlines()[-1] == count
    refused = CliRunner().invoke(main, [*arguments, "--entail", "owl"])
    assert refused.exit_code == 2
    unknown = CliRunner().invoke(main, [*arguments, "--entail", "rdfs=urn:nowhere"])
    assert unknown.exit_code == 2


def test_what_cannot_be_evaluated_natively_is_the_users_to_know() -> None:
    query = DEALS.replace("?d a :Deal", "?d :part+ :Deal")
    with pytest.raises(QueryError, match=r"GPM A: the graph pattern cannot be evaluated natively: .*path"):
        spaseq.Engine(gpm="native").register(query)
    assert spaseq.Engine(gpm="auto").register(query)
    with pytest.raises(OptionError, match="gpm is one of"):
        spaseq.Engine(gpm="oracle")
