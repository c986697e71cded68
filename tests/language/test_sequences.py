"""SEQ expressions and what they mean, in a plain notation: ``sequences.txt`` has one case a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from spaseq.languages.spaseq import format_query, parse
from spaseq.pattern.sequences import (
    AnyOrder,
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Negation,
    Occurrence,
    Optional,
    Sequence,
    SequenceExpression,
    group_variables,
    occurrences,
    owner,
)

CASES = [
    tuple(part.strip() for part in line.split("=>"))
    for line in (Path(__file__).parent / "sequences.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]


def query(sequence: str) -> str:
    definitions = "".join(f"DEFINE GPM {name} ON S {{ ?s <http://e/{name}> ?{name.lower()} }}\n" for name in "ABCD")
    return f"SELECT ?s WITHIN 1 DAY FROM STREAM S <http://e/s> WHERE {{ SEQ({sequence})\n{definitions}}}"


def plain(node: SequenceExpression) -> str:
    """Prefix notation: the operator, then its operands."""
    match node:
        case Atom(name):
            return name
        case Sequence(left, strategy, right):
            return f"[{strategy.value} {plain(left)} {plain(right)}]"
        case Conjunction(left, right):
            return f"[& {plain(left)} {plain(right)}]"
        case AnyOrder(sides):
            return f"[&& {' '.join(map(plain, sides))}]"
        case Disjunction(left, right):
            return f"[| {plain(left)} {plain(right)}]"
        case Kleene(body, least, most, strategy):
            return f"[{least}-{'' if most is None else most} {strategy.value} {plain(body)}]"
        case Optional(body):
            return f"[? {plain(body)}]"
        case Negation(body):
            return f"[! {plain(body)}]"


@pytest.mark.parametrize(("text", "meaning"), CASES, ids=[case[0] for case in CASES])
def test_sequence(text: str, meaning: str) -> None:
    parsed = parse(query(text))
    assert plain(parsed.query.expression) == meaning
    assert parse(format_query(parsed.tree)).query == parsed.query


def expression(text: str) -> SequenceExpression:
    return parse(query(text)).query.expression


VARIABLES = {name: ("s", name.lower()) for name in "ABCD"}


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("A ; B", []),
        ("A+", [{"s", "a"}]),
        ("A+ ; B", [{"a"}]),
        ("A+ ; A", [set()]),
        ("A+ ; A! ; B", [{"a"}]),
        ("(A ; B)+ ; C", [{"a", "b"}]),
        ("(A+ ; B)+ ; C", [{"a", "b"}, {"a"}]),
        ("(A+ ; A)+ ; C", [{"a"}, set()]),
        ("A+ ; B+", [{"a"}, {"b"}]),
        ("A+ ; B! ", [{"s", "a"}]),
        ("(A ; B! ; C)+ ; D", [{"a", "b", "c"}]),
        ("A+ && B", [{"a"}]),
        ("A+ && B+", [{"a"}, {"b"}]),
        ("A+ && (A ; B)+", [set(), {"b"}]),
        ("(A && B ; C+)+", [{"s", "a", "b", "c"}, {"c"}]),
    ],
)
def test_group_variables(text: str, groups: list[set[str]]) -> None:
    assert list(group_variables(expression(text), VARIABLES)) == groups


def test_occurrences_count_places_not_names() -> None:
    found = occurrences(expression("A ; (A ; B!)+ ; (C+ ; A)*"))
    assert [place.name for place in found] == ["A", "A", "B", "C", "A"]
    assert [place.kleenes for place in found] == [(), (0,), (0,), (1, 2), (1,)]
    assert [place.negated for place in found] == [False, False, True, False, False]
    found = occurrences(expression("(A ; B! ; C+) && A & D && A+"))
    assert [place.name for place in found] == ["A", "B", "C", "A", "D", "A"]
    assert [place.kleenes for place in found] == [(), (), (0,), (), (), (1,)]


def test_owner_is_the_innermost() -> None:
    nested = expression("(A+ ; B)+ ; C")
    groups = group_variables(nested, VARIABLES)
    assert owner("a", Occurrence("A", (0, 1), False), groups) == 1
    assert owner("b", Occurrence("A", (0, 1), False), groups) == 0
    assert owner("s", Occurrence("A", (0, 1), False), groups) is None
