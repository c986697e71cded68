"""Graph patterns on events one by one: the same evaluation as that of a batch, without its arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gpm.native.single import SingleEvent
from gpm.native.solver import PatternSet
from gpm.native_steps import NativePattern, Reason
from gpm.rows import AtomRows
from gpm.shapes import PatternShape, PreparedShape
from gpm.steps import run_single
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows

Evaluate = Callable[[SingleEvent, PatternShape], AtomRows]  # as of a batch of this event
Slots = tuple[str, ...]
View = tuple[tuple[int, ...] | None, list[int]]  # columns of a shape (None: all, as they are), and who wants them


class SinglePatterns:
    """Patterns that are asked of events one by one, next to one version of the background.

    ``evaluate`` is asked where the native solver is not enough.
    """

    def __init__(
        self, patterns: Sequence[tuple[PatternShape, PreparedShape, Slots]], terms: Terms, evaluate: Evaluate
    ) -> None:
        self._terms = terms
        self._evaluate = evaluate
        self._shapes = list(dict.fromkeys(shape for shape, _, _ in patterns))
        self._prepared = {shape: prepared for shape, prepared, _ in patterns}
        self._views = self._views_of(patterns)
        asked = [_asked(self._prepared[shape]) for shape in self._shapes]
        self._numbers = [number for number, one in enumerate(asked) if one is not None]
        self._always = [number for number, one in enumerate(asked) if one is None]
        self._set = PatternSet((one for one in asked if one is not None), terms)

    def rows(self, event: SingleEvent) -> Iterator[tuple[int, EventRows]]:
        """The number of each pattern that has rows on the event, and these rows, in columns of its slots."""
        for number, found in self._set.solve_event(event):
            yield from self._seen(self._numbers[number], event, found)
        for number in self._always:
            yield from self._seen(number, event, None)

    def _views_of(self, patterns: Sequence[tuple[PatternShape, PreparedShape, Slots]]) -> list[list[View]]:
        """Of each shape: for each order of slots the columns that make it, and the patterns that want it."""
        wanted: dict[PatternShape, dict[Slots, list[int]]] = {shape: {} for shape in self._shapes}
        for number, (shape, _, slots) in enumerate(patterns):
            wanted[shape].setdefault(slots, []).append(number)
        return [
            [(_columns(shape.variables, slots), numbers) for slots, numbers in views.items()]
            for shape, views in wanted.items()
        ]

    def _seen(self, number: int, event: SingleEvent, found: EventRows | None) -> Iterator[tuple[int, EventRows]]:
        rows = self._finished(self._shapes[number], event, found)
        if rows is None or not rows.count:
            return
        for columns, patterns in self._views[number]:
            view = rows if columns is None else rows.select(columns)
            for pattern in patterns:
                yield pattern, view

    def _finished(self, shape: PatternShape, event: SingleEvent, found: EventRows | None) -> EventRows | None:
        """The rows of a shape from those of its core (None: the solver cannot tell)."""
        prepared = self._prepared[shape]
        if found is None or isinstance(prepared.native, Reason):
            return EventRows(self._evaluate(event, shape).columns)
        names, rows = run_single(prepared.steps, prepared.columns, found, event.time, self._terms)
        columns = _columns(names, shape.variables)
        rows = rows if columns is None else rows.select(columns)
        if prepared.steps and rows.count > 1:
            return EventRows(AtomRows.of(rows.row_event, rows.columns).columns)
        return rows


def _asked(prepared: PreparedShape) -> NativePattern | None:
    """What the solver is asked; None: nothing."""
    return prepared.required if isinstance(prepared.native, Reason) else prepared.native


def _columns(names: Slots, wanted: Slots) -> tuple[int, ...] | None:
    """The place of each wanted column among ``names``, −1 if it is not there; None: they are the same."""
    return None if names == wanted else tuple(names.index(name) if name in names else -1 for name in wanted)
