"""The comparison finds mistakes: the oracle with an error put in is the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from tests.oracle.paths.generate import World, random_world
from tests.oracle.paths.model import (
    Alternative,
    Condition,
    Edge,
    Expression,
    Forward,
    Inverse,
    Negated,
    Query,
    Repeat,
    Sequence,
    Term,
)
from tests.paths.agreement import Found, PathEngine, difference, in_all_modes, reference
from tests.paths.deep import exhaustive_worlds, main

WORLDS = [random_world(seed, given_starts=seed % 10 == 9) for seed in range(400)]


def test_the_oracle_agrees_with_itself() -> None:
    assert [found for world in WORLDS for found in [difference(world, reference(world))] if found] == []


def test_exhaustive_worlds_can_be_asked() -> None:
    for world in exhaustive_worlds(3001):
        assert difference(world, reference(world)) == ""


def test_the_command_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["20", "7", "--exhaustive", "9001"]) == 0
    assert " 0 differences" in capsys.readouterr().out


# ── mistakes in what was asked ───────────────────────────────────────────────────────────────────────────
Change = Callable[[Expression], Expression]


def everywhere(change: Change) -> Callable[[Query], Query]:
    """A query whose expression is changed in all parts."""

    def changed(expression: Expression) -> Expression:
        parts = {
            part.name: changed(value)
            for part in fields(expression)
            if isinstance(value := getattr(expression, part.name), Expression)
        }
        return change(replace(expression, **parts))

    return lambda query: replace(query, expression=changed(query.expression))


def more_times(expression: Expression) -> Expression:
    if isinstance(expression, Repeat) and expression.most not in (None, 0, 1):
        return replace(expression, most=expression.most + 1)
    return expression


def fewer_times(expression: Expression) -> Expression:
    if isinstance(expression, Repeat) and expression.most is None:
        return replace(expression, most=max(expression.least, 2))
    return expression


def never_none(expression: Expression) -> Expression:
    if isinstance(expression, Repeat) and expression.least == 0 and expression.most != 0:
        return replace(expression, least=1)
    return expression


def true_anywhere(expression: Expression) -> Expression:
    return Condition("x", "true") if isinstance(expression, Condition) else expression


def order_kept(expression: Expression) -> Expression:
    """`^(a/b)` as `^a/^b`."""
    if isinstance(expression, Inverse) and isinstance(expression.body, Sequence):
        return Sequence(Inverse(expression.body.left), Inverse(expression.body.right))
    return expression


def without_inverse(expression: Expression) -> Expression:
    return expression.body if isinstance(expression, Inverse) else expression


def one_negated(expression: Expression) -> Expression:
    return Negated(expression.members[:1]) if isinstance(expression, Negated) else expression


def one_option(expression: Expression) -> Expression:
    return expression.left if isinstance(expression, Alternative) else expression


def both_ways(expression: Expression) -> Expression:
    return Alternative(expression, Inverse(expression)) if isinstance(expression, Forward) else expression


QUERIES: dict[str, Callable[[Query], Query]] = {
    "NOT BACK is forgotten": lambda query: replace(query, not_back=False),
    "TO is forgotten": lambda query: replace(query, targets=None),
    "only the first start": lambda query: replace(query, starts=query.starts and query.starts[:1]),
    "TRAIL is SIMPLE": lambda query: replace(
        query, restrictor={"TRAIL": "SIMPLE"}.get(query.restricts, query.restricts)
    ),
    "SIMPLE is ACYCLIC": lambda query: replace(
        query, restrictor={"SIMPLE": "ACYCLIC"}.get(query.restricts, query.restricts)
    ),
    "ACYCLIC is SIMPLE": lambda query: replace(
        query, restrictor={"ACYCLIC": "SIMPLE"}.get(query.restricts, query.restricts)
    ),
    "ALL SHORTEST is ANY": lambda query: replace(
        query, selector={"ALL SHORTEST": "ANY"}.get(query.selects, query.selects)
    ),
    "ALL is ALL SHORTEST": lambda query: replace(
        query, selector={"ALL": "ALL SHORTEST"}.get(query.selects, query.selects)
    ),
    "one too few": lambda query: replace(query, count=max(1, (query.count or 1) - 1)),
    "one too many": lambda query: replace(query, count=(query.count or 1) + 1),
    "once too often": everywhere(more_times),
    "not often enough": everywhere(fewer_times),
    "never no time": everywhere(never_none),
    "conditions are true": everywhere(true_anywhere),
    "the order is kept under ^": everywhere(order_kept),
    "^ is forgotten": everywhere(without_inverse),
    "one member of a negated set": everywhere(one_negated),
    "one option": everywhere(one_option),
    "both ways": everywhere(both_ways),
}


@pytest.mark.parametrize("mistake", QUERIES)
def test_a_wrong_query_is_found(mistake: str) -> None:
    assert any(difference(world, reference(world, permissible(QUERIES[mistake]))) for world in WORLDS)


def permissible(mistaken: Callable[[Query], Query]) -> Callable[[Query], Query]:
    """A mistake must not make a query that is refused."""

    def safe(query: Query) -> Query:
        other = mistaken(query)
        return query if other.refused else other

    return safe


# ── mistakes in the answer ───────────────────────────────────────────────────────────────────────────────
Rows = list[Found]
ANSWERS: dict[str, Callable[[Rows], Rows]] = {
    "a path is missing": lambda rows: rows[1:],
    "a path is found twice": lambda rows: [*rows, *rows[:1]],
    "a direction is turned": lambda rows: [
        (name, nodes, tuple((predicate, not inverse) for predicate, inverse in steps)) for name, nodes, steps in rows
    ],
    "the path is reversed": lambda rows: [(name, nodes[::-1], steps[::-1]) for name, nodes, steps in rows],
    "another predicate": lambda rows: [
        (name, nodes, tuple(("<urn:other>", inverse) for _, inverse in steps)) for name, nodes, steps in rows
    ],
    "of another query": lambda rows: [("other", nodes, steps) for _, nodes, steps in rows],
    "nothing": lambda rows: [],
    "a step too much": lambda rows: [
        (name, (*nodes, nodes[-1]), (*steps, ("<p>", False))) for name, nodes, steps in rows
    ],
}


@pytest.mark.parametrize("mistake", ANSWERS)
def test_a_wrong_answer_is_found(mistake: str) -> None:
    """In most worlds: sometimes there is another right answer."""
    assert sum(bool(difference(world, broken(reference(world), ANSWERS[mistake]))) for world in WORLDS) > 150


def broken(engine: PathEngine, mistaken: Callable[[Rows], Rows]) -> PathEngine:
    def wrong(edges: list[Edge], text: str, starts: tuple[Term, ...] | None = None, /) -> Rows:
        return mistaken(list(engine(edges, text, starts)))

    return wrong


def asked(world: World, engine: PathEngine) -> Rows:
    return list(engine(sorted(world.graph.edges), world.text, world.starts))


def test_an_engine_that_fails_is_found() -> None:
    def failing(edges: list[Edge], text: str) -> Rows:
        raise RuntimeError("no engine yet")

    assert "no engine yet" in difference(WORLDS[0], failing)


def test_an_engine_that_answers_otherwise_when_asked_again_is_found() -> None:
    world = next(world for world in WORLDS if len(asked(world, reference(world))) > 1)
    turns = iter((False, True))

    def wavering(rows: Rows) -> Rows:
        return rows[::-1] if next(turns) else rows

    assert "asked again" in difference(world, broken(reference(world), wavering))


def test_a_longer_path_is_not_shortest() -> None:
    pair = next(pair for pair in (world_pair(world) for world in exhaustive_worlds(977)) if pair)
    world = in_all_modes(pair)
    longer = lambda query: replace(query, selector="ANY", count=5, restrictor="WALK", not_back=False)  # noqa: E731
    assert "due are" in difference(world, reference(world, longer))


def world_pair(world: World) -> tuple | None:
    """A graph and an expression between whose nodes there are many walks."""
    answers = world.answers["q2"]
    return (world.graph, answers.query.expression) if any(due.number > 1 for due in answers.due.values()) else None
