"""What may be a side of ``X && Y``: what begins and ends in a pick, however it is taken (semantics.md 3.6)."""

from __future__ import annotations

from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree

_HINT = "a side begins and ends in an event that it picks"
_FIRST, _LAST = 0, -1


def require_side(side: tree.Sequence) -> None:
    """Problem if ``side``, one of an &&, may begin or end in an absence."""
    for end, verb in ((_FIRST, "begin"), (_LAST, "end")):
        if guilty := _absence(side, end):
            is_negation = isinstance(guilty, tree.Negated)
            kind = "a negation" if is_negation else "an element that may be absent"
            message = f"{kind} cannot be a side of &&" if guilty is side else f"a side of && cannot {verb} in {kind}"
            hint = f"{_HINT}; a negation may stand between two, as in (A ; N! ; B) && C" if is_negation else _HINT
            raise Problem(message, guilty.span, hint)


def may_be_absent(node: tree.Sequence) -> bool:
    """Whether ``node`` can be passed without a pick."""
    match node:
        case tree.Steps(left, _, right):
            return may_be_absent(left) and may_be_absent(right)
        case tree.Alternatives(left, right):
            return may_be_absent(left) or may_be_absent(right)
        case tree.Repeated(body, least):
            return least == 0 or may_be_absent(body)
    return isinstance(node, tree.Possible | tree.Negated)


def _absence(node: tree.Sequence, end: int) -> tree.Sequence | None:
    """The first part of ``node``, or the last one, that need not pick anything; None if that always does."""
    match node:
        case tree.Steps(left, _, right):
            return _absence((left, right)[end], end)
        case tree.Alternatives(left, right):
            return _absence(left, end) or _absence(right, end)
        case tree.Repeated(body, least) if least > 0:
            return _absence(body, end)
        case tree.Repeated() | tree.Possible() | tree.Negated():
            return node
    return None
