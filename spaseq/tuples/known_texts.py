"""Texts in CEQL that need not be parsed, as they differ from one that was only in constants that may vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.ceql import parse
from spaseq.languages.ceql.cells import constant_of, cut
from spaseq.languages.query_text import MOST_CHARACTERS
from spaseq.languages.skeletons import Skeleton
from spaseq.pattern.formulas.binding import bound
from spaseq.pattern.formulas.parameters import ConstantValue
from spaseq.plan.formulas.templates import FormulaInstance, instance_of
from spaseq.tuples.queries import Prepared, prepare

LONGEST = 1 << 62  # µs: longer windows are left to the parser
MOST_SKELETONS = 256
MOST_FORMS = 8  # of a skeleton: texts with other constants where none may vary


class KnownTupleForms:
    """What was prepared so far, by the skeletons of the texts."""

    def __init__(self) -> None:
        self._forms: dict[str, list[TupleForm]] = {}

    def read(self, text: str) -> Prepared:
        """The query of a text, which is parsed if its form is not known.  Errors as of ``prepare``."""
        if len(text) > MOST_CHARACTERS:
            return prepare(text)
        skeleton, constants = cut(text)
        forms = self._forms.get(skeleton.key, ())
        found = next((one for form in forms if (one := form.instance(constants)) is not None), None)
        if found is not None:
            return Prepared(text, bound(found.template, found.row))
        prepared = prepare(text)
        instance = instance_of(prepared.query)
        if instance is not None:
            self._learn(skeleton, constants, instance)
        return prepared

    def _learn(self, skeleton: Skeleton, constants: Sequence[str], instance: FormulaInstance) -> None:
        forms = self._forms.setdefault(skeleton.key, [])
        alike = [form for form in forms if form.first.key == instance.key]
        for form in alike:
            form.learn(constants)
        if not alike and len(forms) < MOST_FORMS:
            forms.append(TupleForm(skeleton, tuple(constants), instance))
        if len(self._forms) > MOST_SKELETONS:
            del self._forms[next(iter(self._forms))]


@dataclass(slots=True)
class TupleForm:
    """A text that was parsed, with its ``constants``; ``places``: which of them are known to be parameters, and which.

    The number of WITHIN is multiplied by ``unit``.
    """

    skeleton: Skeleton
    constants: tuple[str, ...]
    first: FormulaInstance
    places: dict[int, int] = field(default_factory=dict)
    unit: int = 1

    def instance(self, constants: Sequence[str]) -> FormulaInstance | None:
        """What a text of this skeleton means; None if its constants differ where it is not known what that means."""
        row = list(self.first.row)
        for place, (constant, first) in enumerate(zip(constants, self.constants, strict=True)):
            if constant != first:
                number = self.places.get(place)
                value = None if number is None else self._value(number, constant)
                if number is None or value is None:
                    return None
                row[number] = value
        return FormulaInstance(self.first.template, tuple(row))

    def _value(self, number: int, constant: str) -> ConstantValue | None:
        """The constant in the place of a parameter of that number; None: it cannot stand there."""
        try:
            value = constant_of(constant, is_text=True)
        except ValueError:
            return None
        if number != self._length:
            return value
        is_length = isinstance(value, int) and 0 < value < LONGEST // self.unit
        return value * self.unit if is_length else None

    @property
    def _length(self) -> int | None:
        """The number of the parameter that has the length of the window."""
        given = self.first.template.given
        assert given is not None
        return given.names.index(given.lengths[0].parameter) if given.lengths else None

    # ── which constants are parameters ───────────────────────────────────────────────────────────────────
    def learn(self, constants: Sequence[str]) -> None:
        """Find out what the constants mean in which another text of the same template differs."""
        for place, (constant, first) in enumerate(zip(constants, self.constants, strict=True)):
            if constant != first and place not in self.places:
                self._probe(place, constant)

    def _probe(self, place: int, constant: str) -> None:
        """Put another constant in one place of the text, to see which parameter has another value then."""
        changed = (*self.constants[:place], constant, *self.constants[place + 1 :])
        try:
            found = instance_of(parse(self.skeleton.text(changed)).query)
        except (QuerySyntaxError, QueryError):
            return
        if found is None or found.key != self.first.key:
            return
        rows = zip(map(repr, self.first.row), map(repr, found.row), strict=True)
        numbers = [number for number, (first, other) in enumerate(rows) if first != other]
        if len(numbers) != 1:
            return
        (number,) = numbers
        if number == self._length and self.constants[place].isdecimal() and int(self.constants[place]):
            length = self.first.row[number]
            assert isinstance(length, int)
            self.unit = length // int(self.constants[place])
        values = self._value(number, self.constants[place]), self._value(number, constant)
        if tuple(map(repr, values)) == (repr(self.first.row[number]), repr(found.row[number])):
            self.places[place] = number
