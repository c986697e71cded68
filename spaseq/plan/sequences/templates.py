"""Queries that differ only in constants, and in names, as rows of one query with parameters (semantics.md 3.7).

A constant may vary where a step can ask rules for it: as an object of a pattern, compared or calculated with, or as the
number of WITHIN.  Streams, graphs, properties, ``{n,m}`` and arguments of other functions stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from gpm.algebra import (
    XSD_INTEGER,
    Element,
    Expression,
    Filter,
    Group,
    Iri,
    Literal,
    Operation,
    Parameter,
    Projection,
    Triple,
    Triples,
    Variable,
)
from gpm.rewrite import CanonicalNames, rename, walk
from spaseq.errors import QueryError
from spaseq.pattern.sequences import (
    AtomDefinition,
    Given,
    Negation,
    Optional,
    Query,
    Row,
    Selection,
    Window,
    occurrences,
    partly_bound,
)
from spaseq.plan.sequences.plan import compile_plan
from spaseq.plan.sequences.rules import apart

CALCULATED = frozenset(("||", "&&", "!", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "SAMETERM"))


@dataclass(frozen=True, slots=True)
class Instance:
    """A query: that of one ``row`` of ``template``, which has parameters for all constants that may vary."""

    template: Query
    row: Row

    @property
    def columns(self) -> tuple[str, ...]:
        """What its results show, by name."""
        assert isinstance(self.template.form, Selection)
        return tuple([one.name for one in self.template.form.projections])

    def query(self, name: str) -> Query:
        """The query itself."""
        assert self.template.given is not None
        terms = dict(zip(self.template.given.names, self.row, strict=True))
        return replace(partly_bound(self.template, terms), name=name, given=None)


def instance_of(query: Query) -> Instance | None:
    """A query, whatever it is called, as one of its template; None if it could share nothing with others."""
    form = query.form
    if query.given is not None or query.row is not None or not isinstance(form, Selection):
        return None
    if form.distinct:  # which match stands for a row would depend on the others
        return None
    constants = _Constants(query)
    negated = {one.name for one in occurrences(query.expression) if one.negated}
    atoms = tuple([atom if atom.name in negated else constants.atom(atom) for atom in query.atoms])
    projections = tuple([constants.projection(one) for one in form.projections])
    window, length = constants.window(query.window)
    given = Given(tuple(constants.terms), length=length)
    found = replace(
        query, atoms=atoms, form=replace(form, projections=projections), window=window, given=given, name=""
    )
    fixed = {name: constants.terms[name] for name in _parting(found)}
    row = tuple(term for name, term in constants.terms.items() if name not in fixed)
    return Instance(partly_bound(found, fixed) if fixed else found, row)


@lru_cache(maxsize=256)
def _parting(template: Query) -> frozenset[str]:
    """See ``Plan.parting``: where nothing can be absent, that is known without a plan."""
    if any(isinstance(one, Negation | Optional) for one in walk(template.expression)):
        with suppress(QueryError):  # too large: whoever runs it says so
            return compile_plan(template).parting
    return apart(template)


@lru_cache(maxsize=256)
def canonical(template: Query) -> Query:
    """The template with other names of variables: equal for templates that differ in nothing else."""
    variable, label = CanonicalNames("v"), CanonicalNames("b")
    found: Query = rename(template, variable, label)
    atoms = tuple([replace(one, variables=tuple(map(variable, one.variables))) for one in found.atoms])
    form, partition = found.form, found.partition
    if isinstance(form, Selection):
        form = replace(form, group_by=tuple(map(variable, form.group_by)))
    if partition is not None:
        partition = replace(partition, keys=tuple(map(variable, partition.keys)))
    return replace(found, atoms=atoms, form=form, partition=partition)


class _Constants:
    """The constants of a query that may vary, by the parameters that stand for them."""

    def __init__(self, query: Query) -> None:
        self.terms: dict[str, Iri | Literal] = {}
        self._prefix = "constant"
        used = {part.name for part in walk(query) if isinstance(part, Variable | Projection)}
        while any(name.startswith(self._prefix) for name in used):
            self._prefix += "_"

    def _parameter(self, term: Iri | Literal) -> Parameter:
        name = f"{self._prefix}{len(self.terms) + 1}"
        self.terms[name] = term
        return Parameter(name)

    def atom(self, atom: AtomDefinition) -> AtomDefinition:
        """A GPM that no negation has."""
        pattern = Group(tuple([self._element(element) for element in atom.pattern.elements]))
        return replace(atom, pattern=pattern, stateful=tuple([self._expression(one) for one in atom.stateful]))

    def _element(self, element: Element) -> Element:
        match element:
            case Triples(triples):
                return replace(element, triples=tuple([self._triple(one) for one in triples]))
            case Filter(expression):
                return Filter(self._expression(expression))
        return element

    def _triple(self, triple: Triple) -> Triple:
        if isinstance(triple.object, Iri | Literal):
            return replace(triple, object=self._parameter(triple.object))
        return triple

    def _expression(self, expression: Expression) -> Expression:
        match expression:
            case Operation(name, arguments) if name in CALCULATED:
                return Operation(name, tuple([self._operand(one) for one in arguments]))
        return expression

    def _operand(self, expression: Expression) -> Expression:
        match expression:
            case Iri() | Literal():
                return self._parameter(expression)
        return self._expression(expression)

    def projection(self, shown: Projection) -> Projection:
        """An item of SELECT."""
        return replace(shown, expression=self._operand(shown.expression))

    def window(self, window: Window | None) -> tuple[Window | None, str | None]:
        """The window, and the parameter that has its length."""
        if window is None or window.events or not window.sliding:
            return window, None
        length = self._parameter(Literal(str(window.length), XSD_INTEGER))
        return replace(window, length=1), length.name


@dataclass(frozen=True, slots=True)
class Variation:
    """In what the queries of a template differ so far, for each of its parameters by number.

    ``alike``: the first one that has the same term in all of them; ``differs``: whether some have different terms.
    Parameters that do not differ are constants, and those that are alike one parameter.
    """

    alike: tuple[int, ...]
    differs: tuple[bool, ...]

    @staticmethod
    def of(first: Instance) -> Variation:
        """Of one query."""
        given = first.template.given
        assert given is not None
        lengths = [number if name == given.length else -1 for number, name in enumerate(given.names)]
        return Variation(_first_ones(lengths, first.row), (False,) * len(first.row))

    def including(self, first: Instance, other: Instance) -> Variation:
        """Of these queries, of which ``first`` is one, and another."""
        differ = zip(self.differs, first.row, other.row, strict=True)
        return Variation(
            _first_ones(self.alike, other.row), tuple(differs or one != its for differs, one, its in differ)
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """The parameters that are left."""
        places = enumerate(zip(self.alike, self.differs, strict=True))
        return tuple(number for number, (alike, differs) in places if differs and alike == number)

    def row(self, instance: Instance) -> Row:
        """The terms that a query has for these."""
        return tuple([instance.row[number] for number in self.numbers])

    def query(self, first: Instance) -> Query:
        """The query with these parameters, of which one is ``first``."""
        given = first.template.given
        assert given is not None
        terms: dict[str, Iri | Literal | Parameter] = {}
        for number, name in enumerate(given.names):
            if not self.differs[number]:
                terms[name] = first.row[number]
            elif self.alike[number] != number:
                terms[name] = Parameter(given.names[self.alike[number]])
        return partly_bound(first.template, terms)


def _first_ones(before: Sequence[int], row: Row) -> tuple[int, ...]:
    """For each place the first one that was the same ``before`` and has the same term."""
    found: dict[tuple[int, Iri | Literal], int] = {}
    return tuple([found.setdefault(pair, number) for number, pair in enumerate(zip(before, row, strict=True))])
