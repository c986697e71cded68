"""Texts in CEQL that need not be parsed, as they differ from one that was only in constants that may vary."""

from __future__ import annotations

from collections.abc import Sequence

from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.ceql import parse
from spaseq.languages.ceql.cells import constant_of, cut
from spaseq.languages.forms import FormTable, Row, TextForm
from spaseq.languages.skeletons import Skeleton
from spaseq.pattern.formulas.binding import bound
from spaseq.pattern.formulas.parameters import ConstantValue
from spaseq.plan.formulas.templates import FormulaInstance, instance_of
from spaseq.tuples.queries import Prepared, prepare_formula

LONGEST = 1 << 62  # µs: longer windows are left to the parser


class TupleForm(TextForm):
    """See ``TextForm``: ``first`` is the query that was parsed."""

    def __init__(self, skeleton: Skeleton, constants: Sequence[str], first: FormulaInstance) -> None:
        given = first.template.given
        assert given is not None
        length = given.names.index(given.lengths[0].parameter) if given.lengths else None
        super().__init__(skeleton, constants, first.row, length)
        self.template = first.template
        self.key = first.key

    def value(self, number: int, constant: str) -> ConstantValue | None:
        """See ``TextForm``."""
        try:
            value = constant_of(constant, is_text=True)
        except ValueError:
            return None
        if number != self.length:
            return value
        is_length = isinstance(value, int) and 0 < value < LONGEST // self.unit
        return value * self.unit if is_length else None

    def parsed_row(self, text: str) -> Row | None:
        """See ``TextForm``."""
        try:
            found = instance_of(parse(text).query)
        except (QuerySyntaxError, QueryError):
            return None
        return found.row if found is not None and found.key == self.key else None

    def length_of(self, row: Row) -> int:
        """See ``TextForm``: in microseconds."""
        assert self.length is not None
        return int(row[self.length])


class KnownTupleForms(FormTable[TupleForm, Prepared]):
    """See ``FormTable``: what was prepared so far."""

    def cut(self, text: str) -> tuple[Skeleton, tuple[str, ...]]:
        """See ``FormTable``."""
        return cut(text)

    def parse(self, text: str) -> Prepared:
        """See ``FormTable``; errors as of ``prepare``."""
        return prepare_formula(text, "on rows that are pushed")

    def known(self, form: TupleForm, row: Row, text: str) -> Prepared:
        """See ``FormTable``."""
        found = Prepared(text, bound(form.template, row))
        found.__dict__["instance"] = FormulaInstance(form.template, row, form.key)
        return found

    def form(self, skeleton: Skeleton, constants: Sequence[str], parsed: Prepared) -> TupleForm | None:
        """See ``FormTable``."""
        instance = parsed.instance
        return None if instance is None else TupleForm(skeleton, constants, instance)

    def are_alike(self, one: TupleForm, other: TupleForm) -> bool:
        """See ``FormTable``."""
        return one.key == other.key
