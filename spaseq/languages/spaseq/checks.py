"""Errors that need the whole query: where PREV and aggregates may stand, what beside them, how large it may be.

What plans the joins of a graph pattern takes time with the fourth power of their number, so that is bounded.  Filters
are compared with what can be bound when they are tested, and with what must be bound for them to be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from gpm import algebra
from gpm.algebra import Element, Exists, Graph, Group, Minus, SubSelect, Triples, Union
from gpm.rewrite import walk
from spaseq.languages.node import children
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.lower_expression import AGGREGATES, DISTINCT_OF_ITERATIONS
from spaseq.languages.spaseq.lower_pattern import free_variables
from spaseq.languages.spaseq.lower_query import Lowered, LoweredGpm
from spaseq.languages.spaseq.printer import expression as written
from spaseq.pattern.sequences import (
    AnyOrder,
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Negation,
    Occurrence,
    Optional,
    Selection,
    Sequence,
    SequenceExpression,
    group_variables,
    occurrences,
    owner,
)

Names = frozenset[str]
NONE: Names = frozenset()


def needed(expression: algebra.Expression, outcome: bool = True) -> Names:
    """The variables without which ``expression`` cannot come out as ``outcome``; PREV(?v) is listed as ``PREV v``.

    Errs on the side of too few: what SPARQL's error handling can rescue is left out.
    """
    match expression:
        case algebra.Operation("&&" | "||" as name, (left, right)):
            both = needed(left, outcome), needed(right, outcome)
            # `a && b` is true only if both are; it is false as soon as one is.  `||` is the mirror image.
            return both[0] | both[1] if (name == "&&") == outcome else both[0] & both[1]
        case algebra.Operation("!", (operand,)):
            return needed(operand, not outcome)
        case algebra.Operation("BOUND", (operand,)):
            return _value(operand) if outcome else NONE
    return _value(expression)


def _value(expression: algebra.Expression) -> Names:
    """The variables without which ``expression`` has no value."""
    match expression:
        case algebra.Variable(name):
            return frozenset((name,))
        case algebra.Previous(variable):
            return frozenset((f"PREV {variable.name}",))
        case algebra.Operation("&&" | "||" | "!"):
            return needed(expression, True) & needed(expression, False)
        case algebra.Operation("BOUND"):
            return NONE
        case algebra.Operation("COALESCE", arguments):
            return frozenset.intersection(*map(_value, arguments)) if arguments else NONE
        case algebra.Operation("IF", (condition, yes, no)):
            return needed(condition, True) & needed(condition, False) | _value(yes) & _value(no)
        case algebra.Operation("IN", arguments):
            return _value(arguments[0])
        case algebra.Operation(_, arguments):
            return NONE.union(*map(_value, arguments))
    return NONE


def available(
    expression: SequenceExpression, variables: Mapping[str, tuple[str, ...]], groups: tuple[Names, ...]
) -> dict[str, Names]:
    """For each atom the variables that can be bound when its filters are tested, in any of its places.

    ``variables`` are those in scope in each atom, ``groups`` the group variables of each Kleene: they are unset before
    every iteration, while other variables of the body may have been bound by an earlier one.
    """
    finder = _Finder(variables, groups)
    finder.whole = binds(expression, variables)
    finder.visit(expression, NONE)
    return finder.found


def bound_at_ends(
    expression: SequenceExpression,
    variables: Mapping[str, tuple[str, ...]],
    groups: tuple[Names, ...],
    keys: tuple[str, ...] = (),
) -> tuple[Names, ...]:
    """For each Kleene the variables that can be bound when one of its iterations ends; ``keys`` always are."""
    finder = _Finder(variables, groups)
    finder.visit(expression, frozenset(keys))
    return tuple(finder.ends)


class _Finder:
    def __init__(self, variables: Mapping[str, tuple[str, ...]], groups: tuple[Names, ...]) -> None:
        self.variables = variables
        self.groups = enumerate(groups)  # Kleenes are visited in the order of their numbers
        self.whole = NONE
        self.found: dict[str, Names] = {}
        self.ends = [NONE] * len(groups)

    def visit(self, node: SequenceExpression, before: Names) -> None:
        """Record what is bound at the atoms of ``node``, when ``before`` is bound to their left."""
        match node:
            case Atom(name):
                self.found[name] = self.found.get(name, NONE) | before | frozenset(self.variables[name])
            case Sequence(left, _, right):
                self.visit(left, before)
                self.visit(right, before | binds(left, self.variables))
            case Conjunction():
                self.visit_parts(node, before | binds(node, self.variables))
            case Disjunction(left, right):
                self.visit(left, before)
                self.visit(right, before)
            case AnyOrder(sides):
                for side in sides:
                    self.visit(side, before)
            case Kleene(body):
                number, group = next(self.groups)
                self.ends[number] = before | binds(body, self.variables)
                self.visit(body, before | binds(body, self.variables) - group)
            case Optional(body):
                self.visit(body, before)
            case Negation(body):
                # A negation is tested against the finished match.
                self.visit_parts(body, self.whole)

    def visit_parts(self, node: SequenceExpression, before: Names) -> None:
        """The atoms of a BOp, all tested together."""
        match node:
            case Conjunction(left, right) | Disjunction(left, right):
                self.visit_parts(left, before)
                self.visit_parts(right, before)
            case _:
                self.visit(node, before)


def binds(node: SequenceExpression, variables: Mapping[str, tuple[str, ...]]) -> Names:
    """All that the atoms of ``node`` can bind for others; ``variables`` are those in scope in each atom."""
    match node:
        case Atom(name):
            return frozenset(variables[name])
        case Sequence(left, _, right) | Conjunction(left, right) | Disjunction(left, right):
            return binds(left, variables) | binds(right, variables)
        case AnyOrder(sides):
            return NONE.union(*(binds(side, variables) for side in sides))
        case Kleene(body) | Optional(body):
            return binds(body, variables)
    return NONE


# ── sizes ────────────────────────────────────────────────────────────────────────────────────────────────
MOST_TRIPLES = 128


def check_sizes(lowered: Lowered) -> None:
    """Problem for the first GPM with a pattern that joins too many triples."""
    partition = lowered.query.partition
    more = triples_joined(partition.using) if partition and partition.using else 0
    for atom in lowered.atoms.values():
        pattern = atom.definition.pattern
        joined = [pattern, *(part.pattern for part in walk(pattern) if isinstance(part, Exists))]
        if max(map(triples_joined, joined)) + more > MOST_TRIPLES:
            message = f"the graph pattern of {atom.definition.name} joins more than {MOST_TRIPLES} triples"
            hint = "of a UNION the largest branch counts" + ("; those of USING are joined, too" if more else "")
            raise Problem(message, atom.node.name.span, hint)


def triples_joined(element: Element) -> int:
    """The triple patterns that are joined in ``element``: of a UNION those of its largest branch."""
    match element:
        case Triples(triples):
            return len(triples)
        case Group(elements):
            return sum(map(triples_joined, elements))
        case algebra.Optional(group) | Minus(group) | Graph(_, group) | SubSelect(_, group):
            return triples_joined(group)
        case Union(branches):
            return max(map(triples_joined, branches))
        case _:
            return 0  # patterns of EXISTS are looked at by themselves


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────
class Groups:
    """The group variables of a query and the places of its atoms."""

    def __init__(self, lowered: Lowered) -> None:
        expression = lowered.query.expression
        self.places = occurrences(expression)
        self.of_kleene = group_variables(expression, lowered.query.variables(), lowered.query.keys)
        self.all: frozenset[str] = frozenset().union(*self.of_kleene)
        self.at_ends = bound_at_ends(expression, lowered.query.variables(), self.of_kleene, lowered.query.keys)

    def of(self, atom: str) -> list[Occurrence]:
        """The places of the atom."""
        return [place for place in self.places if place.name == atom]

    def is_owned(self, variable: str, atom: str) -> bool:
        """Whether some place of ``atom`` is in the body of a Kleene that has ``variable`` as a group variable."""
        return any(owner(variable, place, self.of_kleene) is not None for place in self.of(atom))

    def innermost(self, variable: str) -> int:
        """The innermost Kleene that owns a group variable: of nested ones it has the greatest number."""
        return max(kleene for kleene, names in enumerate(self.of_kleene) if variable in names)

    def encloses(self, outer: int, inner: int) -> bool:
        """Whether all of one Kleene is in the body of another, or they are the same."""
        return all(outer in place.kleenes for place in self.places if inner in place.kleenes)


def check(lowered: Lowered, groups: Groups) -> None:
    """Problem for the first misplaced PREV, FIRST or aggregate."""
    for atom in lowered.atoms.values():
        if groups.of(atom.definition.name):
            for node in atom.filters:
                _check_filter(node, atom, groups)
    if isinstance(lowered.tree.form, tree.Select):
        _check_select(lowered, lowered.tree.form, groups)


def calls(node: tree.Node, names: tuple[str, ...]) -> Iterator[tree.Call]:
    """The calls of the functions ``names`` in ``node``, those within EXISTS excepted."""
    if isinstance(node, tree.Exists):
        return
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.text in names:
        yield node
    for child in children(node):
        yield from calls(child, names)


def described(node: tree.Call) -> tuple[str, tuple[str, ...]]:
    """The call as a message shows it, and the names of its variables (none for ``*``)."""
    assert isinstance(node.function, tree.Name)
    argument = node.arguments[0] if node.arguments else None
    distinct = "DISTINCT " if node.distinct else ""
    shown = f"{node.function.text}({distinct}{written(argument) if argument else '*'})"
    return shown, tuple(dict.fromkeys(_variables(argument))) if argument else ()


def _variables(node: tree.Node) -> Iterator[str]:
    if isinstance(node, tree.Variable):
        yield node.name
    for child in children(node):
        yield from _variables(child)


def _check_filter(node: tree.Filter, atom: LoweredGpm, groups: Groups) -> None:
    for call in calls(node, ("PREV", *AGGREGATES)):
        shown, variables = described(call)
        if shown.startswith("PREV"):
            if not groups.is_owned(variables[0], atom.definition.name):
                raise _outside(shown, variables[0], call, groups)
        elif not groups.all.intersection(variables):
            raise _no_group(shown, variables, call)
        else:
            _check_iterations(shown, variables, call, groups)
        _refuse_distinct(shown, call)


def _check_iterations(shown: str, variables: tuple[str, ...], call: tree.Call, groups: Groups) -> None:
    """Problem if no iteration of one Kleene has values for all variables of an aggregate over iterations."""
    owners = {name: groups.innermost(name) for name in variables if name in groups.all}
    inner = max(owners, key=lambda name: owners[name])
    for name, kleene in owners.items():
        if not groups.encloses(kleene, owners[inner]):
            message = f"{shown}: ?{name} and ?{inner} are of different repetitions, so no iteration has both"
            raise Problem(message, call.span, "aggregate each of them by itself")
    for name in variables:
        if name not in groups.at_ends[owners[inner]]:
            message = f"{shown}: nothing has bound ?{name} when an iteration with ?{inner} ends"
            hint = f"an expression is evaluated when an iteration ends: bind ?{name} in it, or before"
            raise Problem(message, call.span, hint)


def _outside(shown: str, variable: str, call: tree.Call, groups: Groups) -> Problem:
    if variable in groups.all:
        hint = f"this GPM is outside the repetition that owns ?{variable}; there ?{variable} has its last value"
        return Problem(f"{shown} outside a Kleene body", call.span, hint)
    hint = f"?{variable} must be bound inside a repetition such as A+, and nowhere else"
    return Problem(f"{shown} outside a Kleene body: ?{variable} is no group variable", call.span, hint)


def _no_group(shown: str, variables: tuple[str, ...], call: tree.Call) -> Problem:
    variable = variables[0] if variables else ""
    if shown.startswith("FIRST"):
        hint = f"?{variable} must be bound inside a repetition such as A+, and nowhere else"
        return Problem(f"{shown} outside a Kleene body: ?{variable} is no group variable", call.span, hint)
    hint = "an aggregate in a FILTER ranges over the iterations of a repetition such as A+"
    if len(variables) > 1:
        return Problem(f"{shown} in a FILTER: {listed(variables)} are no group variables", call.span, hint)
    subject = f"?{variable} is no group variable" if variable else "* is no group variable"
    return Problem(f"{shown} in a FILTER: {subject}", call.span, hint)


def _refuse_distinct(shown: str, call: tree.Call) -> None:
    if call.distinct and not shown.startswith(DISTINCT_OF_ITERATIONS):
        hint = f"DISTINCT stands in {', '.join(DISTINCT_OF_ITERATIONS[:-1])} and {DISTINCT_OF_ITERATIONS[-1]} there"
        raise Problem(f"{shown}: DISTINCT is not supported for a group variable", call.span, hint)


def _check_select(lowered: Lowered, form: tree.Select, groups: Groups) -> None:
    selection = lowered.query.form
    assert isinstance(selection, Selection)
    over_iterations: list[tree.Call] = []
    over_matches: list[tree.Call] = []
    for call in chain.from_iterable(calls(node, AGGREGATES) for node in (form, *lowered.tree.having)):
        shown, variables = described(call)
        is_grouped = not groups.all.isdisjoint(variables)
        if is_grouped:
            _check_iterations(shown, variables, call, groups)
            _refuse_distinct(shown, call)
        elif shown.startswith(("FIRST", "LAST")):
            raise _no_order(shown, variables, call)
        (over_iterations if is_grouped else over_matches).append(call)
    if over_matches:
        _check_mixture(lowered, form, selection, over_iterations)
    elif lowered.tree.group_by:
        hint = "add COUNT(*), or an aggregate of a variable that is no group variable"
        raise Problem("GROUP BY without an aggregate over matches", lowered.tree.group_by[0].span, hint)
    elif lowered.tree.having:
        hint = "HAVING chooses among groups of matches; FILTER in a GPM chooses events and matches"
        raise Problem("HAVING without an aggregate over matches", lowered.tree.having[0].span, hint)


def _no_order(shown: str, variables: tuple[str, ...], call: tree.Call) -> Problem:
    are = "is no group variable" if len(variables) == 1 else "are no group variables"
    why = f": {listed(variables)} {are}" if variables else ""
    hint = "matches of one time have no order: use MIN or MAX"
    return Problem(f"{shown} outside a Kleene body{why}", call.span, hint)


def listed(names: tuple[str, ...]) -> str:
    """``?a``, ``?a and ?b``, ``?a, ?b and ?c``."""
    *others, last = (f"?{name}" for name in names)
    return f"{', '.join(others)} and {last}" if others else last


def _check_mixture(lowered: Lowered, form: tree.Select, selection: Selection, over_iterations: list[tree.Call]) -> None:
    """One row stands for many matches, so only grouped variables have one value in it."""
    if over_iterations:
        message = f"{described(over_iterations[0])[0]} ranges over iterations, but this SELECT counts matches"
        raise Problem(message, over_iterations[0].span, "use one kind of aggregate in a query")
    spans = {_name(item): item.span for item in form.items or ()}
    places = [(one.expression, spans.get(one.name, form.span)) for one in selection.projections]
    places += [(one, node.span) for one, node in zip(selection.having, lowered.tree.having, strict=True)]
    for expression, span in places:
        for name in free_variables(expression):
            if name not in lowered.query.group_by:
                message = f"?{name} is neither grouped nor inside an aggregate"
                raise Problem(message, span, f"add GROUP BY ?{name} at the end")


def _name(item: tree.Variable | tree.Named) -> str:
    return item.name if isinstance(item, tree.Variable) else item.variable.name
