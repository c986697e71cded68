"""Graph patterns in the few shapes that the native solver has: property paths and blank nodes become variables.

The answers are sets, so that a path may be rewritten to joins and unions although it would find a pair of nodes twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpm.algebra import (
    Aggregate,
    AlternativePath,
    Bind,
    BlankNode,
    Element,
    Exists,
    Expression,
    Filter,
    Graph,
    Group,
    InversePath,
    Iri,
    Minus,
    NegatedPath,
    Operation,
    Optional,
    Path,
    RepeatedPath,
    SequencePath,
    SubSelect,
    Term,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
)
from gpm.interning import Interner
from gpm.rewrite import rename, rewrite, walk, walk_outside
from gpm.scope import in_scope
from gpm.terms import encode

Summary = tuple[tuple[int, int, int], ...]
_ANYTHING = (0, 0, 0)


class NotNativeError(Exception):
    """A construct is outside the native subset; the message is what EXPLAIN shows."""


def simplify(group: Group) -> Group:
    """The group without blank nodes and property paths; their variables have names with a space, which no others have.

    NotNativeError: a path of any length, a sub-SELECT with aggregates or LIMIT, GRAPH.
    """
    return _Simplifier().group(group)


def summary(group: Group, terms: Interner) -> Summary:
    """Words of subject, predicate and object of the triples that can matter to a group, 0 for anything.

    Each triple pattern outside of ``GRAPH`` gives one; a triple that fits none of them makes no difference.
    """
    found = (pattern for part in _triples(group) for pattern in _summarise(part, terms))
    return tuple(dict.fromkeys(found))


class _Simplifier:
    def __init__(self) -> None:
        self.fresh = 0

    def group(self, group: Group) -> Group:
        return Group(tuple(part for element in group.elements for part in self.element(element)))

    def element(self, element: Element) -> Iterator[Element]:
        match element:
            case Triples(triples):
                for triple in triples:
                    yield from self.path(_variable(triple.subject), triple.predicate, _variable(triple.object))
            case Group():
                yield self.group(element)
            case Optional(group):
                yield Optional(self.group(group))
            case Minus(group):
                yield Minus(self.group(group))
            case Union(branches):
                yield Union(tuple(map(self.group, branches)))
            case Filter(expression):
                yield from (Filter(part) for part in _conjuncts(self.expression(expression)))
            case Bind(expression, variable):
                yield Bind(self.expression(expression), variable)
            case Values():
                yield element
            case SubSelect():
                yield self.select(element)
            case Graph():
                raise NotNativeError("GRAPH")

    def select(self, select: SubSelect) -> Group:
        """A sub-SELECT that neither groups nor cuts: a group in which what is not projected has new names."""
        if select.group_by or select.having or select.limit is not None or select.offset is not None:
            raise NotNativeError("sub-SELECT with GROUP BY, HAVING, LIMIT or OFFSET")
        if any(isinstance(part, Aggregate) for part in walk((select.projections or (), select.order_by))):
            raise NotNativeError("sub-SELECT with an aggregate")
        named = [part for part in select.projections or () if part.expression != Variable(part.name)]
        binds = (Bind(self.expression(part.expression), Variable(part.name)) for part in named)
        inner = Group((self.group(select.group), *([select.values] if select.values else ()), *binds))
        prefix = f"select {self.next()} "
        kept = in_scope(select)
        return rename(inner, lambda name: name if name in kept else prefix + name)

    def expression(self, expression: Expression) -> Expression:
        def change(node: object) -> object | None:
            if not isinstance(node, Exists):
                return None
            if any(isinstance(part, SubSelect) for part in walk(node.pattern)):
                raise NotNativeError("sub-SELECT in EXISTS")  # its own variables would see the row too
            return Exists(self.group(node.pattern), node.negated)

        return rewrite(expression, change)

    def path(self, subject: Term, path: Variable | Path, object_: Term) -> Iterator[Element]:
        """The elements that stand for one triple pattern."""
        match path:
            case Variable() | Iri():
                yield Triples((Triple(subject, path, object_),))
            case InversePath(inner):
                yield from self.path(object_, inner, subject)
            case SequencePath(parts):
                nodes = [subject, *(self.variable() for _ in parts[1:]), object_]
                for before, part, after in zip(nodes, parts, nodes[1:], strict=False):
                    yield from self.path(before, part, after)
            case AlternativePath(parts):
                yield Union(tuple(Group(tuple(self.path(subject, part, object_))) for part in parts))
            case NegatedPath(forward, inverse):
                yield self.negated(subject, forward, inverse, object_)
            case RepeatedPath(_, modifier):
                raise NotNativeError(f"property path with {modifier}")

    def negated(self, subject: Term, forward: tuple[Iri, ...], inverse: tuple[Iri, ...], object_: Term) -> Element:
        """Any predicate but those; a side without predicates is only looked at if the other has none either."""
        branches = [self.other_than(subject, forward, object_)] if forward or not inverse else []
        branches += [self.other_than(object_, inverse, subject)] if inverse else []
        return Union(tuple(branches)) if len(branches) > 1 else branches[0]

    def other_than(self, subject: Term, excluded: tuple[Iri, ...], object_: Term) -> Group:
        verb = self.variable()
        tests = (Filter(Operation("!", (Operation("SAMETERM", (verb, iri)),))) for iri in excluded)
        return Group((Triples((Triple(subject, verb, object_),)), *tests))

    def variable(self) -> Variable:
        return Variable(f"path {self.next()}")

    def next(self) -> int:
        self.fresh += 1
        return self.fresh


def _variable(term: Term) -> Term:
    return Variable(f"blank {term.label}") if isinstance(term, BlankNode) else term


def _conjuncts(expression: Expression) -> Iterator[Expression]:
    """The operands of &&: a row passes all of them or it does not pass."""
    match expression:
        case Operation("&&", arguments):
            for argument in arguments:
                yield from _conjuncts(argument)
        case _:
            yield expression


def _triples(node: object) -> Iterator[Triple]:
    """The triple patterns anywhere in a tree but in GRAPH."""
    return (part for part in walk_outside(node, Graph) if isinstance(part, Triple))


def _summarise(triple: Triple, terms: Interner) -> Iterator[tuple[int, int, int]]:
    subject, object_ = _word(triple.subject, terms), _word(triple.object, terms)
    yield from _path_summary(subject, triple.predicate, object_, terms)


def _path_summary(subject: int, path: Variable | Path, object_: int, terms: Interner) -> Iterator[tuple[int, int, int]]:
    match path:
        case Iri():
            yield subject, encode(terms, path), object_
        case InversePath(inner):
            yield from _path_summary(object_, inner, subject, terms)
        case SequencePath(parts):
            ends = [subject, *[0] * (len(parts) - 1), object_]
            for before, part, after in zip(ends, parts, ends[1:], strict=False):
                yield from _path_summary(before, part, after, terms)
        case AlternativePath(parts):
            for part in parts:
                yield from _path_summary(subject, part, object_, terms)
        case RepeatedPath(inner, "+"):
            yield from _path_summary(0, inner, 0, terms)
        case Variable() | NegatedPath(inverse=()):
            yield subject, 0, object_
        case RepeatedPath() | NegatedPath():  # paths of length zero look at every node
            yield _ANYTHING


def _word(term: Term, terms: Interner) -> int:
    return 0 if isinstance(term, Variable | BlankNode) else encode(terms, term)
