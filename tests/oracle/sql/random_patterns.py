"""Random patterns with all operators and quantifiers."""

from __future__ import annotations

from random import Random

from .model import (
    Alternation,
    Concatenation,
    EmptyPattern,
    EndAnchor,
    Exclusion,
    PatternVariable,
    Permutation,
    Quantified,
    RowPattern,
    StartAnchor,
    variables_of,
)

QUANTIFIERS = ((0, None), (1, None), (0, 1), (0, None), (1, None), (2, 2), (1, 1), (2, None), (0, 2), (1, 2), (2, 3))
KINDS = (
    *("concatenation",) * 10,
    *("quantified",) * 5,
    *("alternation",) * 3,
    *("permutation", "exclusion", "exclusion", "leaf"),
)


def random_pattern(random: Random, names: tuple[str, ...]) -> RowPattern:
    """A pattern over some of these variables, one at least."""
    pattern = _pattern(random, names, random.choice((1, 2, 2, 2, 3, 3)))
    if random.random() < 0.06:
        pattern = Concatenation((StartAnchor(), pattern))
    if random.random() < 0.06:
        pattern = Concatenation((pattern, EndAnchor()))
    if not variables_of(pattern):
        return Concatenation((PatternVariable(random.choice(names)), pattern))
    return pattern


def _pattern(random: Random, names: tuple[str, ...], depth: int) -> RowPattern:
    if depth == 0:
        return _leaf(random, names)
    kinds = (
        ("concatenation",) * 9
        + ("quantified",) * 5
        + ("alternation",) * 3
        + ("permutation", "exclusion", "exclusion", "leaf")
    )
    match random.choice(kinds):
        case "concatenation":
            return Concatenation(_parts(random, names, depth, (2, 2, 3)))
        case "alternation":
            return Alternation(_parts(random, names, depth, (2, 2, 3)))
        case "permutation":
            return Permutation(_parts(random, names, min(depth, 2), (2, 2, 3)))
        case "exclusion":
            return Exclusion(_pattern(random, names, depth - 1))
        case "quantified":
            return _quantified(random, _pattern(random, names, depth - 1))
    return _leaf(random, names)


def _parts(random: Random, names: tuple[str, ...], depth: int, sizes: tuple[int, ...]) -> tuple[RowPattern, ...]:
    return tuple(_pattern(random, names, random.randrange(depth)) for _ in range(random.choice(sizes)))


def _leaf(random: Random, names: tuple[str, ...]) -> RowPattern:
    chance = random.random()
    if chance < 0.03:
        return random.choice((EmptyPattern(), StartAnchor(), EndAnchor()))
    variable = PatternVariable(random.choice(names))
    return _quantified(random, variable) if chance < 0.45 else variable


def _quantified(random: Random, body: RowPattern) -> Quantified:
    low, high = random.choice(QUANTIFIERS)
    return Quantified(body, low, high, greedy=random.random() < 0.7)
