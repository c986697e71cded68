"""Regular path queries, what the language of paths compiles to: expressions over relations, from where to where.

A path matches an expression if its steps, in order, are a word of it (semantics.md 6); ``^`` of anything but a step is
written out: see ``inverted``.  Selectors and restrictors are those of GQL (ISO/IEC 39075).  No text positions here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from gpm.algebra import Expression, Iri
from gpm.printing import print_expression, quote


@dataclass(frozen=True, slots=True)
class EdgeStep:
    """One edge with the IRI ``predicate``, from its object to its subject if ``inverse``."""

    predicate: str
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class NegatedStep:
    """One edge with none of these predicates: ``forward`` ones of an edge in its direction, ``inverse`` against it.

    None: no edge is taken in that direction.  Both None is no step at all, and never made.
    """

    forward: tuple[str, ...] | None
    inverse: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NodeCondition:
    """No edge: the path is at a node for which ``expression`` is true, the node being its ``variable``.

    An expression that has no value (an error) is not true.
    """

    variable: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class PathSequence:
    """One part after the other; without parts it is the path of length 0."""

    parts: tuple[PathExpression, ...]


@dataclass(frozen=True, slots=True)
class PathAlternatives:
    """Any one of the parts, of which there are two at least."""

    parts: tuple[PathExpression, ...]


@dataclass(frozen=True, slots=True)
class PathRepetition:
    """``body`` from ``least`` to ``most`` times; None: as often as you like."""

    body: PathExpression
    least: int = 0
    most: int | None = None


PathExpression: TypeAlias = EdgeStep | NegatedStep | NodeCondition | PathSequence | PathAlternatives | PathRepetition
EMPTY_PATH = PathSequence(())


def inverted(expression: PathExpression) -> PathExpression:
    """``^expression``: its paths from their end to their start."""
    match expression:
        case EdgeStep(predicate, inverse):
            return EdgeStep(predicate, not inverse)
        case NegatedStep(forward, inverse):
            return NegatedStep(inverse, forward)
        case NodeCondition():
            return expression
        case PathSequence(parts):
            return PathSequence(tuple(map(inverted, reversed(parts))))
        case PathAlternatives(parts):
            return PathAlternatives(tuple(map(inverted, parts)))
        case PathRepetition(body, least, most):
            return PathRepetition(inverted(body), least, most)


def is_unbounded(expression: PathExpression) -> bool:
    """Whether paths of any length may match: something with a step in it is repeated without a bound."""
    match expression:
        case PathSequence(parts) | PathAlternatives(parts):
            return any(map(is_unbounded, parts))
        case PathRepetition(body, _, most):
            return most != 0 and (is_unbounded(body) or (most is None and has_step(body)))
        case _:
            return False


def has_step(expression: PathExpression) -> bool:
    """Whether some path of the expression has an edge."""
    match expression:
        case EdgeStep() | NegatedStep():
            return True
        case PathSequence(parts) | PathAlternatives(parts):
            return any(map(has_step, parts))
        case PathRepetition(body, _, most):
            return most != 0 and has_step(body)
        case _:
            return False


# ── whole queries: from where to where, along what, and which of the paths are results ───────────────────
RELATION = "urn:relation:"  # IRIs of relations that have a name alone; what the empty prefix stands for


class Restrictor(Enum):
    """Which paths count at all."""

    WALK = "WALK"  # all
    TRAIL = "TRAIL"  # no edge twice, in whatever direction
    ACYCLIC = "ACYCLIC"  # no node twice
    SIMPLE = "SIMPLE"  # no node twice, but the last may be the first


class SelectorKind(Enum):
    """Which of the paths that lead from one node to another."""

    ALL = "ALL"
    ANY = "ANY"
    ALL_SHORTEST = "ALL SHORTEST"
    ANY_SHORTEST = "ANY SHORTEST"
    SHORTEST = "SHORTEST"


@dataclass(frozen=True, slots=True)
class PathSelector:
    """A selector; ``count`` is that of ``ANY`` and ``SHORTEST``, else 1."""

    kind: SelectorKind = SelectorKind.ALL
    count: int = 1


@dataclass(frozen=True, slots=True)
class LabelledNodes:
    """``LABEL "text"``: all nodes with this label."""

    text: str


NodeName: TypeAlias = Iri | LabelledNodes


@dataclass(frozen=True, slots=True)
class PathQuery:
    """Paths from ``starts`` to ``ends`` along ``expression``.

    No ``starts``: who asks gives them; no ``ends``: anywhere.  ``not_back``: the start does not come again.
    """

    name: str
    expression: PathExpression
    starts: tuple[NodeName, ...] = ()
    ends: tuple[NodeName, ...] = ()
    selector: PathSelector = PathSelector()
    restrictor: Restrictor = Restrictor.WALK
    not_back: bool = False

    @property
    def is_for_all_walks(self) -> bool:
        """Whether it asks for all walks, which then must have a bound."""
        return self.selector.kind is SelectorKind.ALL and self.restrictor is Restrictor.WALK

    @property
    def has_one_each(self) -> bool:
        """Whether it has one path for each pair of nodes between which there are some."""
        return self.selector.kind not in (SelectorKind.ALL, SelectorKind.ALL_SHORTEST) and self.selector.count == 1

    @property
    def has_one_walk_each(self) -> bool:
        """The same, and that path is a walk."""
        return self.has_one_each and self.restrictor is Restrictor.WALK


def default_selector(expression: PathExpression) -> PathSelector:
    """What a query without selector and restrictor means: all paths where their length is bounded, else one a pair."""
    return PathSelector(SelectorKind.ANY_SHORTEST if is_unbounded(expression) else SelectorKind.ALL)


# ── as text: what the language of paths reads as the same query, with IRIs in full ───────────────────────
_ALTERNATIVES, _SEQUENCE, _STEP, _PRIMARY = range(4)  # what binds looser first


def print_path_query(query: PathQuery) -> str:
    """The query in one line, selector and restrictor always written."""
    return " ".join(_parts(query))


def _parts(query: PathQuery) -> Iterator[str]:
    yield f"QUERY {query.name}"
    if query.starts:
        yield f"FROM {', '.join(map(print_node, query.starts))}"
    if query.ends:
        yield f"TO {', '.join(map(print_node, query.ends))}"
    yield print_selector(query.selector)
    yield query.restrictor.value
    yield print_path_expression(query.expression)
    if query.not_back:
        yield "NOT BACK TO START"


def print_node(node: NodeName) -> str:
    """A node of FROM or TO."""
    return f"LABEL {quote(node.text)}" if isinstance(node, LabelledNodes) else f"<{node.value}>"


def print_selector(selector: PathSelector) -> str:
    """The selector; a count of 1 is not written."""
    counts = selector.kind in (SelectorKind.ANY, SelectorKind.SHORTEST) and selector.count != 1
    return f"{selector.kind.value} {selector.count}" if counts else selector.kind.value


def print_path_expression(expression: PathExpression, least: int = _ALTERNATIVES) -> str:
    """The expression, in parentheses if it binds looser than ``least``.

    The empty sequence is ``()``, which the language has not.
    """
    match expression:
        case EdgeStep(predicate, inverse):
            level, text = (_STEP, f"^<{predicate}>") if inverse else (_PRIMARY, f"<{predicate}>")
        case NegatedStep():
            level, text = _negated(expression)
        case NodeCondition(variable, condition):
            level, text = _PRIMARY, f"[?{variable}: {print_expression(condition)}]"
        case PathSequence(parts):
            inner = "/".join(print_path_expression(part, _STEP) for part in parts)
            level, text = (_SEQUENCE, inner) if parts else (_PRIMARY, "()")
        case PathAlternatives(parts):
            level, text = _ALTERNATIVES, "|".join(print_path_expression(part, _SEQUENCE) for part in parts)
        case PathRepetition(body, fewest, most):
            level, text = _STEP, print_path_expression(body, _PRIMARY) + print_bounds(fewest, most)
    return text if level >= least else f"({text})"


def _negated(step: NegatedStep) -> tuple[int, str]:
    """``!(<p>|^<q>)``; a direction in which every predicate will do stands by itself."""
    named = [f"<{each}>" for each in step.forward or ()] + [f"^<{each}>" for each in step.inverse or ()]
    texts = [f"!({'|'.join(named)})"] if named else []
    texts += ["!()"] if step.forward == () else []
    texts += ["^!()"] if step.inverse == () else []
    return (_ALTERNATIVES if len(texts) > 1 else _STEP), "|".join(texts)


def print_bounds(least: int, most: int | None) -> str:
    """``*``, ``+``, ``?`` or the bounds in braces."""
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _ if least == most:
            return f"{{{least}}}"
        case _:
            return f"{{{least},{'' if most is None else most}}}"
