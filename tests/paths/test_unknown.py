"""What was most likely meant, of many predicates; alternations of thousands."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from pyoxigraph import NamedNode, Triple

from spaseq import text as suggestion
from spaseq.paths import Graph, prepare
from spaseq.plan.paths import automaton as glushkov
from spaseq.text import NameIndex, did_you_mean

WORDS = ("film", "person", "place", "date", "birth", "death", "author", "actor", "director", "genre", "year", "country")
PREDICATES = [f"urn:relation:{one}_{other}" for one in WORDS for other in WORDS if one != other]
compare = suggestion._nearest
least = glushkov._least


def misspelt(name: str, chance: Random) -> str:
    place = chance.randrange(len("urn:relation:"), len(name))
    return name[:place] + chance.choice(("", "x", name[place] * 2)) + name[place + 1 :]


def test_the_nearest_is_that_of_all() -> None:
    chance, index = Random(7), NameIndex(PREDICATES)
    wrong = [misspelt(chance.choice(PREDICATES), chance) for _ in range(60)]
    assert [f"did you mean {index.nearest(name)}?" for name in wrong] == [
        did_you_mean(name, PREDICATES) for name in wrong
    ]


@pytest.mark.parametrize("name", ["", "x" * 200, "http://nothing.example/9999"])
def test_none_is_near(name: str) -> None:
    assert NameIndex(PREDICATES).nearest(name) is None
    assert NameIndex([]).nearest("film_date") is None


def test_a_thousand_unknown_predicates_are_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def watched(name: str, names: Iterable[str]) -> str | None:
        compared.append(len(list(names)))
        return compare(name, names)

    monkeypatch.setattr(suggestion, "_nearest", watched)
    graph = Graph(Triple(NamedNode("urn:a"), NamedNode(iri), NamedNode("urn:b")) for iri in PREDICATES)
    wrong = [f"<{iri}s{number}>" for number in range(5) for iri in PREDICATES]
    found = graph.match(f"QUERY q FROM <urn:a> ANY SHORTEST ({'|'.join(wrong)})")
    meant = [warning.split("did you mean ")[1] for warning in found.warnings]
    assert meant == [f"{iri}?" for iri in PREDICATES] * 5
    assert len(compared) == len(wrong) and max(compared) <= 4


@pytest.mark.parametrize("expression", ["{}", "^({})", "({})?", "({})/:x"])
def test_each_of_many_alternatives_is_looked_at_a_few_times(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def watched(guards: glushkov.Guards) -> glushkov.Guards:
        nonlocal looked_at
        looked_at += 1
        return least(guards)

    monkeypatch.setattr(glushkov, "_least", watched)
    text = expression.format("|".join(f":p{number}" for number in range(5_000)))
    (query,) = prepare(f"QUERY q ANY SHORTEST {text}")
    assert len(query.automaton.states) >= 5_001 and looked_at < 20_000
