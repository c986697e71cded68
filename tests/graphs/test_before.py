"""``?x = PREV(?x)`` joins iterations, and says the same as a filter that cannot be used for it."""

from __future__ import annotations

from random import Random

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

import spaseq
from spaseq.plan.sequences import compile_plan
from tests.slices import first

E = "http://e/"
XSD = "http://www.w3.org/2001/XMLSchema#"
VALUES = (
    NamedNode(E + "i"), NamedNode(E + "j"), BlankNode("b"), Literal(1),
    Literal("1.0", datatype=NamedNode(XSD + "decimal")), Literal("1"),
    Literal("x", language="en"), Literal("?", datatype=NamedNode(E + "odd")),
)  # fmt: skip
JOINING = (
    "?x = PREV(?x)", "PREV(?x) = ?x", "!BOUND(PREV(?x)) || ?x = PREV(?x)", "COALESCE(?x = PREV(?x), true)",
    "sameTerm(?x, PREV(?x))", "!BOUND(PREV(?n)) || (?x = PREV(?x) && ?n > PREV(?n))", "?x = PREV(?x) && ?n > 1",
)  # fmt: skip
SEQUENCES = ("A+", "A;+", "A:{2,3}", "A* ; B", "(A ; B)+", "(A | B);+", "(A:+ ; B);+")


def query(sequence: str, filter_: str, body: str = "?e :x ?x ; :n ?n") -> str:
    other = "?f :y ?z" if sequence.endswith("B") else "?f :y ?x"
    return f"""PREFIX : <{E}> SELECT * WITHIN 20 SECONDS SLIDING FROM STREAM S :S WHERE {{ SEQ({sequence})
        DEFINE GPM A ON S {{ {body} FILTER({filter_}) }} DEFINE GPM B ON S {{ {other} }} }}"""


def opaque(filter_: str) -> str:
    """The same filter, but none that a join is seen in."""
    return f"IF({filter_}, true, false)"


def run(text: str, random: Random) -> list[str]:
    engine = spaseq.Engine()
    engine.register(text)
    found = []
    for number in range(random.randint(1, 7)):
        node = NamedNode(f"{E}e{number}")
        kind = random.choice(["x", "x", "y"])
        graph = [Triple(node, NamedNode(E + kind), random.choice(VALUES))]
        if random.random() < 0.8:
            graph.append(Triple(node, NamedNode(E + "n"), Literal(random.randint(0, 3))))
        found += engine.push("S", graph, number * 1_000_000, node.value)
    return sorted(str(match.to_dict()) for match in [*found, *engine.close()])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("filter_", JOINING)
@pytest.mark.parametrize("body", ["?e :x ?x ; :n ?n", "?e :x ?x OPTIONAL { ?e :n ?n }"])
@pytest.mark.parametrize("seeds", first(1, [range(6), range(6, 12)]))
def test_means_the_same_as_a_filter(filter_: str, body: str, seeds: range) -> None:
    for seed in seeds:
        for sequence in SEQUENCES:
            joined = run(query(sequence, filter_, body), Random(seed))
            assert joined == run(query(sequence, opaque(filter_), body), Random(seed)), (seed, sequence)


def joins(text: str) -> set[str]:
    plan = compile_plan(spaseq.parse(text).query)
    return {name for step in plan.liveness.live_steps.values() for _, name in step.joins}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("filter_", JOINING)
def test_is_a_join(filter_: str) -> None:
    assert "x_as_before" in joins(query("A;+", filter_))
    assert "x_as_before" not in joins(query("A;+", opaque(filter_)))


@pytest.mark.filterwarnings("ignore")
def test_what_is_no_join() -> None:
    assert not joins(query("A;+", "!BOUND(PREV(?n)) || ?x = PREV(?x)", "?e :x ?x OPTIONAL { ?e :n ?n }"))
    assert not joins(query("A;+", "?n = 1 || ?x = PREV(?x)"))
    assert not joins(query("A;+", "?x != PREV(?x)"))
