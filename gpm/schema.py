"""The RDFS schema in background graphs: what follows from it for any triple, as tables.

docs/entailment.md has the definition.  Each rule has one premise in the data and all others in the schema, so what
follows from a graph is the union of what follows from each of its triples, and that depends on the triple's predicate
and object alone: it can be tabulated once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from pyoxigraph import BlankNode, NamedNode, Store

from gpm.errors import PatternError

Node: TypeAlias = NamedNode | BlankNode
Above: TypeAlias = Mapping[Node, frozenset[Node]]
Row: TypeAlias = tuple[str, ...]

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
SUB_CLASS, SUB_PROPERTY = NamedNode(RDFS + "subClassOf"), NamedNode(RDFS + "subPropertyOf")
DOMAIN, RANGE = NamedNode(RDFS + "domain"), NamedNode(RDFS + "range")
_RELATIONS = (SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE)
UPWARD = (TYPE, SUB_CLASS, SUB_PROPERTY)  # what holds for an object of these holds for all above it
_NOTHING: frozenset[Node] = frozenset()


class Schema:
    """What the sub-class, sub-property, domain and range statements of some graphs entail.

    Tables have IRIs as text and are sorted; chains may pass through blank nodes, tables do not name them.
    ``property_rows``: (p, a property properly above p).  ``upward_rows[u]`` of a property u of UPWARD: (c, what is
    properly above c).  ``subject_rows`` and ``object_rows``: (p, a class of each subject or object of p).
    ``class_rows``: (p, a class, a class of this class) for classes that are in what follows from a triple of p.
    ``upward_class_rows[u]``: (c, what is properly above c, a class of that).
    PatternError: the graphs change the meaning of RDFS itself.
    """

    def __init__(self, stores: Iterable[Store]) -> None:
        statements = _statements(list(stores))
        classes, properties = _closure(statements[SUB_CLASS]), _closure(statements[SUB_PROPERTY])
        _check(properties)
        self._properties = properties
        self.property_rows = _proper(properties)
        self.upward_rows = {u.value: _proper(properties if u == SUB_PROPERTY else classes) for u in UPWARD}
        known = {*UPWARD, *properties, *(p for relation in (DOMAIN, RANGE) for p, _ in statements[relation])}
        subjects = _inherited(known, statements[DOMAIN], properties, classes)
        objects = _inherited(known, statements[RANGE], properties, classes)
        of_typed, of_classes = subjects[TYPE], objects[TYPE]  # classes of all that has a class, and of all classes
        for table in (subjects, objects):
            for p in known:
                table[p] |= of_typed if table[p] else _NOTHING
        meta = of_typed | of_classes if of_classes else _NOTHING
        self.subject_rows, self.object_rows = _pairs(subjects), _pairs(objects)
        self.class_rows = _sorted(
            (p, c, m)
            for p in known
            for c in (subjects[p] | objects[p] | meta if subjects[p] | objects[p] else ())
            for m in meta
        )
        self.upward_class_rows = {
            u.value: _sorted(
                (c, d, m)
                for c, above in (properties if u == SUB_PROPERTY else classes).items()
                for d in above
                for m in objects[u]
                if c != d
            )
            for u in UPWARD
        }
        self._below: dict[str, list[str]] = {}
        for low, high in self.property_rows:
            self._below.setdefault(high, []).append(low)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def above(self, iri: str) -> tuple[str, ...]:
        """A property and those above it."""
        others = self._properties.get(NamedNode(iri), _NOTHING)
        return (iri, *sorted({node.value for node in others if isinstance(node, NamedNode)} - {iri}))

    def below(self, iri: str) -> tuple[str, ...]:
        """A property and those below it."""
        return (iri, *self._below.get(iri, ()))


def _statements(stores: list[Store]) -> dict[NamedNode, set[tuple[Node, Node]]]:
    """The pairs of each relation, stated by it or by a property below it."""
    found: dict[NamedNode, set[tuple[Node, Node]]] = {relation: set() for relation in _RELATIONS}
    names: dict[NamedNode, set[Node]] = {relation: {relation} for relation in _RELATIONS}
    while True:
        for relation in _RELATIONS:
            found[relation] = {pair for store in stores for name in names[relation] for pair in _stated(store, name)}
        above = _closure(found[SUB_PROPERTY])
        more = {r: {r, *(name for name, higher in above.items() if r in higher)} for r in _RELATIONS}
        if more == names:
            return found
        names = more


def _stated(store: Store, name: Node) -> Iterable[tuple[Node, Node]]:
    if isinstance(name, NamedNode):
        for quad in store.quads_for_pattern(None, name, None):
            if isinstance(quad.subject, Node) and isinstance(quad.object, Node):
                yield quad.subject, quad.object


def _closure(pairs: Iterable[tuple[Node, Node]]) -> dict[Node, frozenset[Node]]:
    """All that is above each node, by one step or more."""
    direct: dict[Node, set[Node]] = {}
    for low, high in pairs:
        direct.setdefault(low, set()).add(high)
    return {node: _reachable(node, direct) for node in direct}


def _reachable(start: Node, direct: Mapping[Node, set[Node]]) -> frozenset[Node]:
    found: set[Node] = set()
    waiting = [start]
    while waiting:
        more = direct.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return frozenset(found)


def _inherited(
    known: Iterable[Node], stated: Iterable[tuple[Node, Node]], properties: Above, classes: Above
) -> dict[Node, frozenset[Node]]:
    """The domain or range of each property: what is stated of it or a property above it, and the classes above."""
    own: dict[Node, set[Node]] = {}
    for p, c in stated:
        own.setdefault(p, set()).update((c, *classes.get(c, _NOTHING)))
    return {p: frozenset().union(*(own.get(q, ()) for q in (p, *properties.get(p, _NOTHING)))) for p in known}


def _check(properties: Above) -> None:
    for low in UPWARD:
        for high in (*UPWARD, DOMAIN, RANGE):
            if low != high and high in properties.get(low, _NOTHING):
                raise PatternError(f"the ontology changes the meaning of RDFS: {low} is below {high}")


def _pairs(table: Above) -> list[Row]:
    return _sorted((node, other) for node, others in table.items() for other in others)


def _proper(order: Above) -> list[Row]:
    """The pairs of an order without the reflexive ones, which cycles make."""
    return _sorted((low, high) for low, higher in order.items() for high in higher if low != high)


def _sorted(rows: Iterable[tuple[Node, ...]]) -> list[Row]:
    """The rows without blank nodes as text."""
    return sorted({tuple(node.value for node in row) for row in rows if all(isinstance(n, NamedNode) for n in row)})
