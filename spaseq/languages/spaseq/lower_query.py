"""A whole query: syntax tree to ``spaseq.pattern.sequences.Query``.

Sequences obey the rules of semantics.md 3 on what may stand where.  Windows are microseconds or events, with the time
at which they are aligned.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from gpm import algebra
from spaseq.languages.node import Span
from spaseq.languages.parsing import MOST_DEPTH
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.lower_expression import ExpressionPlace
from spaseq.languages.spaseq.lower_pattern import PatternLowering, in_scope, is_stateful, projected, template
from spaseq.languages.spaseq.parameters import lower_given, marked, with_distinct_rows
from spaseq.languages.spaseq.sides import require_side
from spaseq.languages.spaseq.slips import AMPERSANDS
from spaseq.languages.spaseq.terms import Prefixes
from spaseq.pattern import sequences
from spaseq.pattern.sequences import (
    MOST_STEPS,
    AtomDefinition,
    Construction,
    Partition,
    Query,
    Selection,
    SequenceExpression,
    Strategy,
    Stream,
    Window,
    occurrences,
    written_out,
)
from spaseq.streams.timestamps import LONGEST, MICROSECONDS, nearest_time
from spaseq.text import did_you_mean

_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?")


def lower_window(node: tree.Window, names: Prefixes) -> Window:
    """The window; Problem if its length is not a positive integer, or its start no date and time."""
    if isinstance(node.length, tree.Variable):
        name = node.length.name
        raise Problem(f"nothing gives ?{name}", node.length.span, f"add GIVEN ?{name} before WHERE")
    text = "1" if isinstance(node.length, tree.Parameter) else node.length.text
    if not re.fullmatch(r"\+?0*[1-9][0-9]*", text):
        raise Problem(f"WITHIN {text[:30]} is no window: the length is a positive integer", node.length.span)
    events = node.unit == "EVENTS"
    length = int(text[:30]) * (1 if events else MICROSECONDS[node.unit])
    if length > LONGEST or len(text) > 30:
        message = f"WITHIN {text[:30]} {node.unit} is longer than time itself"
        raise Problem(message, node.length.span, "leave WITHIN out")
    if node.origin is None:
        return Window(length, node.sliding, events)
    return Window(length, node.sliding, events, _origin(node.origin, names))


def _origin(node: tree.Literal, names: Prefixes) -> int:
    """Microseconds since 1970 of an xsd:dateTime."""
    if node.datatype is None or names.iri(node.datatype) != algebra.XSD_DATETIME:
        raise Problem("FROM takes a date and time", node.span, 'write "2026-01-01T00:00:00Z"^^xsd:dateTime')
    match = _DATE_TIME.fullmatch(node.text.strip())
    try:
        if not match:
            raise ValueError
        moment = datetime.fromisoformat(match[1] + (match[3] or "Z"))
    except ValueError:
        hint = f'write "{nearest_time(node.text) or "2026-01-01T00:00:00Z"}"^^xsd:dateTime'
        raise Problem(f'"{node.text}" is no date and time', node.span, hint) from None
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return whole + int((match[2] or ".0")[1:7].ljust(6, "0"))


# ── sequences ────────────────────────────────────────────────────────────────────────────────────────────
def lower_sequence(node: tree.Sequence, defined: Collection[str]) -> SequenceExpression:
    """The pattern of SEQ; ``defined`` are the names of the GPMs."""
    expression = _Lowering(defined).lower(node, False)
    if isinstance(node, tree.Negated) or is_negative(node):
        raise _alone(node)
    return expression


class _Lowering:
    def __init__(self, defined: Collection[str]) -> None:
        self.defined = defined

    def lower(self, node: tree.Sequence, in_steps: bool) -> SequenceExpression:
        """The algebra of ``node``; ``in_steps``: it is in an operand of ``,`` ``;`` or ``:``."""
        match node:
            case tree.Reference():
                return self.atom(node)
            case tree.Steps(left, operator, right):
                return sequences.Sequence(self.lower(left, True), Strategy(operator), self.lower(right, True))
            case tree.Alternatives(left, right):
                for side in (left, right):
                    _refuse_negative(side)
                return sequences.Disjunction(self.lower(left, in_steps), self.lower(right, in_steps))
            case tree.Unordered(sides):
                for side in sides:
                    require_side(side)
                return sequences.AnyOrder(tuple(self.lower(side, in_steps) for side in sides))
            case tree.Conjuncts(left, right):
                for side in (left, right):
                    _require_one_event(side, "&")
                return sequences.Conjunction(self.lower(left, in_steps), self.lower(right, in_steps))
            case tree.Repeated():
                return self.repeated(node, in_steps)
            case tree.Possible(body):
                _require_repeatable(node)
                return sequences.Optional(self.lower(body, in_steps))
            case tree.Negated(body):
                _require_one_event(body, "!")
                return sequences.Negation(self.lower(body, in_steps))

    def atom(self, node: tree.Reference) -> sequences.Atom:
        """A GPM that is defined."""
        if node.name not in self.defined:
            hint = _operator_hint(node.name) or did_you_mean(node.name, self.defined) or "DEFINE GPM it below"
            raise Problem(f"unknown GPM {node.name}", node.span, hint)
        return sequences.Atom(node.name)

    def repeated(self, node: tree.Repeated, in_steps: bool) -> SequenceExpression:
        """``X+`` and its kin; ``X*`` and ``X{0,m}`` are an Optional of a Kleene."""
        _require_repeatable(node)
        strategy = Strategy(node.operator or ("," if in_steps else ";"))
        kleene = sequences.Kleene(self.lower(node.body, in_steps), max(node.least, 1), node.most, strategy)
        if written_out(kleene) > MOST_STEPS:
            message = f"the repetition stands for {written_out(kleene):,} steps, more than {MOST_STEPS:,}"
            raise Problem(message, node.span, "where any number will do, X+ and X{n,} cost less")
        return kleene if node.least else sequences.Optional(kleene)


def _operator_hint(name: str) -> str:
    """For words that are operators elsewhere."""
    if name.upper() == "AND":
        return AMPERSANDS
    operator = {"ALL": "&&", "OR": "|", "NOT": "A!", "THEN": ";"}.get(name.upper())
    return f"the operator is written {operator}" if operator else ""


def is_negative(node: tree.Sequence) -> bool:
    """Whether ``node`` has nothing but negations."""
    if isinstance(node, tree.Steps):
        return is_negative(node.left) and is_negative(node.right)
    return isinstance(node, tree.Negated)


def is_one_event_each(node: tree.Sequence) -> bool:
    """Whether ``node`` is a BOp: GPMs joined by & and |."""
    if isinstance(node, tree.Conjuncts | tree.Alternatives):
        return is_one_event_each(node.left) and is_one_event_each(node.right)
    return isinstance(node, tree.Reference)


def _require_repeatable(node: tree.Repeated | tree.Possible) -> None:
    """Problem if the body of ``node`` can be neither repeated nor optional."""
    _refuse_negative(node.body, node)
    if isinstance(node.body, tree.Unordered):
        hint = "a side may be, and a sequence that has more: A+ && B, (A && B ; C)+"
        raise Problem("an && can be neither repeated nor optional", node.span, hint)


def _refuse_negative(node: tree.Sequence, around: tree.Node | None = None) -> None:
    if is_negative(node):
        raise _alone(node, around)


def _alone(node: tree.Sequence, around: tree.Node | None = None) -> Problem:
    message = "a negation has to stand beside an element that picks an event"
    if isinstance(around, tree.Repeated | tree.Possible):
        message = "a negation can be neither repeated nor optional"
    return Problem(message, (around or node).span, "as in A ; B! ; C: no B between A and C")


def _require_one_event(node: tree.Sequence, operator: str) -> None:
    """Problem if ``node``, an operand of & or !, is more than one event for each GPM."""
    if is_one_event_each(node):
        return
    kind = {
        tree.Repeated: "a repetition",
        tree.Possible: "an optional element",
        tree.Negated: "a negation",
        tree.Steps: "a sequence",
        tree.Unordered: "an &&",
    }
    guilty = node
    while isinstance(guilty, tree.Conjuncts | tree.Alternatives):
        guilty = guilty.right if is_one_event_each(guilty.left) else guilty.left
    message = f"{kind[type(guilty)]} cannot be an operand of {operator}"
    raise Problem(message, guilty.span, f"{operator} takes GPMs, or GPMs joined by & and | in parentheses")


# ── whole queries ────────────────────────────────────────────────────────────────────────────────────────
MOST_PARTS = 20_000  # of what SELECT means, once the names of its items are written out


@dataclass(frozen=True, slots=True)
class LoweredGpm:
    """A lowered GPM with the places of its stateful filters, in the order of ``definition.stateful``."""

    definition: AtomDefinition
    node: tree.Definition
    filters: tuple[tree.Filter, ...]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query and what the checks want to know besides."""

    query: Query
    atoms: dict[str, LoweredGpm]
    tree: tree.Query


def lower_query(node: tree.Query) -> Lowered:
    """The meaning of ``node``; Problem for the first thing that has none."""
    node = marked(node)
    names = Prefixes(node.prologue)
    streams, known = lower_streams(node, names)
    atoms = lower_atoms(node, names, known)
    expression = lower_sequence(node.sequence, atoms)
    definitions = tuple(atom.definition for atom in atoms.values())
    partition = lower_partition(node.partition, expression, atoms, names) if node.partition else None
    bound = bound_variables(expression, atoms, partition.keys if partition else ())
    length = node.window.length if node.window else None
    given = lower_given(node.given, length, PatternLowering(names).expressions) if node.given else None
    form: Selection | Construction
    if isinstance(node.form, tree.Select):
        form = lower_select(node, node.form, bound, names, given.names if given else ())
    else:
        form = lower_construct(node, node.form, streams, names)
    window = lower_window(node.window, names) if node.window else None
    query = Query(form, streams, definitions, expression, window, partition=partition, given=given)
    return Lowered(with_distinct_rows(query, node.given) if node.given else query, atoms, node)


def lower_streams(node: tree.Query, names: Prefixes) -> tuple[tuple[Stream, ...], dict[str, str]]:
    """The distinct streams in order, and the IRI of each name and IRI by which GPMs may call them."""
    if not node.streams:
        message = "the query has no FROM STREAM"
        raise Problem(message, node.form.span, "add FROM STREAM name <iri> before WHERE", syntax=True)
    streams: dict[str, Stream] = {}
    known: dict[str, str] = {}
    for clause in node.streams:
        iri = names.iri(clause.iri)
        name = clause.name.text if clause.name else iri
        if known.get(name, iri) != iri:
            raise Problem(f"stream name {name} is given twice", clause.span, "every stream needs its own name")
        known[name] = known[iri] = iri
        streams.setdefault(iri, Stream(name, iri))
    return tuple(streams.values()), known


def lower_atoms(node: tree.Query, names: Prefixes, known: dict[str, str]) -> dict[str, LoweredGpm]:
    """The GPMs by name, in order of definition."""
    atoms: dict[str, LoweredGpm] = {}
    for definition in node.definitions:
        name = definition.name.text
        if name in atoms:
            raise Problem(f"GPM {name} is defined twice", definition.name.span, "give one of them another name")
        atoms[name] = lower_atom(definition, stream_of(definition, names, known), names)
    return atoms


def stream_of(definition: tree.Definition, names: Prefixes, known: dict[str, str]) -> str:
    """The IRI of the stream that a GPM reads; Problem if the query does not name it."""
    node = definition.stream
    called = names.iri(node) if isinstance(node, tree.Iri) else node.text
    if called in known:
        return known[called]
    shown = f"<{called}>" if isinstance(node, tree.Iri) else called
    names_given = [name for name, iri in known.items() if isinstance(node, tree.Iri) or name != iri]
    raise Problem(f"unknown stream {shown}", node.span, did_you_mean(called, names_given))


def lower_atom(definition: tree.Definition, stream: str, names: Prefixes) -> LoweredGpm:
    """One GPM, its stateful filters split off."""
    whole = PatternLowering(names).group(definition.group, ExpressionPlace.FILTER)
    variables = in_scope(whole)
    kept: list[algebra.Element] = []
    stateful: list[algebra.Expression] = []
    filters: list[tree.Filter] = []
    for element, node in zip(whole.elements, definition.group.elements, strict=True):
        if not isinstance(element, algebra.Filter) or not is_stateful(element.expression, variables):
            kept.append(element)
            continue
        assert isinstance(node, tree.Filter)
        stateful.append(element.expression)
        filters.append(node)
    group = algebra.Group(tuple(kept))
    lowered = AtomDefinition(definition.name.text, stream, group, variables, tuple(stateful))
    return LoweredGpm(lowered, definition, tuple(filters))


def lower_partition(
    node: tree.Partition, expression: SequenceExpression, atoms: dict[str, LoweredGpm], names: Prefixes
) -> Partition:
    """PARTITION BY; Problem for a key that nothing binds."""
    using = PatternLowering(names).group(node.using) if node.using else None
    for key in node.keys:
        if using is not None:
            if key.name not in in_scope(using):
                raise Problem(f"the pattern of USING does not bind ?{key.name}", key.span, "add a triple that has it")
            continue
        for place in occurrences(expression):
            if key.name not in atoms[place.name].definition.variables:
                hint = "bind it in every GPM of SEQ, or say where an event has it: USING { … }"
                raise Problem(f"GPM {place.name} does not bind ?{key.name}", key.span, hint)
    return Partition(tuple(dict.fromkeys(key.name for key in node.keys)), using)


def bound_variables(
    expression: SequenceExpression, atoms: dict[str, LoweredGpm], keys: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The keys of PARTITION BY, and the variables in scope in non-negated atoms of SEQ, in order of first mention."""
    places = [place for place in occurrences(expression) if not place.negated]
    variables = (name for place in places for name in atoms[place.name].definition.variables)
    return tuple(dict.fromkeys((*keys, *variables)))


def lower_select(
    node: tree.Query, form: tree.Select, bound: tuple[str, ...], names: Prefixes, given: tuple[str, ...]
) -> Selection:
    """SELECT with ``*`` expanded, and names of the clause replaced by what they mean, in what follows and in HAVING.

    ``*`` stands for all parameters, and then for all that is ``bound``.
    """
    group_by = tuple(dict.fromkeys(variable.name for variable in node.group_by))
    lowering, meanings = PatternLowering(names), dict[str, algebra.Expression]()
    if form.items is None:
        shown = [*map(algebra.Parameter, given), *map(algebra.Variable, bound)]
        projections = tuple(algebra.Projection(each.name, each) for each in shown)
    else:
        items = projected(form.items, bound, lowering, ExpressionPlace.SELECT)
        projections = _substituted(items, bound, meanings, form.span)
    conditions = (lowering.expressions.lower(each, ExpressionPlace.HAVING) for each in node.having)
    having = tuple(substitute(each, meanings) for each in conditions)
    return Selection(projections, form.distinct, group_by, having)


def _substituted(
    projections: tuple[algebra.Projection, ...],
    bound: tuple[str, ...],
    meanings: dict[str, algebra.Expression],
    span: Span,
) -> tuple[algebra.Projection, ...]:
    """The projections over what is ``bound``; adds to ``meanings`` what their names mean.

    Problem if that is too much: each name may stand in the next expression twice.
    """
    found: list[algebra.Projection] = []
    size = 0
    for projection in projections:
        expression = substitute(projection.expression, meanings)
        size += _size(expression, MOST_PARTS)
        if size > MOST_PARTS:
            message = f"what SELECT means has more than {MOST_PARTS:,} operations, once its names are written out"
            raise Problem(message, span, "BIND intermediate results in a GPM")
        found.append(replace(projection, expression=expression))
        if projection.name not in bound and expression != algebra.Variable(projection.name):
            meanings[projection.name] = expression
    return tuple(found)


def _size(expression: algebra.Expression, most: int, depth: int = 0) -> int:
    """The operations of an expression, counted as far as ``most``; more than that where it is nested too deeply."""
    if not isinstance(expression, algebra.Operation):
        return 1
    if depth > MOST_DEPTH:
        return most + 1
    size = 1
    for argument in expression.arguments:
        size += _size(argument, most - size, depth + 1)
        if size > most:
            break
    return size


def substitute(expression: algebra.Expression, meanings: dict[str, algebra.Expression]) -> algebra.Expression:
    """``expression`` with variables replaced by their ``meanings``, outside of aggregates."""
    match expression:
        case algebra.Variable(name):
            return meanings.get(name, expression)
        case algebra.Operation(name, arguments):
            return algebra.Operation(name, tuple(substitute(argument, meanings) for argument in arguments))
    return expression


def lower_construct(
    node: tree.Query, form: tree.Construct, streams: tuple[Stream, ...], names: Prefixes
) -> Construction:
    """CONSTRUCT … INTO STREAM."""
    if form.into is None:
        name = form.name.text if form.name else ""
        raise Problem(f"stream {name} needs an IRI", form.span, f"write INTO STREAM {name} <iri>")
    into = names.iri(form.into)
    if any(stream.iri == into for stream in streams):
        message = f"the query writes into <{into}>, which it reads"
        raise Problem(message, form.into.span, "no stream may depend on itself: choose another IRI")
    if node.group_by:
        raise Problem("CONSTRUCT has no GROUP BY", node.group_by[0].span, "SELECT aggregates over matches")
    if node.having:
        raise Problem("CONSTRUCT has no HAVING", node.having[0].span, "SELECT aggregates over matches")
    if not form.template:
        raise Problem("the template is empty", form.span, "an event needs at least one triple")
    return Construction(template(form.template, names), into)
