"""Texts of queries that need not be parsed, as they differ from one that was only in constants that may vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpm.algebra import XSD_INTEGER, Iri, Literal
from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.query_text import MOST_CHARACTERS
from spaseq.languages.skeletons import Skeleton
from spaseq.languages.spaseq import ParsedQuery, parse
from spaseq.languages.spaseq.cells import CellReader, cut
from spaseq.languages.spaseq.parameters import Places
from spaseq.languages.spaseq.terms import Prefixes
from spaseq.pattern.sequences import Given
from spaseq.plan.sequences.templates import Instance, instance_of

MOST_SKELETONS = 256
MOST_FORMS = 8  # of a skeleton: texts with other constants where none may vary


class KnownForms:
    """What was parsed so far, by the skeletons of the texts."""

    def __init__(self) -> None:
        self._forms: dict[str, list[Form]] = {}

    def read(self, text: str) -> Instance | ParsedQuery:
        """What a text means: as an instance of a template that is known, or parsed.  Errors as of ``parse``."""
        if len(text) > MOST_CHARACTERS:
            return parse(text)
        skeleton, constants = cut(text)
        forms = self._forms.get(skeleton.key, ())
        found = next((one for form in forms if (one := form.instance(constants)) is not None), None)
        if found is not None:
            return found
        parsed = parse(text)
        instance = instance_of(parsed.query)
        if instance is not None:
            self._learn(skeleton, constants, instance, parsed)
        return parsed

    def _learn(self, skeleton: Skeleton, constants: Sequence[str], instance: Instance, parsed: ParsedQuery) -> None:
        forms = self._forms.setdefault(skeleton.key, [])
        alike = [form for form in forms if form.first.template == instance.template]
        for form in alike:
            form.learn(constants)
        if not alike and len(forms) < MOST_FORMS:
            names = Prefixes(parsed.tree.prologue)
            reader = CellReader(Given((), prefixes=names.prefixes, base=names.base))
            forms.append(Form(skeleton, tuple(constants), instance, reader))
        if len(self._forms) > MOST_SKELETONS:
            del self._forms[next(iter(self._forms))]


@dataclass(slots=True)
class Form:
    """A text that was parsed, with its ``constants``; ``places``: which of them are known to be parameters, and which.

    The number of WITHIN is multiplied by ``unit``.
    """

    skeleton: Skeleton
    constants: tuple[str, ...]
    first: Instance
    reader: CellReader
    places: dict[int, int] = field(default_factory=dict)
    unit: int = 1
    fits: Places = field(init=False)

    def __post_init__(self) -> None:
        self.fits = Places(self.first.template)

    def instance(self, constants: Sequence[str]) -> Instance | None:
        """What a text of this skeleton means; None if its constants differ where it is not known what that means."""
        row = list(self.first.row)
        for place, (constant, first) in enumerate(zip(constants, self.constants, strict=True)):
            if constant != first:
                number = self.places.get(place)
                term = None if number is None else self._term(number, constant)
                if number is None or term is None:
                    return None
                row[number] = term
        return None if any(self.fits.misfits(tuple(row))) else Instance(self.first.template, tuple(row))

    def _term(self, number: int, constant: str) -> Iri | Literal | None:
        """The term of a constant in the place of a parameter of that number; None: it cannot stand there."""
        given = self.first.template.given
        assert given is not None
        if given.names[number] != given.length:
            return self.reader.constant(constant)
        return Literal(str(int(constant) * self.unit), XSD_INTEGER) if constant.isdecimal() else None

    # ── which constants are parameters ───────────────────────────────────────────────────────────────────
    def learn(self, constants: Sequence[str]) -> None:
        """Find out what the constants mean in which another text of the same template differs."""
        for place, (constant, first) in enumerate(zip(constants, self.constants, strict=True)):
            if constant != first and place not in self.places:
                self._probe(place, constant)

    def _probe(self, place: int, constant: str) -> None:
        """Put another constant in one place of the text, to see which parameter has another term then."""
        changed = (*self.constants[:place], constant, *self.constants[place + 1 :])
        try:
            found = instance_of(parse(self.skeleton.text(changed)).query)
        except (QuerySyntaxError, QueryError):
            return
        given = self.first.template.given
        assert given is not None
        if found is None or found.template != self.first.template:
            return
        rows = zip(self.first.row, found.row, strict=True)
        numbers = [number for number, (first, other) in enumerate(rows) if first != other]
        if len(numbers) != 1:
            return
        (number,) = numbers
        if given.names[number] == given.length and self.constants[place].isdecimal():
            self.unit = self._length(self.first) // int(self.constants[place])
        terms = self._term(number, self.constants[place]), self._term(number, constant)
        if terms == (self.first.row[number], found.row[number]):
            self.places[place] = number

    def _length(self, instance: Instance) -> int:
        given = instance.template.given
        assert given is not None and given.length is not None
        term = instance.row[given.names.index(given.length)]
        assert isinstance(term, Literal)
        return int(term.lexical)
