"""Every term that the generators write is declared, with label and comment."""

from __future__ import annotations

import pyoxigraph
import pytest
from pyoxigraph import NamedNode, Quad

from spaseq import ontologies
from spaseq.datasets import workloads
from spaseq.errors import OptionError
from tests.data import folder

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE, LABEL, COMMENT = NamedNode(f"{RDF}type"), NamedNode(f"{RDFS}label"), NamedNode(f"{RDFS}comment")
IMPORTED = {f"{RDF}type", "http://www.w3.org/ns/prov#generatedAtTime"}
SOSA, PROV = "http://www.w3.org/ns/sosa/", "http://www.w3.org/ns/prov#"
PROV_TERMS = {"Activity", "Agent", "Entity", "Location", "atLocation", "used", "wasAttributedTo", "wasInformedBy"}
ONTOLOGIES = {
    "stocks": "stock", "stock-runs": "stock", "cards": "card", "vessels": "vessel", "smartgrid": "smartgrid",
    "traffic": "traffic", "aarhus": "traffic", "port": "port", "accounts": "bank",
}  # fmt: skip


def parse(name: str) -> list[Quad]:
    return list(pyoxigraph.parse(input=ontologies.turtle(name).encode(), format=pyoxigraph.RdfFormat.TURTLE))


@pytest.mark.parametrize("name", ontologies.names())
def test_every_term_has_type_label_and_comment(name: str) -> None:
    facts: dict[str, set[str]] = {}
    for quad in parse(name):
        facts.setdefault(quad.subject.value, set()).add(quad.predicate.value)
    assert all({TYPE.value, LABEL.value, COMMENT.value} <= predicates for predicates in facts.values())


@pytest.mark.parametrize("workload", workloads())
def test_what_the_generators_write_is_declared(workload: str) -> None:
    declared = {quad.subject.value for quad in parse(ONTOLOGIES[workload]) if quad.predicate == TYPE}
    assert _written(workload) - IMPORTED <= declared


def test_an_unknown_ontology_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        ontologies.turtle("cheese")


@pytest.mark.parametrize("name", ontologies.names())
def test_the_terms_of_other_vocabularies_exist(name: str) -> None:
    objects = {quad.object.value for quad in parse(name) if isinstance(quad.object, NamedNode)}
    assert {iri.removeprefix(PROV) for iri in objects if iri.startswith(PROV)} <= PROV_TERMS
    sosa = {iri for iri in objects if iri.startswith(SOSA)} - {SOSA}
    assert sosa <= _sosa_terms()


def _written(workload: str) -> set[str]:
    """Predicates and classes of the streams; of the knowledge too, unless it is somebody else's."""
    source = workloads()[workload]
    try:
        data = b"".join(line for stream in source.streams for line in source.lines(2_000, 1, stream))
    except OptionError:
        pytest.skip("the shared data is not at hand")
    quads = list(pyoxigraph.parse(input=data, format=pyoxigraph.RdfFormat.N_QUADS))
    if source.knowledge and not source.finite:
        quads += pyoxigraph.parse(input=source.knowledge(), format=pyoxigraph.RdfFormat.TURTLE)
    classes = {quad.object.value for quad in quads if quad.predicate == TYPE}
    return classes | {quad.predicate.value for quad in quads}


def _sosa_terms() -> set[str]:
    terms = set()
    for path in folder("ontologies").glob("sosa*.ttl"):
        terms |= {str(quad.subject).strip("<>") for quad in pyoxigraph.parse(path=str(path))}
    return terms
