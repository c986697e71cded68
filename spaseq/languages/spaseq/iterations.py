"""The warning about variables that look like joins but are group variables: iterations do not join on them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from gpm import algebra
from gpm.rewrite import walk
from spaseq.languages.node import Node, Span, children
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.checks import Groups
from spaseq.languages.spaseq.lower_query import Lowered, LoweredGpm
from spaseq.pattern.sequences import (
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

Names = frozenset[str]


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
