"""Texts of queries that need not be parsed, as they differ from one that was only in constants that may vary."""

from __future__ import annotations

from collections.abc import Sequence

from gpm.algebra import XSD_INTEGER, Iri, Literal
from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.forms import FormTable, Row, TextForm
from spaseq.languages.skeletons import Skeleton
from spaseq.languages.spaseq import ParsedQuery, parse
from spaseq.languages.spaseq.cells import CellReader, cut
from spaseq.languages.spaseq.parameters import Places
from spaseq.languages.spaseq.terms import Prefixes
from spaseq.pattern.sequences import Given, Query
from spaseq.plan.sequences.templates import Instance, instance_of


class GraphForm(TextForm):
    """See ``TextForm``: ``first`` is the query that was parsed, in whose text terms are read by ``reader``."""

    def __init__(self, skeleton: Skeleton, constants: Sequence[str], first: Instance, reader: CellReader) -> None:
        given = first.template.given
        assert given is not None
        length = None if given.length is None else given.names.index(given.length)
        super().__init__(skeleton, constants, first.row, length)
        self.template = first.template
        self.reader = reader
        self.fits = Places(first.template)

    def value(self, number: int, constant: str) -> Iri | Literal | None:
        """See ``TextForm``."""
        if number != self.length:
            return self.reader.constant(constant)
        return Literal(str(int(constant) * self.unit), XSD_INTEGER) if constant.isdecimal() else None

    def parsed_row(self, text: str) -> Row | None:
        """See ``TextForm``."""
        try:
            found = instance_of(parse(text).query)
        except (QuerySyntaxError, QueryError):
            return None
        return found.row if found is not None and found.template == self.template else None

    def length_of(self, row: Row) -> int:
        """See ``TextForm``: in microseconds."""
        assert self.length is not None
        term = row[self.length]
        assert isinstance(term, Literal)
        return int(term.lexical)


class KnownForms(FormTable[GraphForm, Instance | ParsedQuery]):
    """See ``FormTable``: a text means an instance of a template that is known, or what the parser says."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[ParsedQuery, Instance | None] | None = None  # what was parsed, and what it is

    def instance(self, read: object, checked: Query) -> Instance | None:
        """A query as one of its template, which was ``read`` and is now ``checked``; None if it has none."""
        if self._last is not None and self._last[0] is read:
            return self._last[1]
        return instance_of(checked)

    def cut(self, text: str) -> tuple[Skeleton, tuple[str, ...]]:
        """See ``FormTable``."""
        return cut(text)

    def parse(self, text: str) -> Instance | ParsedQuery:
        """See ``FormTable``."""
        return parse(text)

    def known(self, form: GraphForm, row: Row, text: str) -> Instance | None:
        """See ``FormTable``."""
        return None if any(form.fits.misfits(row)) else Instance(form.template, row)

    def form(self, skeleton: Skeleton, constants: Sequence[str], parsed: Instance | ParsedQuery) -> GraphForm | None:
        """See ``FormTable``."""
        assert isinstance(parsed, ParsedQuery)
        instance = instance_of(parsed.query)
        self._last = parsed, instance
        if instance is None:
            return None
        names = Prefixes(parsed.tree.prologue)
        reader = CellReader(Given((), prefixes=names.prefixes, base=names.base))
        return GraphForm(skeleton, constants, instance, reader)

    def are_alike(self, one: GraphForm, other: GraphForm) -> bool:
        """See ``FormTable``."""
        return one.template == other.template
