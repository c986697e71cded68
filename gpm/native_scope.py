"""Which patterns mean the same whether groups are evaluated by themselves and joined, or one after the other.

The native solver extends one row by each group in turn, which is the same unless a group sees a variable that it must
not see.  pyoxigraph takes the same liberty, and in rare cases where it should not; such patterns are left to it.
"""

from __future__ import annotations

from gpm.algebra import Bind, Element, Exists, Filter, Group, Minus, Optional, Union
from gpm.native_algebra import NotNativeError
from gpm.rewrite import walk
from gpm.scope import NONE, Names, certain, in_scope, mentioned
from gpm.splitting import optional_parts


def check_scopes(group: Group) -> None:
    """NotNativeError: some group depends on what stands outside of it."""
    _check(group, NONE, inside=False)


def _check(group: Group, outside: Names, inside: bool) -> None:
    """A group next to solutions that may bind ``outside``; whether it is ``inside`` of OPTIONAL or EXISTS."""
    for n, element in enumerate(group.elements):
        before, after = Group(group.elements[:n]), Group(group.elements[n + 1 :])
        others = outside | in_scope(before) | in_scope(after)
        match element:
            case Group():
                _check_nested(element, others, inside)
            case Union(branches):
                for branch in branches:
                    _check_nested(branch, others, inside)
            case Optional():
                inner, conditions = optional_parts(element)
                _check_nested(inner, others, inside=True)
                for condition in conditions:
                    _check_exists(condition, others | in_scope(inner))
            case Minus(removed):
                if inside and not certain(before) & certain(removed):
                    raise NotNativeError("MINUS in OPTIONAL or EXISTS without a certain common variable")
                _check_nested(removed, others, inside)
            case Bind(_, variable) if variable.name in outside:
                raise NotNativeError(f"BIND of ?{variable.name}, which is bound outside of its group")
            case Filter() | Bind():
                _check_exists(element, others)


def _check_nested(group: Group, outside: Names, inside: bool) -> None:
    if foreign := _foreign(group, outside):
        raise NotNativeError(f"?{min(foreign)} in a group that does not bind it itself")
    _check(group, outside, inside)


def _check_exists(element: Element, outside: Names) -> None:
    """Inside EXISTS the row's values stand for its variables everywhere."""
    for part in walk(element):
        if isinstance(part, Exists):
            _check(part.pattern, outside, inside=True)


def _foreign(group: Group, outside: Names) -> Names:
    """The variables bound ``outside`` that a group, apart from joins, would see before it binds them itself."""
    found: Names = NONE
    for n, element in enumerate(group.elements):
        bound = certain(group if isinstance(element, Filter) else Group(group.elements[:n]))
        match element:
            case Filter() | Optional() | Minus():
                found |= mentioned(element) - bound
            case Bind(expression, variable):
                found |= mentioned(expression) - bound | {variable.name}
    return found & outside
