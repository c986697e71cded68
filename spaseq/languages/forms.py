"""Texts that need not be parsed, as they differ from one that was only in constants that may vary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from spaseq.languages.query_text import MOST_CHARACTERS
from spaseq.languages.skeletons import Skeleton

MOST_SKELETONS = 256
MOST_FORMS = 8  # of a skeleton: texts with other constants where none may vary

Row = tuple[Any, ...]
F = TypeVar("F", bound="TextForm")
R = TypeVar("R")


class TextForm(ABC):
    """A text that was parsed, with its ``constants`` and its ``row`` of a template, in which these are.

    ``places``: which of the constants are known to be in the row, and where.  The number of WITHIN is multiplied by
    ``unit``.
    """

    def __init__(self, skeleton: Skeleton, constants: Sequence[str], row: Row, length: int | None) -> None:
        """``length``: where the row has the length of the window."""
        self.skeleton = skeleton
        self.constants = tuple(constants)
        self.row = row
        self.length = length
        self.places: dict[int, int] = {}
        self.unit = 1

    @abstractmethod
    def value(self, number: int, constant: str) -> Any:
        """The constant as it is at that place of a row; None: it cannot stand there."""

    @abstractmethod
    def parsed_row(self, text: str) -> Row | None:
        """The row of a text, if it has one, and of the same template."""

    @abstractmethod
    def length_of(self, row: Row) -> int:
        """The length of the window in a row."""

    def row_of(self, constants: Sequence[str]) -> Row | None:
        """That of a text of this skeleton; None if its constants differ where it is not known what that means."""
        row = list(self.row)
        for place, (constant, first) in enumerate(zip(constants, self.constants, strict=True)):
            if constant != first:
                number = self.places.get(place)
                value = None if number is None else self.value(number, constant)
                if number is None or value is None:
                    return None
                row[number] = value
        return tuple(row)

    # ── which constants are in the row ───────────────────────────────────────────────────────────────────
    def learn(self, constants: Sequence[str]) -> None:
        """Find out what the constants mean in which another text of the same template differs."""
        for place, (constant, first) in enumerate(zip(constants, self.constants, strict=True)):
            if constant != first and place not in self.places:
                self._probe(place, constant)

    def _probe(self, place: int, constant: str) -> None:
        """Put another constant in one place of the text, to see what is another in the row then."""
        found = self.parsed_row(self.skeleton.text((*self.constants[:place], constant, *self.constants[place + 1 :])))
        if found is None:
            return
        first, other = tuple(map(repr, self.row)), tuple(map(repr, found))  # by Python's equality, 1 would be TRUE
        numbers = [number for number, (one, its) in enumerate(zip(first, other, strict=True)) if one != its]
        if len(numbers) != 1:
            return
        (number,) = numbers
        known = self.constants[place]
        if number == self.length and known.isdecimal() and int(known):
            self.unit = self.length_of(self.row) // int(known)
        values = self.value(number, known), self.value(number, constant)
        if tuple(map(repr, values)) == (first[number], other[number]):
            self.places[place] = number


class FormTable(ABC, Generic[F, R]):
    """What was read so far, by the skeletons of the texts."""

    def __init__(self) -> None:
        self._forms: dict[str, list[F]] = {}

    @abstractmethod
    def cut(self, text: str) -> tuple[Skeleton, tuple[str, ...]]:
        """The skeleton of a text, and its constants."""

    @abstractmethod
    def parse(self, text: str) -> R:
        """What a text means, by the parser."""

    @abstractmethod
    def known(self, form: F, row: Row, text: str) -> R | None:
        """What a text of a form means, which has this row; None: the parser has to say it."""

    @abstractmethod
    def form(self, skeleton: Skeleton, constants: Sequence[str], parsed: R) -> F | None:
        """The form of a text that was parsed; None: no constant of it may vary."""

    @abstractmethod
    def are_alike(self, one: F, other: F) -> bool:
        """Whether two forms are of one template."""

    def read(self, text: str) -> R:
        """What a text means; it is parsed if its form is not known.  Errors as of ``parse``."""
        if len(text) > MOST_CHARACTERS:
            return self.parse(text)
        skeleton, constants = self.cut(text)
        for form in self._forms.get(skeleton.key, ()):
            row = form.row_of(constants)
            found = None if row is None else self.known(form, row, text)
            if found is not None:
                return found
        parsed = self.parse(text)
        form_of_it = self.form(skeleton, constants, parsed)
        if form_of_it is not None:
            self._learn(skeleton, constants, form_of_it)
        return parsed

    def _learn(self, skeleton: Skeleton, constants: Sequence[str], form: F) -> None:
        forms = self._forms.setdefault(skeleton.key, [])
        alike = [one for one in forms if self.are_alike(one, form)]
        for one in alike:
            one.learn(constants)
        if not alike and len(forms) < MOST_FORMS:
            forms.append(form)
        if len(self._forms) > MOST_SKELETONS:
            del self._forms[next(iter(self._forms))]
