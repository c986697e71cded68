"""Warnings: legal queries that most likely do not say what is meant.

One is about variables that look like joins but are group variables: iterations do not join on them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from functools import reduce

from gpm import algebra
from gpm.rewrite import walk
from spaseq.errors import QueryWarning
from spaseq.languages.node import Node, Span, children
from spaseq.languages.query_text import QueryText
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.across import around_atoms, seen_across
from spaseq.languages.spaseq.any_order import entered
from spaseq.languages.spaseq.checks import Groups, Names, available, needed
from spaseq.languages.spaseq.lower_query import Lowered, LoweredGpm, bound_variables
from spaseq.pattern.sequences import (
    AnyOrder,
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Optional,
    Selection,
    Sequence,
    SequenceExpression,
    occurrences,
)
from spaseq.streams.timestamps import nearest_time
from spaseq.text import did_you_mean


def unjoined(lowered: Lowered, groups: Groups) -> Iterator[tuple[str, Span, str]]:
    """Group variables that their author probably took for joins: each with the place of its first mention."""
    followed = _followed(lowered)
    group_variables = groups.all - followed
    for name in sorted(group_variables - _joined(lowered)) if group_variables else ():
        if _is_meant_to_join(name, lowered, followed):
            message = f"?{name} is bound in a repetition only, so the iterations do not join on it"
            using = "" if _is_everywhere(name, lowered) else " USING { … }"
            hint = f"to match events of one ?{name} only, write PARTITION BY ?{name}{using} after FROM STREAM"
            yield message, _first_mention(name, lowered), hint


def _is_meant_to_join(name: str, lowered: Lowered, followed: Names) -> bool:
    """Several GPMs have it; or all do, and it is shown as one value, or is an object and of no use to anybody else."""
    atoms = [atom for atom in lowered.atoms.values() if name in atom.definition.variables]
    if len(atoms) > 1:
        return True
    if not _is_everywhere(name, lowered):
        return False
    if name in _shown(lowered):
        return True
    is_shown = isinstance(lowered.tree.form, tree.Select) and lowered.tree.form.items is None
    if is_shown and not any(followed & set(atom.definition.variables) for atom in atoms):
        return False
    return all(_is_lone_object(name, atom) for atom in atoms) and name not in _read(lowered)


def _is_everywhere(name: str, lowered: Lowered) -> bool:
    """Whether every GPM of SEQ binds it."""
    places = occurrences(lowered.query.expression)
    return all(name in lowered.atoms[place.name].definition.variables for place in places)


def _is_lone_object(name: str, atom: LoweredGpm) -> bool:
    """Whether the only mention of the variable in the pattern is as an object."""
    triples = [part for part in walk(atom.definition.pattern) if isinstance(part, algebra.Triple)]
    objects = [triple for triple in triples if triple.object == algebra.Variable(name)]
    mentions = [part for part in walk(atom.definition.pattern) if part == algebra.Variable(name)]
    return len(objects) == len(mentions) == 1


# ── who reads it ─────────────────────────────────────────────────────────────────────────────────────────
def _expressions(lowered: Lowered) -> Iterator[algebra.Expression]:
    """Stateful filters and results."""
    for atom in lowered.atoms.values():
        yield from atom.definition.stateful
    form = lowered.query.form
    if isinstance(form, Selection):
        yield from (projection.expression for projection in form.projections)


def _followed(lowered: Lowered) -> Names:
    """Variables whose values in several iterations are looked at: by PREV or an aggregate."""
    parts = (part for one in _expressions(lowered) for part in algebra.subexpressions(one))
    found = (part for part in parts if isinstance(part, algebra.Previous | algebra.Aggregate))
    return frozenset(one.name for part in found for one in walk(part) if isinstance(one, algebra.Variable))


def _read(lowered: Lowered) -> Names:
    """Variables that stateful filters read."""
    filters = (one for atom in lowered.atoms.values() for one in atom.definition.stateful)
    parts = (part for one in filters for part in algebra.subexpressions(one))
    return frozenset(part.name for part in parts if isinstance(part, algebra.Variable))


def _shown(lowered: Lowered) -> Names:
    """Variables that SELECT, CONSTRUCT or GROUP BY name themselves."""
    form = lowered.tree.form
    shown = (
        [item for item in form.items or () if isinstance(item, tree.Variable)] if isinstance(form, tree.Select) else []
    )
    if isinstance(form, tree.Construct):
        shown = list(_variables(form))
    return frozenset(variable.name for variable in (*shown, *lowered.tree.group_by))


def _joined(lowered: Lowered) -> Names:
    """Variables that join events of one iteration."""
    picks = _picks(lowered.query.expression, lowered.query.variables())
    return frozenset(name for name, most in picks.items() if most > 1)


def _picks(node: SequenceExpression, scopes: dict[str, tuple[str, ...]]) -> dict[str, int]:
    """How many picks of one way through the sequence bind each variable, each repetition gone through once."""
    match node:
        case Atom(atom):
            return dict.fromkeys(scopes[atom], 1)
        case Disjunction(left, right):
            return _merged(_picks(left, scopes), _picks(right, scopes), max)
        case Sequence(left, _, right) | Conjunction(left, right):
            return _merged(_picks(left, scopes), _picks(right, scopes), operator.add)
        case AnyOrder(sides):
            return reduce(lambda picks, side: _merged(picks, _picks(side, scopes), operator.add), sides, {})
        case Kleene(body=body) | Optional(body):
            return _picks(body, scopes)
    return {}


def _merged(left: dict[str, int], right: dict[str, int], both: Callable[[int, int], int]) -> dict[str, int]:
    """Both together, in the one that has more."""
    if len(left) < len(right):
        left, right = right, left
    for name, most in right.items():
        left[name] = both(left[name], most) if name in left else most
    return left


# ── places ───────────────────────────────────────────────────────────────────────────────────────────────
def _first_mention(name: str, lowered: Lowered) -> Span:
    definitions = (definition for definition in lowered.tree.definitions)
    found = (variable for one in definitions for variable in _variables(one) if variable.name == name)
    return next(found).span


def _variables(node: Node) -> Iterator[tree.Variable]:
    if isinstance(node, tree.Variable):
        yield node
    for child in children(node):
        yield from _variables(child)


# ── all warnings ─────────────────────────────────────────────────────────────────────────────────────────
def warnings(lowered: Lowered, groups: Groups, source: QueryText) -> tuple[QueryWarning, ...]:
    """All warnings of the query, in the order of its text."""
    found = [
        *_unused(lowered, groups),
        *_unbound_results(lowered),
        *_filters(lowered, groups),
        *(found for node in children(lowered.tree) for found in _comparisons(node)),
        *unjoined(lowered, groups),
        *_vacuous(lowered.tree.sequence),
        *entered(lowered.tree.sequence, lowered.query.variables(), lowered.query.keys),
        *_window(lowered.tree),
    ]
    found.sort(key=lambda each: each[1])
    return tuple(source.warning(*each) for each in found)


Found = tuple[str, Span, str]
ORDERED = frozenset({"<", "<=", ">", ">="})
_COMPARISONS = ORDERED | {"=", "!="}
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")


def _unused(lowered: Lowered, groups: Groups) -> Iterator[Found]:
    for atom in lowered.atoms.values():
        name = atom.node.name
        if not groups.of(name.text):
            yield f"GPM {name.text} is never used", name.span, "name it in SEQ, or remove it"


def _unbound_results(lowered: Lowered) -> Iterator[Found]:
    """Variables of SELECT, CONSTRUCT, GROUP BY or HAVING that no atom of the sequence binds."""
    bound = set(bound_variables(lowered.query.expression, lowered.atoms, lowered.query.keys))
    items = (lowered.tree.form.items or ()) if isinstance(lowered.tree.form, tree.Select) else ()
    seen = {item.variable.name for item in items if isinstance(item, tree.Named)} if lowered.tree.having else set()
    for node in (lowered.tree.form, *lowered.tree.group_by, *lowered.tree.having):
        for variable in _results(node):
            if variable.name not in bound and variable.name not in seen:
                seen.add(variable.name)
                hint = _why_unbound(variable.name, lowered) or _nearest(variable.name, bound)
                yield f"nothing binds ?{variable.name}, so it is always empty", variable.span, hint


def _why_unbound(name: str, lowered: Lowered) -> str:
    for atom in lowered.atoms.values():
        if name in atom.definition.variables:
            return f"GPM {atom.definition.name} binds it, but stands only in a negation, or not in SEQ"
    return ""


def _nearest(name: str, bound: set[str]) -> str:
    hint = did_you_mean(name, sorted(bound))
    return hint.replace("did you mean ", "did you mean ?") if hint.startswith("did") else ""


def _results(node: tree.Node) -> Iterator[tree.Variable]:
    """The variables that ``node`` shows, names after AS and their later uses excepted."""
    if isinstance(node, tree.Select):
        named: set[str] = set()
        for item in node.items or ():
            shown = item.expression if isinstance(item, tree.Named) else item
            yield from (variable for variable in _results(shown) if variable.name not in named)
            if isinstance(item, tree.Named):
                named.add(item.variable.name)
    elif isinstance(node, tree.Variable):
        yield node
    else:
        for child in children(node):
            yield from _results(child)


def _filters(lowered: Lowered, groups: Groups) -> Iterator[Found]:
    """Filters that are false for want of a binding, always or in every first iteration."""
    sequence, variables = lowered.query.expression, lowered.query.variables()
    reachable = available(sequence, variables, groups.of_kleene)
    around = around_atoms(sequence, variables)
    for name, atom in lowered.atoms.items():
        if name not in reachable:
            continue
        for node, expression in zip(atom.filters, atom.definition.stateful, strict=True):
            wanted = needed(expression)
            seen = reachable[name] | seen_across(expression, variables[name], around.get(name, ()))
            yield from _never_true(node, atom, wanted, seen)
            yield from _never_first(node, wanted)


def _never_true(node: tree.Filter, atom: LoweredGpm, wanted: Names, reachable: Names) -> Iterator[Found]:
    missing = {name for name in wanted if not name.startswith("PREV ")} - reachable
    for variable in _results(node.expression):
        if variable.name in missing:
            name = atom.definition.name
            message = f"this filter can never be true: nothing has bound ?{variable.name} when GPM {name} is tested"
            yield message, variable.span, _nearest(variable.name, set(reachable)) or "only earlier GPMs can bind it"
            missing.discard(variable.name)


def _never_first(node: tree.Filter, wanted: Names) -> Iterator[Found]:
    unguarded = sorted(name.removeprefix("PREV ") for name in wanted if name.startswith("PREV "))
    if unguarded:
        shown = f"PREV(?{unguarded[0]})"
        message = f"{shown} is unbound in the first iteration, so this filter is false there"
        yield message, node.span, f"write FILTER(!BOUND({shown}) || …) or FILTER(COALESCE(…, true))"


def _comparisons(node: tree.Node) -> Iterator[Found]:
    """Comparisons with what was meant as a number or a time, but is a text."""
    if isinstance(node, tree.Operation) and node.operator in _COMPARISONS:
        others = zip(node.operands, reversed(node.operands), strict=True)
        for each, other in others:
            if isinstance(each, tree.Literal) and not isinstance(other, tree.Literal | tree.Call):
                yield from _of_literal(
                    each, node.operator in ORDERED or isinstance(other, tree.Operation | tree.Number)
                )
    for child in children(node):
        yield from _comparisons(child)


def _of_literal(node: tree.Literal, orders: bool) -> Iterator[Found]:
    """``orders``: the comparison asks for more than equality, or for that with a number."""
    time = nearest_time(node.text)
    if node.datatype is None and node.language is None:
        if orders and _NUMBER.fullmatch(node.text):
            yield (
                f'"{node.text}" is a text: no number is less, greater or equal',
                node.span,
                f"write {node.text.strip()}",
            )
        elif orders and time and "T" in node.text:
            hint = f'write "{time}"^^xsd:dateTime'
            yield f'"{node.text}" is a text: no date and time is before or after it', node.span, hint
    elif node.datatype is not None and node.datatype.text.endswith("dateTime") and time not in ("", node.text):
        message = f'"{node.text}" is no date and time, so nothing compares with it'
        yield message, node.span, f'write "{time}"^^{node.datatype.text}'


def _vacuous(node: tree.Sequence) -> Iterator[Found]:
    """``A ; B! , C``: under ``,`` nothing at all lies between A and C."""
    steps = list(_flat(node, ""))
    for index, (_, element) in enumerate(steps):
        if isinstance(element, tree.Negated) and _is_squeezed(steps, index):
            message = "this negation changes nothing: under , no event at all may lie between its neighbours"
            yield message, element.span, "write ; or : after the negation"
    for _, element in steps:
        if not isinstance(element, tree.Reference):
            for child in children(element):
                yield from _vacuous(child)  # type: ignore[arg-type]


def _is_squeezed(steps: list[tuple[str, tree.Sequence]], index: int) -> bool:
    """Whether an event comes before element ``index`` for sure, and the next follows under ``,``."""
    if not any(_is_certain(element) for _, element in steps[:index]):
        return False
    rest = (step for step in steps[index + 1 :] if not isinstance(step[1], tree.Negated))
    operator, following = next(rest, ("", steps[index][1]))
    return operator == "," and _is_certain(following)


def _flat(node: tree.Sequence, operator: str) -> Iterator[tuple[str, tree.Sequence]]:
    """The elements of a sequence, each with the operator that governs it."""
    if isinstance(node, tree.Steps):
        yield from _flat(node.left, operator)
        yield from _flat(node.right, node.operator)
    else:
        yield operator, node


def _is_certain(node: tree.Sequence) -> bool:
    """Whether the element always picks an event."""
    if isinstance(node, tree.Repeated):
        return node.least > 0
    return not isinstance(node, tree.Possible | tree.Negated)


def _window(node: tree.Query) -> Iterator[Found]:
    if node.window is None:
        message = "no WITHIN: a match may take any time, and partial matches are kept for ever"
        yield message, node.form.span, "add a window such as WITHIN 30 MINUTES"
    elif node.window.origin and (node.window.sliding or node.window.unit == "EVENTS"):
        kind = "SLIDING window" if node.window.sliding else "window of EVENTS"
        yield f"FROM has no effect on a {kind}", node.window.origin.span, "leave FROM out"
