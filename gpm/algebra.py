"""Graph patterns and expressions as immutable trees, free of text positions.

The shapes follow the SPARQL 1.1 grammar (groups are lists of elements, in source order), so that a pattern can
be printed back to SPARQL without loss.  Nothing here evaluates anything.

Elements of groups have no slots: ``gpm.scope`` notes there which variables they have, once for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

XSD = "http://www.w3.org/2001/XMLSchema#"
XSD_STRING = XSD + "string"
XSD_INTEGER = XSD + "integer"
XSD_DECIMAL = XSD + "decimal"
XSD_DOUBLE = XSD + "double"
XSD_BOOLEAN = XSD + "boolean"
XSD_DATETIME = XSD + "dateTime"


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Variable:
    """``?name``; ``name`` has no question mark."""

    name: str


@dataclass(frozen=True, slots=True)
class Parameter(Variable):
    """``?name`` of GIVEN: a row of a table says which term it is, in all events the same (semantics.md 3.7)."""


@dataclass(frozen=True, slots=True)
class Iri:
    """An absolute IRI, prefixes and BASE already resolved."""

    value: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal as written: ``lexical`` unescaped, ``datatype`` an IRI, ``language`` in lower case or None."""

    lexical: str
    datatype: str = XSD_STRING
    language: str | None = None


@dataclass(frozen=True, slots=True)
class BlankNode:
    """A blank node of a pattern or template; ``label`` is unique within its GPM or template."""

    label: str


Term = Variable | Iri | Literal | BlankNode


# ── property paths ───────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class InversePath:
    """``^path``."""

    path: Path


@dataclass(frozen=True, slots=True)
class SequencePath:
    """``first / second / …``, at least two parts."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class AlternativePath:
    """``first | second | …``, at least two parts."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class RepeatedPath:
    """``path*``, ``path+`` or ``path?``; ``modifier`` is that character."""

    path: Path
    modifier: str


@dataclass(frozen=True, slots=True)
class NegatedPath:
    """``!(a | ^b)``: any predicate but ``forward``, or any inverse one but ``inverse``."""

    forward: tuple[Iri, ...]
    inverse: tuple[Iri, ...]


Path = Iri | InversePath | SequencePath | AlternativePath | RepeatedPath | NegatedPath


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or built-in function applied to ``arguments``.

    ``name`` is one of ``|| && ! = != < > <= >= + - * / IN "NOT IN"`` (one argument of ``-`` or ``+``: the sign), a
    built-in's name in capitals (``BOUND``, ``COALESCE``, ``IF``, ``STR``, ``NOW`` …), or an IRI in angle brackets for a
    function call such as a cast.  ``IN`` has the tested value first, then the list.
    """

    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXISTS {…}`` or, if ``negated``, ``NOT EXISTS {…}``."""

    pattern: Group
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``COUNT SUM AVG MIN MAX FIRST LAST GROUP_CONCAT SAMPLE STDEV VARIANCE MEDIAN``; ``argument`` None is ``*``.

    In SELECT and top-level FILTERs of SPAseq: over a group variable or over matches (semantics.md 3.1, 3.4).  ``FIRST``
    also stands for the first iteration's value inside a Kleene body.  Inside a sub-SELECT: SPARQL's.
    """

    function: str
    argument: Expression | None
    distinct: bool = False
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class Previous:
    """``PREV(?v)``: the value of ``variable`` in the previous iteration."""

    variable: Variable


Expression = Variable | Iri | Literal | Operation | Exists | Aggregate | Previous


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """``expression`` and all below it, EXISTS taken as a whole, from left to right."""
    yield expression
    match expression:
        case Operation(_, arguments):
            for argument in arguments:
                yield from subexpressions(argument)
        case Aggregate(argument=argument) if argument is not None:
            yield from subexpressions(argument)


# ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Triple:
    """A triple pattern; the predicate may be a property path."""

    subject: Term
    predicate: Variable | Path
    object: Term


@dataclass(frozen=True)
class Triples:
    """A run of triple patterns: one basic graph pattern together with its neighbours."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True)
class Optional:
    """``OPTIONAL {…}``."""

    group: Group


@dataclass(frozen=True)
class Union:
    """``{…} UNION {…} …``, at least two branches."""

    branches: tuple[Group, ...]


@dataclass(frozen=True)
class Minus:
    """``MINUS {…}``."""

    group: Group


@dataclass(frozen=True)
class Graph:
    """``GRAPH <name> {…}``: background knowledge."""

    name: Iri
    group: Group


@dataclass(frozen=True)
class Filter:
    """``FILTER expression``."""

    expression: Expression


@dataclass(frozen=True)
class Bind:
    """``BIND(expression AS ?variable)``."""

    expression: Expression
    variable: Variable


@dataclass(frozen=True)
class Values:
    """``VALUES (…) {…}``; None in a row is UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Iri | Literal | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Projection:
    """One item of a SELECT clause: a plain variable, or an expression with its name."""

    name: str
    expression: Expression


@dataclass(frozen=True)
class SubSelect:
    """A nested SELECT; ``projections`` None is ``*``."""

    projections: tuple[Projection, ...] | None
    group: Group
    distinct: bool = False
    reduced: bool = False
    group_by: tuple[Projection | Expression, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[tuple[Expression, bool], ...] = ()  # (key, descending)
    limit: int | None = None
    offset: int | None = None
    values: Values | None = None


@dataclass(frozen=True)
class Group:
    """``{ … }``: elements in source order."""

    elements: tuple[Element, ...] = ()


Element = Triples | Group | Optional | Union | Minus | Graph | Filter | Bind | Values | SubSelect
