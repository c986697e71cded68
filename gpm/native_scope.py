"""Which patterns mean the same whether groups are evaluated by themselves and joined, or one after the other.

The native solver extends one row by each group in turn, which is the same unless a group sees a variable that it must
not see.  pyoxigraph takes the same liberty, and in rare cases where it should not; such patterns are left to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gpm.algebra import Bind, Element, Exists, Filter, Group, Minus, Optional, Union
from gpm.decomposition import optional_parts
from gpm.native_algebra import NotNativeError
from gpm.rewrite import walk_outside
from gpm.scope import NONE, Names, certain, has_exists, in_scope, mentioned


def check_scopes(group: Group) -> None:
    """NotNativeError: some group depends on what stands outside of it."""
    _check(group, NONE, inside=False)


def _check(group: Group, outside: Names, inside: bool) -> None:
    """A group next to solutions that may bind ``outside``; whether it is ``inside`` of OPTIONAL or EXISTS."""
    binding = Counter(name for element in group.elements for name in in_scope(element))
    before: set[str] = set()  # what is certainly bound
    for element in group.elements:
        match element:
            case Group():
                _check_nested(element, _others(element, binding, outside), inside)
            case Union(branches):
                others = _others(element, binding, outside)
                for branch in branches:
                    _check_nested(branch, others, inside)
            case Optional():
                inner, conditions = optional_parts(element)
                others = _others(element, binding, outside)
                _check_nested(inner, others, inside=True)
                for condition in conditions:
                    _check_exists(condition, others | in_scope(inner))
            case Minus(removed):
                if inside and not before & certain(removed):
                    raise NotNativeError("MINUS in OPTIONAL or EXISTS without a certain common variable")
                _check_nested(removed, _others(element, binding, outside), inside)
            case Bind(_, variable) if variable.name in outside:
                raise NotNativeError(f"BIND of ?{variable.name}, which is bound outside of its group")
            case Filter() | Bind() if has_exists(element):
                _check_exists(element, _others(element, binding, outside))
        before |= certain(element)


def _others(element: Element, binding: Mapping[str, int], outside: Names) -> Names:
    """What may be bound next to an element; ``binding``: by how many elements of its group each variable may be."""
    own = in_scope(element)
    return outside.union(name for name, count in binding.items() if count > (name in own))


def _check_nested(group: Group, outside: Names, inside: bool) -> None:
    if foreign := _foreign(group, outside):
        raise NotNativeError(f"?{min(foreign)} in a group that does not bind it itself")
    _check(group, outside, inside)


def _check_exists(element: Element, outside: Names) -> None:
    """Inside EXISTS the row's values stand for its variables everywhere.

    An EXISTS in another one is looked at with the pattern that it stands in, where no less is bound.
    """
    for part in walk_outside(element, Exists):
        if isinstance(part, Exists):
            _check(part.pattern, outside, inside=True)


def _foreign(group: Group, outside: Names) -> Names:
    """The variables bound ``outside`` that a group, apart from joins, would see before it binds them itself."""
    found: set[str] = set()
    before: set[str] = set()
    for element in group.elements:
        match element:
            case Filter():
                found |= mentioned(element) - certain(group)
            case Optional() | Minus():
                found |= mentioned(element) - before
            case Bind(expression, variable):
                found |= mentioned(expression) - before
                found.add(variable.name)
        before |= certain(element)
    return outside & found
