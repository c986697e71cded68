"""States whose partial matches are told apart by the lists of events in their registers.

An event is in no list before it comes, and a list that is kept stays what it is.  So where there is one way in, what
enters with an event differs from all that was there, and what has come from different groups differs, too: no two
groups will ever have the same registers, and none has to be looked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from nfa_native.automata.complex_events import RegisterTransition, Update
from nfa_native.automata.kinds import Change, RegisterCells


def told_apart(
    cells: Sequence[RegisterCells],
    begins: Sequence[Sequence[Update] | None],
    entering: Sequence[Sequence[RegisterTransition]],
) -> dict[int, frozenset[int]]:
    """States no two of whose groups are ever equal, each with registers in which they differ.

    ``begins`` are the updates of matches that begin in a state; None: none does.
    """
    found: dict[int, frozenset[int]] = {}
    before = -1
    while before != len(found):
        before = len(found)
        for state, transitions in enumerate(entering):
            if state not in found and (registers := _telling(cells[state], begins[state], transitions, found)):
                found[state] = registers
    return found


def _telling(
    kind: RegisterCells,
    begin: Sequence[Update] | None,
    transitions: Sequence[RegisterTransition],
    known: dict[int, frozenset[int]],
) -> frozenset[int]:
    """The registers in which groups of a state differ; none: they may be equal."""
    if kind is RegisterCells.GROUPS:  # one an event, however it enters
        return _listing(begin if begin is not None else transitions[0].updates)
    if kind is not RegisterCells.MERGED or begin is not None or len(transitions) != 1:
        return frozenset()
    (way,) = transitions
    kept = _kept(way.updates, known.get(way.source, frozenset()))
    new = _listing(way.updates)
    return kept | new if kept and new else frozenset()


def _listing(updates: Sequence[Update]) -> frozenset[int]:
    """The registers that have the event in their lists."""
    return frozenset(register for register, update in enumerate(updates) if update.change is Change.LIST)


def _kept(updates: Sequence[Update], told: frozenset[int]) -> frozenset[int]:
    """Where the registers that tell groups of the source apart are now; none: they are not all kept."""
    places = {update.register: at for at, update in enumerate(updates) if update.change in (Change.KEEP, Change.LIST)}
    return frozenset(places[one] for one in told) if told <= places.keys() else frozenset()
