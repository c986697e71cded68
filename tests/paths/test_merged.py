"""What queries have in common at their beginning is there once."""

from __future__ import annotations

import pytest

from spaseq.paths import prepare
from spaseq.plan.paths.merging import AutomatonMerger, MergedAutomaton, components


def merged(*expressions: str) -> MergedAutomaton:
    merger = AutomatonMerger()
    for one in expressions:
        merger.add(prepare(f"QUERY q FROM <urn:a> ANY SHORTEST {one}")[0].automaton)
    return merger.merged()


@pytest.mark.parametrize(
    ("expressions", "states", "moves"),
    [
        ([":a"], 2, 1),
        ([":a*"], 2, 2),  # walks begin in it
        ([":a/:b", ":a/:c"], 4, 3),
        ([":a/:b", ":a/:b"], 3, 2),
        ([":a/:b/(:c|:d)*", ":a/:b/(:d|:c)*/:e"], 4, 4),
        ([":a|:b"], 2, 1),
        ([":a?"], 3, 3),  # and where both ends come together
        ([":p{1000}", ":p{999}"], 1001, 1000),
    ],
)
def test_sizes(expressions: list[str], states: int, moves: int) -> None:
    found = merged(*expressions)
    assert (sum(found.components), len(found.moves)) == (states, moves)


def test_parts_stand_behind_what_leads_to_them() -> None:
    found = merged("((:a/:b)*/(:c|:d/:e)+)*/:f", "(:a/(:b|:c)+/:d)*", "[?x: ?x > 1]/:a/[?x: ?x > 2]", ":b/[?x: ?x > 2]")
    part_of = [part for part, size in enumerate(found.components) for _ in range(size)]
    assert all(part_of[move.origin] <= part_of[move.target] for move in found.moves)
    assert len(found.conditions) == 2 and max(move.guard for move in found.moves) == 2


def test_components() -> None:
    targets = [[1, 4], [2], [3], [1, 5], [5], [], [0]]
    assert components(targets, 0)[0] == [0] and components(targets, 0)[-1] == [5]
    assert sorted(components(targets, 0)) == [[0], [1, 2, 3], [4], [5]]
    deep = [[n + 1] for n in range(50_000)] + [[0]]
    assert components(deep, 0) == [list(range(50_001))]
