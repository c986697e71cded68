"""Sequences of graph patterns, what SPAseq compiles to: queries, and how their events follow (semantics.md 3).

Names of GPMs, streams and variables are strings; graph patterns are ``gpm.algebra`` trees.  No text positions here.
Group variables work on occurrences: a GPM may stand in a sequence several times, in different places.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from gpm.algebra import Expression, Group, Iri, Literal, Parameter, Projection, Triple
from gpm.rewrite import rewrite


class Strategy(Enum):
    """How the next event is chosen; the value is the operator's spelling."""

    ANY = ":"
    NEXT = ";"
    STRICT = ","


@dataclass(frozen=True, slots=True)
class Atom:
    """One event that matches the GPM called ``name``."""

    name: str


@dataclass(frozen=True, slots=True)
class Conjunction:
    """``left & right`` of BOps: one event for each, at one timestamp."""

    left: SequenceExpression
    right: SequenceExpression


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """``X && Y && …``: a way for each of its ``sides``, two or more, in any order (semantics.md 3.6)."""

    sides: tuple[SequenceExpression, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """``left | right``."""

    left: SequenceExpression
    right: SequenceExpression


@dataclass(frozen=True, slots=True)
class Sequence:
    """``left ∘ right`` with ``∘`` the operator of ``strategy``."""

    left: SequenceExpression
    strategy: Strategy
    right: SequenceExpression


@dataclass(frozen=True, slots=True)
class Kleene:
    """``least`` to ``most`` (None: any number of) iterations of ``body``; ``least`` is at least 1.

    ``X*`` and ``X{0,m}`` are an Optional of a Kleene.  ``strategy`` is the iteration operator, defaults resolved.
    """

    body: SequenceExpression
    least: int
    most: int | None
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Optional:
    """``body?``: taken, or absent (semantics.md 3.2)."""

    body: SequenceExpression


@dataclass(frozen=True, slots=True)
class Negation:
    """``body!`` of a BOp, an element of a sequence."""

    body: SequenceExpression


SequenceExpression = Atom | Conjunction | AnyOrder | Disjunction | Sequence | Kleene | Optional | Negation


def operands(expression: SequenceExpression) -> tuple[SequenceExpression, ...]:
    """The parts of an expression, from left to right; an atom has none."""
    match expression:
        case Atom():
            return ()
        case Conjunction(left, right) | Disjunction(left, right) | Sequence(left, _, right):
            return left, right
        case AnyOrder(sides):
            return sides
        case Kleene(body=body) | Optional(body) | Negation(body):
            return (body,)


# ── size ─────────────────────────────────────────────────────────────────────────────────────────────────
MOST_STEPS = 4096


def written_out(expression: SequenceExpression) -> int:
    """The number of atoms when each ``X{n,m}`` is m copies of X (n of them, if m is open)."""
    match expression:
        case Atom():
            return 1
        case Kleene(body, least, most, _):
            return (least if most is None else most) * written_out(body)
        case _:
            return sum(map(written_out, operands(expression)))


# ── group variables (semantics.md 3.1) ──────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place of an atom in a sequence: ``kleenes`` around it, outermost first; ``negated`` if it is part of ``X!``.

    Kleenes are numbered from 0 in the order in which they begin, an outer one before those in its body.
    """

    name: str
    kleenes: tuple[int, ...]
    negated: bool


def occurrences(expression: SequenceExpression) -> tuple[Occurrence, ...]:
    """The occurrences of atoms in ``expression``, from left to right."""
    return tuple(_occurrences(expression, (), False, _Counter()))


def picked(expression: SequenceExpression) -> tuple[str, ...]:
    """The GPMs whose events a match may pick, in order of first mention."""
    return tuple(dict.fromkeys(each.name for each in occurrences(expression) if not each.negated))


def group_variables(
    expression: SequenceExpression, variables: Mapping[str, Collection[str]], keys: Container[str] = ()
) -> tuple[frozenset[str], ...]:
    """The group variables of every Kleene, by its number; ``variables`` are those in scope in each atom by name.

    ``keys`` are those of PARTITION BY: they are equal in all iterations, so no group variables (semantics.md 3.5).
    """
    variables = {atom: [name for name in names if name not in keys] for atom, names in variables.items()}
    places = occurrences(expression)
    number = 1 + max((kleene for place in places for kleene in place.kleenes), default=-1)
    return tuple(_group_variables(kleene, places, variables) for kleene in range(number))


def owner(variable: str, place: Occurrence, groups: tuple[frozenset[str], ...]) -> int | None:
    """The innermost Kleene around ``place`` that has ``variable`` as a group variable, if there is one."""
    owners = [kleene for kleene in place.kleenes if variable in groups[kleene]]
    return owners[-1] if owners else None


def _group_variables(
    kleene: int, places: tuple[Occurrence, ...], variables: Mapping[str, Collection[str]]
) -> frozenset[str]:
    inside = {name for place in places if kleene in place.kleenes for name in variables[place.name]}
    outside = {
        name for place in places if kleene not in place.kleenes and not place.negated for name in variables[place.name]
    }
    return frozenset(inside - outside)


class _Counter:
    """Hands out the numbers of Kleenes."""

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> int:
        self.count += 1
        return self.count - 1


def _occurrences(
    expression: SequenceExpression, kleenes: tuple[int, ...], negated: bool, counter: _Counter
) -> Iterator[Occurrence]:
    match expression:
        case Atom(name):
            yield Occurrence(name, kleenes, negated)
        case Kleene(body):
            yield from _occurrences(body, (*kleenes, counter.next()), negated, counter)
        case Negation(body):
            yield from _occurrences(body, kleenes, True, counter)
        case _:
            for part in operands(expression):
                yield from _occurrences(part, kleenes, negated, counter)


# ── whole queries, neutral of the language that they were written in ─────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Window:
    """``WITHIN``: ``length`` in microseconds, or in events of the merged input if ``events``.

    ``origin`` is the microsecond at which tumbling time windows are aligned (``FROM``).
    """

    length: int
    sliding: bool = False
    events: bool = False
    origin: int = 0


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of the FROM STREAM clauses; ``name`` is the query's short name for it (the IRI if it gives none)."""

    name: str
    iri: str


@dataclass(frozen=True, slots=True)
class AtomDefinition:
    """``DEFINE GPM name ON stream {…}``.

    ``pattern`` is the graph pattern without its stateful filters, ``variables`` those in scope at its top level in the
    order of first mention, ``stateful`` the filters that need the partial match (semantics.md 2).
    """

    name: str
    stream: str
    pattern: Group
    variables: tuple[str, ...]
    stateful: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """SELECT: ``projections`` with ``*`` already expanded; ``group_by`` only with aggregates over matches.

    ``having`` are conditions on their groups, names of SELECT replaced by what they mean.
    """

    projections: tuple[Projection, ...]
    distinct: bool = False
    group_by: tuple[str, ...] = ()
    having: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Construction:
    """CONSTRUCT {template} INTO STREAM <into>."""

    template: tuple[Triple, ...]
    into: str


@dataclass(frozen=True, slots=True)
class Partition:
    """``PARTITION BY ?key … [USING {using}]`` (semantics.md 3.5): ``keys`` are names of variables, each once."""

    keys: tuple[str, ...]
    using: Group | None = None


Row = tuple[Iri | Literal, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """GIVEN: the parameters of a query, and its distinct rows, each with a term for every parameter (semantics.md 3.7).

    Without ``rows`` they come when the query is registered.  ``length`` is the parameter that is the window's length,
    of which ``Window.length`` then is the unit.
    """

    names: tuple[str, ...]
    rows: tuple[Row, ...] | None = field(default=None, repr=False)  # a fingerprint is of the query, with any rows
    length: str | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)  # for terms in tables
    base: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A checked query.  ``streams`` are distinct IRIs in the order of FROM STREAM; ``atoms`` the defined GPMs.

    With ``given`` it stands for one query for each row (``bound``), and has Parameters for their terms.
    """

    form: Selection | Construction
    streams: tuple[Stream, ...]
    atoms: tuple[AtomDefinition, ...]
    expression: SequenceExpression
    window: Window | None = None
    name: str = ""
    partition: Partition | None = None
    given: Given | None = field(default=None, repr=False)  # fingerprints of queries without it are those of ever
    row: Row | None = field(default=None, repr=False)  # whose query it is, of one that had parameters

    @property
    def into(self) -> str | None:
        """The stream that it derives; None for a SELECT."""
        return self.form.into if isinstance(self.form, Construction) else None

    @property
    def of_row(self) -> str:
        """What its fingerprint has of parameters: nothing where there are none."""
        return "" if self.given is None and self.row is None else repr((self.given, self.row))

    @property
    def keys(self) -> tuple[str, ...]:
        """The variables of PARTITION BY; none without it."""
        return self.partition.keys if self.partition else ()

    @property
    def group_by(self) -> tuple[str, ...]:
        """What aggregates over matches are grouped by: the keys, and what GROUP BY names."""
        named = self.form.group_by if isinstance(self.form, Selection) else ()
        return tuple(dict.fromkeys((*self.keys, *named)))

    def atom(self, name: str) -> AtomDefinition:
        """The definition of the GPM called ``name``; KeyError if there is none."""
        for definition in self.atoms:
            if definition.name == name:
                return definition
        raise KeyError(name)

    def variables(self) -> dict[str, tuple[str, ...]]:
        """The variables in scope in each GPM by name: the keys of PARTITION BY are in scope everywhere."""
        return {one.name: tuple(dict.fromkeys((*self.keys, *one.variables))) for one in self.atoms}


# ── parameters (semantics.md 3.7) ─────────────────────────────────────────────────────────────────────────
def bound(query: Query, row: Row) -> Query:
    """The query of one row, which has a term for each parameter and fits (``languages.spaseq.parameters``)."""
    assert query.given is not None
    return replace(partly_bound(query, dict(zip(query.given.names, row, strict=True))), given=None, row=row)


def partly_bound(query: Query, terms: Mapping[str, Iri | Literal | Parameter]) -> Query:
    """The query with these terms, or others of its parameters, in the place of some parameters; all else is left."""
    assert query.given is not None
    names = tuple(name for name in query.given.names if name not in terms)
    length = query.given.length if query.given.length in names else None
    found = rewrite(replace(query, given=None), lambda part: terms.get(part.name) if type(part) is Parameter else None)
    given = replace(query.given, names=names, rows=None, length=length)
    return replace(found, given=given, window=_window(query.window, query.given, terms))


def _window(window: Window | None, given: Given, terms: Mapping[str, Iri | Literal | Parameter]) -> Window | None:
    """The window where its length may be among the ``terms``: ``window`` is as long as a unit then."""
    if given.length is None or given.length not in terms:
        return window
    term = terms[given.length]
    assert window is not None and isinstance(term, Literal)
    return replace(window, length=int(term.lexical) * window.length)
