"""Automata of expressions: a state for each step, guards for conditions; ``explain`` shows them."""

from __future__ import annotations

import pytest

from spaseq.paths import prepare
from spaseq.plan.paths.explain import ExplainedPath, explain


def automaton(expression: str) -> str:
    """The states of an expression as ``explain`` shows them, without what stands before."""
    (one,) = prepare(f"QUERY q FROM <urn:a> TRAIL {expression}")
    text = explain([ExplainedPath(one.query, one.automaton)])
    lines = text[text.index("automaton\n") :].splitlines()[1:]
    return "; ".join(" ".join(line.split()) for line in lines)


@pytest.mark.parametrize(
    ("expression", "states"),
    [
        (":p", "0 start -> 1; 1 :p accepts"),
        (":p/:q", "0 start -> 1; 1 :p -> 2; 2 :q accepts"),
        (":p|:q", "0 start -> 1, 2; 1 :p accepts; 2 :q accepts"),
        (":p*", "0 start -> 1, accepts; 1 :p -> 1, accepts"),
        (":p+", "0 start -> 1; 1 :p -> 1, accepts"),
        (":p?", "0 start -> 1, accepts; 1 :p accepts"),
        (":p{2,}", "0 start -> 1; 1 :p -> 2; 2 :p -> 2, accepts"),
        (":p{1,3}", "0 start -> 1; 1 :p -> 2, accepts; 2 :p -> 3, accepts; 3 :p accepts"),
        (":p{0}", "0 start accepts"),
        ("^(:p/:q)", "0 start -> 1; 1 ^:q -> 2; 2 ^:p accepts"),
        ("^!(:p|^:q)", "0 start -> 1; 1 !(:q | ^:p) accepts"),
        (":p/[?x: ?x > 1]/:q", "0 start -> 1; 1 :p -> 2 [1]; 2 :q accepts"),
        ("[?x: ?x > 1]?/:p", "0 start -> 1; 1 :p accepts"),
        ("([?x: ?x > 1]|[?x: ?x < 0])/:p", "0 start -> 1 [1], 1 [2]; 1 :p accepts"),
        (":p/[?x: ?x > 1]*", "0 start -> 1; 1 :p accepts"),
        ("(:p/[?x: ?x > 1])+", "0 start -> 1; 1 :p -> 1 [1], accepts [1]"),
        ("(:p|[?x: ?x > 1]){2}", "0 start -> 1, 2 [1], accepts [1]; 1 :p -> 2, accepts [1]; 2 :p accepts"),
    ],
)
def test_states(expression: str, states: str) -> None:
    assert automaton(expression) == states


@pytest.mark.parametrize(
    ("selection", "way"),
    [
        ("ALL TRAIL", "through each new edge"),
        ("ANY SHORTEST", "results are read"),
        ("ANY", "results are read"),
        ("ALL SHORTEST", "joins"),
        ("SHORTEST 3", "breadth first"),
        ("ANY SHORTEST SIMPLE", "depth first"),
    ],
)
def test_how_a_stream_is_kept(selection: str, way: str) -> None:
    (one,) = prepare(f"QUERY q FROM <urn:a> {selection} :p+")
    text = explain([ExplainedPath(one.query, one.automaton, streamed=True)])
    assert way in text and "kept up to date" in text and "search" not in text
