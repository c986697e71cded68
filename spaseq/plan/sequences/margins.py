"""What comparisons to come have of a partial match: the side that it has, as a weighted sum of what it keeps.

Under ``?ax + SUM(?bx) < ?cx`` a partial match of A and some B has ``ax + SUM(bx)``, one of A alone ``ax``, and whatever
C has is yet to come.  How much that is says how likely it goes on, so load shedding learns by it what partial matches
are worth.  A margin flows backward through the steps, as what is live does; one that is no weighted sum is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from gpm.algebra import Expression, Literal, Operation, Parameter, Variable
from nfa_native.automata.automaton import Automaton
from spaseq.plan.sequences.filters import SIGNS
from spaseq.plan.sequences.liveness import Liveness
from spaseq.plan.sequences.states import Exit, Way

Weights = Mapping[str, float]  # of columns; the empty name has what is added
Margin = tuple[tuple[str, float], ...]  # columns and their weights, that of the first is 1
MOST = 2  # margins of a state
ADDED = ""


def with_margins(automaton: Automaton, liveness: Liveness) -> Automaton:
    """The same for matchers whose work is bounded: states know the margins of what they keep."""
    states = []
    for state, (where, found) in zip(automaton.states, margins(liveness).items(), strict=True):
        places = {name: place for place, name in enumerate(liveness.columns[where])}
        numbered = tuple(tuple((places[name], weight) for name, weight in one) for one in found)
        states.append(replace(state, margins=numbered))
    return replace(automaton, states=tuple(states))


def margins(liveness: Liveness) -> dict[Exit, tuple[Margin, ...]]:
    """The margins of each state, over what it keeps: those of the comparisons that come first."""
    found: dict[Exit, tuple[Margin, ...]] = dict.fromkeys(liveness.analysis.exits, ())
    changed = True
    while changed:
        changed = False
        for way in reversed(liveness.analysis.ways):
            known = found[way.source]
            more = (*known, *_of_step(liveness, way), *_of_targets(liveness, way, found))
            found[way.source] = tuple(dict.fromkeys(more))[:MOST]
            changed = changed or found[way.source] != known
    return found


def _of_step(liveness: Liveness, way: Way) -> Iterator[Margin]:
    """Those of the comparisons that the step makes."""
    for filter_ in liveness.kept_steps[way].filters:
        for left, right in _comparisons(filter_):
            yield from _margin(_sum(((weights(left), 1.0), (weights(right), -1.0))))


def _of_targets(liveness: Liveness, way: Way, found: Mapping[Exit, Sequence[Margin]]) -> Iterator[Margin]:
    """Those of the states that it enters, as the source has them."""
    for state in liveness.analysis.exits_of(way.node):
        if found[state]:
            entered = dict(zip(liveness.columns[state], liveness.entered(way, state), strict=True))
            for margin in found[state]:
                yield from _margin(_sum((weights(entered[name]), weight) for name, weight in margin))


def _comparisons(filter_: Expression) -> Iterator[tuple[Expression, Expression]]:
    """Both sides of each comparison by size in a filter."""
    match filter_:
        case Operation(name, (left, right)) if name in SIGNS:
            yield left, right
        case Operation("&&" | "||" | "!", arguments):
            for one in arguments:
                yield from _comparisons(one)


def _margin(total: Weights | None) -> Iterator[Margin]:
    """What partial matches have of a sum, if that is something."""
    of_match = {name[2:]: weight for name, weight in (total or {}).items() if name.startswith("c:") and weight}
    if of_match:
        first = next(iter(of_match.values()))
        scaled = tuple((name, weight / first) for name, weight in of_match.items())
        if all(isfinite(weight) for _, weight in scaled):
            yield scaled


def weights(expression: Expression) -> Weights | None:
    """An expression over ``c:`` and ``r:`` as a weighted sum; None: it is none."""
    match expression:
        case Parameter():
            return {}
        case Variable(name):
            return {name: 1.0}
        case Literal(lexical):
            return _constant(lexical)
        case Operation("+", (left, right)):
            return _sum(((weights(left), 1.0), (weights(right), 1.0)))
        case Operation("-", (left, right)):
            return _sum(((weights(left), 1.0), (weights(right), -1.0)))
        case Operation("-", (one,)):
            return _sum(((weights(one), -1.0),))
        case Operation("*", (left, right)):
            return _product(weights(left), weights(right))
        case Operation("IF", (_, chosen, _)):  # an aggregate over iterations, where there is one more
            return weights(chosen)
        case _:
            return None


def _constant(lexical: str) -> Weights | None:
    try:
        return {ADDED: float(lexical)}
    except ValueError:
        return None


def _sum(parts: Iterable[tuple[Weights | None, float]]) -> Weights | None:
    total: dict[str, float] = {}
    for part, factor in parts:
        if part is None:
            return None
        for name, weight in part.items():
            total[name] = total.get(name, 0.0) + factor * weight
    return total


def _product(left: Weights | None, right: Weights | None) -> Weights | None:
    """A sum times a constant."""
    for constant, other in ((left, right), (right, left)):
        if constant is not None and not constant.keys() - {ADDED}:
            return _sum(((other, constant.get(ADDED, 0.0)),))
    return None
