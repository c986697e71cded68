"""Graph patterns and sub-SELECTs: syntax tree to algebra, by the rules of SPARQL 1.1 on grouping and scope (18.2.1)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Protocol

from gpm import algebra
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.lower_expression import ExpressionLowering, ExpressionPlace
from spaseq.languages.spaseq.terms import RDF, Prefixes


def in_scope(element: algebra.Element) -> tuple[str, ...]:
    """The variables in scope in ``element``, in order of first mention."""
    return tuple(dict.fromkeys(_in_scope(element)))


def triple_variables(triples: Iterable[algebra.Triple]) -> tuple[str, ...]:
    """The variables of triple patterns, in order of first mention."""
    terms = (term for triple in triples for term in (triple.subject, triple.predicate, triple.object))
    variables = (term for term in terms if isinstance(term, algebra.Variable))
    return tuple(dict.fromkeys(one.name for one in variables if not isinstance(one, algebra.Parameter)))


def _in_scope(element: algebra.Element) -> Iterator[str]:
    match element:
        case algebra.Triples(triples):
            yield from triple_variables(triples)
        case algebra.Group(elements):
            for part in elements:
                yield from _in_scope(part)
        case algebra.Optional(group) | algebra.Graph(_, group):
            yield from _in_scope(group)
        case algebra.Union(branches):
            for branch in branches:
                yield from _in_scope(branch)
        case algebra.Bind(_, variable):
            yield variable.name
        case algebra.Values(variables):
            yield from (variable.name for variable in variables)
        case algebra.SubSelect(projections, group):
            yield from in_scope(group) if projections is None else (item.name for item in projections)


def free_variables(expression: algebra.Expression) -> tuple[str, ...]:
    """The variables read outside of aggregates and PREV, and outside of EXISTS, in order of first mention."""
    return tuple(dict.fromkeys(_free_variables(expression)))


def _free_variables(expression: algebra.Expression) -> Iterator[str]:
    match expression:
        case algebra.Parameter():
            return
        case algebra.Variable(name):
            yield name
        case algebra.Operation(_, arguments):
            for argument in arguments:
                yield from _free_variables(argument)


def is_stateful(expression: algebra.Expression, variables: Iterable[str]) -> bool:
    """Whether a top-level filter needs more than its event, in which ``variables`` are in scope (semantics.md 2)."""
    if any(isinstance(part, algebra.Aggregate | algebra.Previous) for part in algebra.subexpressions(expression)):
        return True
    return not set(free_variables(expression)) <= set(variables)


# ── sub-SELECTs ──────────────────────────────────────────────────────────────────────────────────────────
class GroupLowering(Protocol):
    """What lowers the groups around and inside a sub-SELECT."""

    expressions: ExpressionLowering

    def group(self, node: tree.Group) -> algebra.Group:
        """``{ … }``."""

    def values(self, node: tree.Values) -> algebra.Values:
        """VALUES."""


def sub_select(node: tree.SubSelect, lowering: GroupLowering) -> algebra.SubSelect:
    """The algebra of a nested SELECT; Problem for what SPARQL forbids."""
    lower = lowering.expressions.lower
    group = lowering.group(node.group)
    group_by = tuple(_condition(each, lowering) for each in node.group_by)
    having = tuple(lower(each, ExpressionPlace.SUB_SELECT) for each in node.having)
    projections = (
        None if node.items is None else projected(node.items, in_scope(group), lowering, ExpressionPlace.SUB_SELECT)
    )
    _check_grouping(node, projections, group_by, having)
    return algebra.SubSelect(
        projections,
        group,
        distinct=node.distinct,
        reduced=node.reduced,
        group_by=group_by,
        having=having,
        order_by=tuple((lower(key.expression, ExpressionPlace.SUB_SELECT), key.descending) for key in node.order_by),
        limit=node.limit,
        offset=node.offset,
        values=lowering.values(node.values) if node.values else None,
    )


def projected(
    items: tuple[tree.Variable | tree.Named, ...],
    scope: tuple[str, ...],
    lowering: GroupLowering,
    place: ExpressionPlace,
) -> tuple[algebra.Projection, ...]:
    """The items of a SELECT clause; a new name must be new, a plain variable may be repeated (and counts once)."""
    found: dict[str, algebra.Projection] = {}
    for item in items:
        if isinstance(item, tree.Variable):
            found.setdefault(item.name, algebra.Projection(item.name, algebra.Variable(item.name)))
            continue
        name = item.variable.name
        if name in scope or name in found:
            raise Problem(f"?{name} already has a meaning", item.variable.span, "choose a new name after AS")
        found[name] = algebra.Projection(name, lowering.expressions.lower(item.expression, place))
    return tuple(found.values())


def _condition(node: tree.Named | tree.Expression, lowering: GroupLowering) -> algebra.Projection | algebra.Expression:
    if isinstance(node, tree.Named):
        expression = lowering.expressions.lower(node.expression, ExpressionPlace.PATTERN)
        return algebra.Projection(node.variable.name, expression)
    return lowering.expressions.lower(node, ExpressionPlace.PATTERN)


def _check_grouping(
    node: tree.SubSelect,
    projections: tuple[algebra.Projection, ...] | None,
    group_by: tuple[algebra.Projection | algebra.Expression, ...],
    having: tuple[algebra.Expression, ...],
) -> None:
    """In a grouped SELECT, only grouped variables and earlier names may stand outside of aggregates."""
    expressions = [*having, *(item.expression for item in projections or ())]
    if not group_by and not any(is_aggregate(expression) for expression in expressions):
        return
    if projections is None or node.items is None:
        raise Problem("SELECT * cannot be grouped", node.span, "name the variables of GROUP BY")
    allowed = {each.name for each in group_by if isinstance(each, algebra.Projection | algebra.Variable)}
    spans = {item.name if isinstance(item, tree.Variable) else item.variable.name: item.span for item in node.items}
    for projection in projections:
        loose = [name for name in free_variables(projection.expression) if name not in allowed]
        if loose and projection.expression not in group_by:
            message = f"?{loose[0]} is neither grouped nor inside an aggregate"
            raise Problem(message, spans[projection.name], f"add GROUP BY ?{loose[0]}")
        allowed.add(projection.name)


def is_aggregate(expression: algebra.Expression) -> bool:
    """Whether an aggregate is somewhere in ``expression``."""
    return any(isinstance(part, algebra.Aggregate) for part in algebra.subexpressions(expression))


# ── graph patterns ───────────────────────────────────────────────────────────────────────────────────────
class PatternLowering:
    """Lowers one GPM or template: its blank nodes are labelled uniquely within it."""

    def __init__(self, names: Prefixes) -> None:
        self.names = names
        self.expressions = ExpressionLowering(names, self.group)
        self.anonymous = 0
        self.basic = 0  # number of the basic graph pattern at hand
        self.label_homes: dict[str, int] = {}

    # ── groups ───────────────────────────────────────────────────────────────────────────────────────────
    def group(self, node: tree.Group, place: ExpressionPlace = ExpressionPlace.PATTERN) -> algebra.Group:
        """``{ … }``; ``place`` is that of the filters directly in it."""
        around, self.basic = self.basic, self._new_basic()
        elements: list[algebra.Element] = []
        bound: set[str] = set()
        for element in node.elements:
            if not isinstance(element, tree.Triples | tree.Filter):
                self.basic = self._new_basic()
            elements.append(self.element(element, bound, place))
            bound.update(in_scope(elements[-1]))
            if not isinstance(element, tree.Triples | tree.Filter):
                self.basic = self._new_basic()
        self.basic = around
        return algebra.Group(tuple(elements))

    def _new_basic(self) -> int:
        self.anonymous += 1
        return self.anonymous

    def element(self, node: tree.Element, bound: Container[str], place: ExpressionPlace) -> algebra.Element:
        """One element of a group, in which the variables ``bound`` are in scope to its left."""
        match node:
            case tree.Triples():
                return algebra.Triples(tuple(self.triples(node.statements)))
            case tree.Filter():
                return algebra.Filter(self.expressions.lower(node.expression, place))
            case tree.Group():
                return self.group(node)
            case tree.Optional():
                return algebra.Optional(self.group(node.group))
            case tree.Union():
                return algebra.Union(tuple(self.group(branch) for branch in node.branches))
            case tree.Minus():
                return algebra.Minus(self.group(node.group))
            case tree.Graph():
                return self.graph(node)
            case tree.Bind():
                return self.bind(node, bound)
            case tree.Values():
                return self.values(node)
            case tree.SubSelect():
                return sub_select(node, self)
            case tree.Service():
                hint = "give the data as background knowledge, and read it with GRAPH <kb> {…}"
                raise Problem("SERVICE is not allowed", node.span, hint)

    def graph(self, node: tree.Graph) -> algebra.Graph:
        """``GRAPH <kb> {…}``."""
        if isinstance(node.name, tree.Variable):
            hint = "name the background graph: GRAPH <kb> {…}"
            raise Problem(f"GRAPH ?{node.name.name} is not allowed", node.name.span, hint)
        return algebra.Graph(algebra.Iri(self.names.iri(node.name)), self.group(node.group))

    def bind(self, node: tree.Bind, bound: Container[str]) -> algebra.Bind:
        """BIND, whose variable must be new in its group."""
        name = node.variable.name
        if name in bound:
            raise Problem(f"BIND to ?{name}, which is already in scope", node.variable.span, "choose a new variable")
        return algebra.Bind(self.expressions.lower(node.expression, ExpressionPlace.PATTERN), algebra.Variable(name))

    def values(self, node: tree.Values) -> algebra.Values:
        """VALUES, each row as long as the list of variables."""
        for row in node.rows:
            if len(row.values) != len(node.variables):
                message = f"a row of {len(row.values)} values for {len(node.variables)} variables"
                raise Problem(message, row.span, "write UNDEF for a value that is left open")
        variables = tuple(algebra.Variable(variable.name) for variable in node.variables)
        return algebra.Values(variables, tuple(tuple(map(self.value, row.values)) for row in node.rows))

    def value(
        self, node: tree.Iri | tree.Literal | tree.Number | tree.Boolean | tree.Undefined
    ) -> algebra.Iri | algebra.Literal | None:
        """A value of VALUES; None for UNDEF."""
        return None if isinstance(node, tree.Undefined) else self.expressions.constant(node)

    # ── triples ──────────────────────────────────────────────────────────────────────────────────────────
    def triples(self, statements: Iterable[tree.Statement]) -> Iterator[algebra.Triple]:
        """The triples of ``statements``, abbreviations written out, in the order of the text."""
        for statement in statements:
            subject, said = self.object(statement.subject)
            yield from said
            yield from self.properties(subject, statement.properties)

    def properties(self, subject: algebra.Term, properties: Iterable[tree.Property]) -> Iterator[algebra.Triple]:
        """The triples of ``subject``."""
        for item in properties:
            verb = self.verb(item.verb)
            for node in item.objects:
                term, said = self.object(node)
                yield algebra.Triple(subject, verb, term)
                yield from said

    def verb(self, node: tree.Variable | tree.Parameter | tree.Path) -> algebra.Variable | algebra.Path:
        """What relates subject and object."""
        match node:
            case tree.Variable():
                return algebra.Variable(node.name)
            case tree.Parameter():
                return algebra.Parameter(node.name)
            case _:
                return self.path(node)

    def object(self, node: tree.Object) -> tuple[algebra.Term, list[algebra.Triple]]:
        """The term that stands for ``node``, and the triples that ``node`` itself says."""
        match node:
            case tree.PropertyList():
                term = self.fresh()
                return term, list(self.properties(term, node.properties))
            case tree.Collection():
                return self.collection(node)
            case tree.Variable():
                return algebra.Variable(node.name), []
            case tree.Parameter():
                return algebra.Parameter(node.name), []
            case tree.BlankNode():
                return self.blank_node(node), []
            case _:
                return self.expressions.constant(node), []

    def collection(self, node: tree.Collection) -> tuple[algebra.Term, list[algebra.Triple]]:
        """``( … )`` as a list of rdf:first and rdf:rest."""
        nil = algebra.Iri(RDF + "nil")
        if not node.items:
            return nil, []
        first, rest = algebra.Iri(RDF + "first"), algebra.Iri(RDF + "rest")
        cells = [self.fresh() for _ in node.items]
        triples: list[algebra.Triple] = []
        followers: list[algebra.Term] = [*cells[1:], nil]
        for cell, following, item in zip(cells, followers, node.items, strict=True):
            term, said = self.object(item)
            triples += [algebra.Triple(cell, first, term), *said, algebra.Triple(cell, rest, following)]
        return cells[0], triples

    def fresh(self) -> algebra.BlankNode:
        """A blank node of its own; written labels begin otherwise."""
        self.anonymous += 1
        return algebra.BlankNode(f"g{self.anonymous}")

    def blank_node(self, node: tree.BlankNode) -> algebra.BlankNode:
        """``_:label``, which belongs to one basic graph pattern."""
        if not node.label:
            return self.fresh()
        if self.label_homes.setdefault(node.label, self.basic) != self.basic:
            message = f"blank node _:{node.label} is used in two basic graph patterns"
            raise Problem(message, node.span, "use a variable instead")
        return algebra.BlankNode("l" + node.label)

    # ── paths ────────────────────────────────────────────────────────────────────────────────────────────
    def path(self, node: tree.Path) -> algebra.Path:
        """A predicate or property path."""
        match node:
            case tree.Iri():
                return algebra.Iri(self.names.iri(node))
            case tree.InversePath():
                return algebra.InversePath(self.path(node.path))
            case tree.SequencePath():
                return algebra.SequencePath(tuple(self.path(part) for part in node.parts))
            case tree.AlternativePath():
                return algebra.AlternativePath(tuple(self.path(part) for part in node.parts))
            case tree.RepeatedPath():
                return algebra.RepeatedPath(self.path(node.path), node.modifier)
            case tree.NegatedPath():
                forward = tuple(self.names.iri(part) for part in node.parts if isinstance(part, tree.Iri))
                inverse = tuple(self._step(part) for part in node.parts if isinstance(part, tree.InversePath))
                return algebra.NegatedPath(tuple(map(algebra.Iri, forward)), inverse)

    def _step(self, node: tree.InversePath) -> algebra.Iri:
        assert isinstance(node.path, tree.Iri)
        return algebra.Iri(self.names.iri(node.path))


def template(statements: Iterable[tree.Statement], names: Prefixes) -> tuple[algebra.Triple, ...]:
    """The triples of a CONSTRUCT template, which has no paths."""
    lowering = PatternLowering(names)
    for statement in statements:
        refuse_paths(statement)
    return tuple(lowering.triples(statements))


def refuse_paths(node: tree.Node) -> None:
    """Problem where a part of a template has a path."""
    if isinstance(node, tree.Property) and not isinstance(node.verb, tree.Variable | tree.Parameter | tree.Iri):
        raise Problem("a template cannot contain a property path", node.verb.span, "write one triple for each step")
    match node:
        case tree.Statement(subject, properties):
            nodes: tuple[tree.Node, ...] = (subject, *properties)
        case tree.Property(_, objects):
            nodes = objects
        case tree.PropertyList(properties):
            nodes = properties
        case tree.Collection(items):
            nodes = items
        case _:
            nodes = ()
    for child in nodes:
        refuse_paths(child)
