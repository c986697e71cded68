"""What is printed is read as the same."""

from __future__ import annotations

from .generate import random_world
from .model import Alternative, Expression, Inverse, Negated, Query, Repeat, Sequence
from .read import read
from .text import to_text


def test_all_spellings_mean_the_same() -> None:
    for seed in range(500):
        world = random_world(seed)
        for text in (world.text, to_text(world.queries)):
            assert list(map(canonical, read(text))) == list(map(canonical, world.queries)), text


def canonical(query: Query) -> tuple:
    """A query without what a text does not keep: to which side chains are nested."""
    return (*vars(query).values(), flat(query.expression))[2:]


def flat(expression: Expression) -> tuple:
    match expression:
        case Sequence():
            return "/", *chain(expression, Sequence)
        case Alternative():
            return "|", *chain(expression, Alternative)
        case Inverse(body):
            return "^", flat(body)
        case Repeat(body, least, most):
            return "{}", flat(body), least, most
        case Negated(members):
            return "!", members
        case _:
            return (expression,)


def chain(expression: Expression, kind: type) -> list[tuple]:
    if isinstance(expression, kind):
        return [*chain(expression.left, kind), *chain(expression.right, kind)]
    return [flat(expression)]
