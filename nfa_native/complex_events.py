"""Complex event automata (Grez, Riveros, Ugarte: CEA): what the recognizer runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PickState:
    """Being here means: the last event picked is one that matched one of ``atoms``.

    ``after`` are the states from which any later event enters it, ``directly_after`` those from which only the very
    next event of the substream does.  Positions of ``marked`` states belong to the result.
    """

    atoms: tuple[int, ...]
    initial: bool = False
    final: bool = False
    after: tuple[int, ...] = ()
    directly_after: tuple[int, ...] = ()
    marked: bool = True


@dataclass(frozen=True, slots=True)
class ComplexEventAutomaton:
    """States by number; a match is a path from an initial to a final one.

    ``ambiguous``: several paths may mark the same positions, so results have to be made distinct.
    """

    states: tuple[PickState, ...]
    ambiguous: bool = False

    def __post_init__(self) -> None:
        """ValueError: a state without atoms, or a predecessor that is none."""
        numbers = range(len(self.states))
        for state in self.states:
            if not state.atoms or any(one not in numbers for one in (*state.after, *state.directly_after)):
                raise ValueError(f"{state} is not one of an automaton of {len(self.states)} states")

    @property
    def is_chain(self) -> bool:
        """Whether every result has one pick of each state, in the order of their numbers."""
        return all(
            state.marked
            and state.initial == (number == 0)
            and state.final == (number == len(self.states) - 1)
            and (*state.after, *state.directly_after) == ((number - 1,) if number else ())
            for number, state in enumerate(self.states)
        )
