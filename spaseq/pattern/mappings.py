"""What a row of a table means as an event: a CONSTRUCT whose solutions are rows, columns being variables.

The meaning is that of SPARQL 1.1: the solution of a row binds the variable of each column that is not NULL; WHERE binds
and filters; the template makes triples, of which those with an unbound variable are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gpm.algebra import Bind, Expression, Filter, Operation, Triple, Variable, subexpressions


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """The variable that has the values of a column, or of a field in one: ``path`` has its names, with dots between."""

    path: str
    variable: str


@dataclass(frozen=True, slots=True)
class EventTime:
    """The variable that has the time of an event.

    A number counts ``unit`` (``us``, ``ms`` or ``s``) since 1970.  With a ``form``, numbers and texts are read as it
    says, by the signs of ``strptime``.
    """

    variable: str
    unit: str | None = None
    form: str | None = None


@dataclass(frozen=True)
class Mapping:
    """What a row means.

    ``columns`` and ``each`` name columns; a row is a solution for each element of the lists of ``each``.  Then come the
    ``steps``, in whose order variables are bound, while filters see all of them.  ``event``: the variable of the name;
    None: events have the names that streams give them.
    """

    columns: tuple[MappedColumn, ...]
    each: tuple[MappedColumn, ...]
    steps: tuple[Bind | Filter, ...]
    template: tuple[Triple, ...]
    time: EventTime
    event: str | None = None

    @cached_property
    def asked(self) -> dict[str, str]:
        """By variable that is read and that no step binds: the path of its column."""
        named = {one.variable: one.path for one in (*self.columns, *self.each)}
        bound = {step.variable.name for step in self.steps if isinstance(step, Bind)}
        return {name: named.get(name, name) for name in dict.fromkeys(self._read()) if name not in bound}

    def casts(self, names: Collection[str]) -> dict[str, str]:
        """By column: the function of these ``names`` that all of its values are given to, and nothing else is."""
        expressions = [step.expression for step in self.steps]
        parts = [part for one in expressions for part in subexpressions(one)]
        calls = [one for one in parts if isinstance(one, Operation) and one.name in names]
        given = Counter((one.arguments[0].name, one.name) for one in calls if isinstance(one.arguments[0], Variable))
        uses, asked = Counter(self._read()), self.asked
        return {
            asked[variable]: name for (variable, name), count in given.items()
            if count == uses[variable] and variable in asked
        }  # fmt: skip

    def variable_of(self, path: str) -> str:
        """The variable that has the values of that column."""
        named = {one.path: one.variable for one in (*self.columns, *self.each)}
        return named.get(path) or next((name for name, its in self.asked.items() if its == path), path)

    def only(self, template: Sequence[Triple]) -> Mapping:
        """The same with these triples alone, and without steps that neither they, nor name, time or filters need."""
        bare = replace(
            self, template=tuple(template), steps=tuple(one for one in self.steps if isinstance(one, Filter))
        )
        needed, steps = set(bare._read()), list[Bind | Filter]()
        for step in reversed(self.steps):
            if isinstance(step, Filter) or step.variable.name in needed:
                steps.append(step)
                needed.update(variables_of(step.expression))
        columns = tuple(one for one in self.columns if one.variable in needed)
        return replace(bare, columns=columns, steps=tuple(reversed(steps)))

    def _read(self) -> Iterator[str]:
        for step in self.steps:
            yield from variables_of(step.expression)
        terms = (term for one in self.template for term in (one.subject, one.predicate, one.object))
        yield from (term.name for term in terms if isinstance(term, Variable))
        yield from [] if self.event is None else [self.event]
        yield self.time.variable


def variables_of(expression: Expression) -> list[str]:
    """The variables that an expression reads, from left to right."""
    return [part.name for part in subexpressions(expression) if isinstance(part, Variable)]
