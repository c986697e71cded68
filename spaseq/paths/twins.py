"""States of an automaton that are one: the same states lead to them, and they lead on alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

Ways: TypeAlias = "tuple[tuple[int, int], ...]"  # states, and under which guards
SymbolState: TypeAlias = "tuple[Sequence[int], Ways, tuple[int, ...]]"  # symbols, transitions, guards of acceptance


def without_twins(states: Sequence[SymbolState]) -> list[SymbolState]:
    """The same automaton with one state for all twins, which any of their symbols leads to.

    ``(:a|^:b|:c)+`` has one state behind its start then, not three, so what is kept for each node and state is less.
    """
    before: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (_, ways, _) in enumerate(states):
        for state, guard in ways:
            before[state].append((number, guard))
    numbers: dict[object, int] = {}
    merged = []
    for number, (_, ways, accepting) in enumerate(states):
        merged.append(numbers.setdefault((number == 0, ways, accepting, tuple(before[number])), len(numbers)))
    found: list[SymbolState] = [((), (), ())] * len(numbers)
    for number, (symbols, ways, accepting) in zip(merged, states, strict=True):
        all_symbols = tuple(dict.fromkeys((*found[number][0], *symbols)))
        found[number] = (all_symbols, tuple(dict.fromkeys((merged[state], guard) for state, guard in ways)), accepting)
    return found
