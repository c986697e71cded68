"""The syntax tree: what was written, with its place.  Spans do not count in comparisons.

Names stay as spelled (prefixed names, ``a``, abbreviations of Turtle), so that a tree can be printed as it was meant.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spaseq.languages.node import Node as Node, Span


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Name(Node):
    """The name of a GPM or stream."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """``?name`` or ``$name``."""

    name: str


@dataclass(frozen=True, slots=True)
class Iri(Node):
    """``<http://…>``, ``prefix:local`` or ``a``, as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A quoted literal; ``text`` is unescaped, ``language`` in lower case."""

    text: str
    datatype: Iri | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number without quotes, as written, with its sign if it has one."""

    text: str


@dataclass(frozen=True, slots=True)
class Boolean(Node):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True, slots=True)
class BlankNode(Node):
    """``_:label``, or ``[]`` if the label is empty."""

    label: str


@dataclass(frozen=True, slots=True)
class Collection(Node):
    """``( … )``; no items: ``rdf:nil``."""

    items: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class PropertyList(Node):
    """``[ property object; … ]``."""

    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """``?name`` of GIVEN, where a term of its rows is to stand."""

    name: str


Term = Variable | Parameter | Iri | Literal | Number | Boolean | BlankNode
Object = Term | Collection | PropertyList


# ── paths ────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class InversePath(Node):
    """``^path``."""

    path: Path


@dataclass(frozen=True, slots=True)
class SequencePath(Node):
    """``a / b / …``."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class AlternativePath(Node):
    """``a | b | …``."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class RepeatedPath(Node):
    """``path`` with ``?``, ``*`` or ``+``."""

    path: Path
    modifier: str


@dataclass(frozen=True, slots=True)
class NegatedPath(Node):
    """``!(a | ^b)``."""

    parts: tuple[Iri | InversePath, ...]


Path = Iri | InversePath | SequencePath | AlternativePath | RepeatedPath | NegatedPath


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Operation(Node):
    """An operator with its operands; ``IN`` and ``NOT IN`` have the tested value first, then the list."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``function(…)``; the name of a built-in in capitals, or an IRI.  ``star``: ``COUNT(*)``."""

    function: Name | Iri
    arguments: tuple[Expression, ...] = ()
    distinct: bool = False
    star: bool = False
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class Exists(Node):
    """``EXISTS {…}`` or ``NOT EXISTS {…}``."""

    group: Group
    negated: bool = False


Expression = Variable | Parameter | Iri | Literal | Number | Boolean | Operation | Call | Exists


# ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Property(Node):
    """``verb object, object, …``."""

    verb: Variable | Parameter | Path
    objects: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A subject with its properties; none only if the subject says something itself."""

    subject: Object
    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Triples(Node):
    """Statements with full stops in between."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Group(Node):
    """``{ … }``; a sub-SELECT is the only element of its group."""

    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Union(Node):
    """``{…} UNION {…} …``."""

    branches: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Optional(Node):
    """``OPTIONAL {…}``."""

    group: Group


@dataclass(frozen=True, slots=True)
class Minus(Node):
    """``MINUS {…}``."""

    group: Group


@dataclass(frozen=True, slots=True)
class Graph(Node):
    """``GRAPH name {…}``."""

    name: Variable | Iri
    group: Group


@dataclass(frozen=True, slots=True)
class Service(Node):
    """``SERVICE name {…}``: parsed, so that the refusal can say why."""

    name: Variable | Iri
    group: Group
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """``FILTER …``."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Bind(Node):
    """``BIND(expression AS ?variable)``."""

    expression: Expression
    variable: Variable


@dataclass(frozen=True, slots=True)
class Undefined(Node):
    """``UNDEF``."""


@dataclass(frozen=True, slots=True)
class Row(Node):
    """One row of VALUES."""

    values: tuple[Iri | Literal | Number | Boolean | Undefined, ...]


@dataclass(frozen=True, slots=True)
class Values(Node):
    """``VALUES (?a …) { (…) … }``."""

    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Named(Node):
    """``(expression AS ?variable)``."""

    expression: Expression
    variable: Variable


@dataclass(frozen=True, slots=True)
class OrderKey(Node):
    """One key of ORDER BY."""

    expression: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class SubSelect(Node):
    """A nested SELECT; ``items`` None is ``*``."""

    items: tuple[Variable | Named, ...] | None
    group: Group
    distinct: bool = False
    reduced: bool = False
    group_by: tuple[Named | Expression, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[OrderKey, ...] = ()
    limit: int | None = None
    offset: int | None = None
    values: Values | None = None


Element = Triples | Group | Union | Optional | Minus | Graph | Service | Filter | Bind | Values | SubSelect


# ── sequences ────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Reference(Node):
    """The name of a GPM in SEQ."""

    name: str


@dataclass(frozen=True, slots=True)
class Steps(Node):
    """``left operator right``; the operator is ``,`` ``;`` or ``:`` and stands at ``operator_span``."""

    left: Sequence
    operator: str
    right: Sequence
    operator_span: Span = field(default=Span(0, 0), compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Alternatives(Node):
    """``left | right``."""

    left: Sequence
    right: Sequence


@dataclass(frozen=True, slots=True)
class Unordered(Node):
    """``side && side && …``, two sides or more."""

    sides: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True)
class Conjuncts(Node):
    """``left & right``."""

    left: Sequence
    right: Sequence


@dataclass(frozen=True, slots=True)
class Repeated(Node):
    """``body`` with ``+``, ``*`` or ``{least,most}``; ``most`` None is without end, ``operator`` None the default."""

    body: Sequence
    least: int
    most: int | None
    operator: str | None = None


@dataclass(frozen=True, slots=True)
class Possible(Node):
    """``body?``."""

    body: Sequence


@dataclass(frozen=True, slots=True)
class Negated(Node):
    """``body!``."""

    body: Sequence


Sequence = Reference | Steps | Alternatives | Unordered | Conjuncts | Repeated | Possible | Negated


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Base(Node):
    """``BASE <iri>``."""

    iri: Iri


@dataclass(frozen=True, slots=True)
class Prefix(Node):
    """``PREFIX name: <iri>``; ``name`` without the colon."""

    name: str
    iri: Iri


@dataclass(frozen=True, slots=True)
class Select(Node):
    """SELECT; ``items`` None is ``*``."""

    items: tuple[Variable | Named, ...] | None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Construct(Node):
    """``CONSTRUCT {template} INTO STREAM [name] <iri>``; ``into`` None: a name alone."""

    template: tuple[Statement, ...]
    into: Iri | None
    name: Name | None = None


@dataclass(frozen=True, slots=True)
class Window(Node):
    """``WITHIN length unit``; ``unit`` in capitals and plural (``EVENTS``, ``MINUTES`` …)."""

    length: Number | Variable | Parameter
    unit: str
    sliding: bool = False
    origin: Literal | None = None


@dataclass(frozen=True, slots=True)
class StreamClause(Node):
    """``FROM STREAM [name] <iri>``."""

    iri: Iri
    name: Name | None = None


@dataclass(frozen=True, slots=True)
class Partition(Node):
    """``PARTITION BY ?key … [USING group]``."""

    keys: tuple[Variable, ...]
    using: Group | None = None


@dataclass(frozen=True, slots=True)
class Given(Node):
    """``GIVEN ?parameter …``, or with its rows; ``rows`` None: they come from elsewhere."""

    parameters: tuple[Variable, ...]
    rows: tuple[Row, ...] | None = None


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """``DEFINE GPM name ON stream {…}``."""

    name: Name
    stream: Name | Iri
    group: Group


@dataclass(frozen=True, slots=True)
class Query(Node):
    """A whole query."""

    prologue: tuple[Base | Prefix, ...]
    form: Select | Construct
    window: Window | None
    streams: tuple[StreamClause, ...]
    sequence: Sequence
    definitions: tuple[Definition, ...]
    group_by: tuple[Variable, ...] = ()
    partition: Partition | None = None
    having: tuple[Expression, ...] = ()
    given: Given | None = None
