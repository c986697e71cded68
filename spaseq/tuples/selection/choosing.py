"""Enumerated matches of automata that find some of them several times: which are kept, and which are the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby, pairwise
from math import inf

import numpy as np

from nfa_native.events.recognizer import ComplexEvents
from spaseq.pattern.formulas.query import SelectionStrategy
from spaseq.tuples.columns.vectors import Column, Mask

Positions = tuple[int, ...]


def chosen(strategy: SelectionStrategy, found: ComplexEvents) -> ComplexEvents:
    """All ways to find the matches that the strategy keeps; STRICT is no matter of comparing."""
    choose = _CHOICES.get(strategy)
    if choose is None:
        return found
    picked, starts = _picked(found), found.starts.tolist()
    kept: list[int] = []
    for _, numbers in groupby(range(len(picked)), key=found.ends.tolist().__getitem__):
        some = list(numbers)
        best = choose([picked[number] for number in some])
        one = [starts[some[0]]] if strategy is SelectionStrategy.ANY else starts
        kept += [number for number in some if picked[number] in best and starts[number] in one]
    return _taken(found, np.array(kept, np.int64))


def distinct(found: ComplexEvents, group: Column, held: Mask) -> Mask:
    """Of matches in one group with the same start, positions and held ones of these, the first is True (m)."""
    picked, of_variable = _picked(found), _picked(found, held)
    seen: set[tuple[int, int, Positions, Positions]] = set()
    first = np.zeros(len(picked), np.bool_)
    for number, key in enumerate(zip(group.tolist(), found.starts.tolist(), picked, of_variable, strict=True)):
        first[number] = key not in seen
        seen.add(key)
    return first


def _picked(found: ComplexEvents, held: Mask | None = None) -> list[Positions]:
    """The positions of each match, or those of them that are held."""
    positions, offsets = found.positions, found.offsets
    if held is not None:
        positions, offsets = positions[held], np.concatenate([[0], np.cumsum(held)])[offsets]
    flat, edges = positions.tolist(), offsets.tolist()
    return [tuple(flat[begin:end]) for begin, end in pairwise(edges)]


def _taken(found: ComplexEvents, numbers: Column) -> ComplexEvents:
    """Some of the matches."""
    lengths = np.diff(found.offsets)[numbers]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(found.offsets[numbers] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return ComplexEvents(
        found.starts[numbers], found.ends[numbers], offsets, found.positions[places], found.states[places]
    )


def _maximal(picked: list[Positions]) -> set[Positions]:
    sets = {each: frozenset(each) for each in picked}
    return {each for each, own in sets.items() if not any(own < other for other in sets.values())}


_CHOICES: dict[SelectionStrategy, Callable[[list[Positions]], set[Positions]]] = {
    SelectionStrategy.ANY: lambda picked: {picked[0]},
    SelectionStrategy.NEXT: lambda picked: {min(picked, key=lambda each: (*each, inf))},
    SelectionStrategy.LAST: lambda picked: {max(picked, key=lambda each: each[::-1])},
    SelectionStrategy.MAX: _maximal,
}
