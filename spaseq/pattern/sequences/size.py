"""How large a sequence is once its repetitions are written out."""

from __future__ import annotations

from spaseq.pattern.sequences.expression import (
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Negation,
    Optional,
    Sequence,
    SequenceExpression,
)

MOST_STEPS = 4096


def written_out(expression: SequenceExpression) -> int:
    """The number of atoms when each ``X{n,m}`` is m copies of X (n of them, if m is open)."""
    match expression:
        case Atom():
            return 1
        case Conjunction(left, right) | Disjunction(left, right) | Sequence(left, _, right):
            return written_out(left) + written_out(right)
        case Kleene(body, least, most, _):
            return (least if most is None else most) * written_out(body)
        case Optional(body) | Negation(body):
            return written_out(body)
