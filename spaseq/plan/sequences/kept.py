"""What a partial match keeps of a filter: its largest arithmetic parts that no event to come has a say in (KERNEL 1).

For ``?vb + ?vc < ?vd`` a match of B and C keeps one number, the sum.  A part that cannot be computed is kept unbound,
which is the same to every filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpm.algebra import Expression, Operation, Variable
from gpm.printing import print_expression
from spaseq.plan.sequences.environment import cell, columns_read, variables_of

ARITHMETIC = frozenset("+-*/")


def kept_parts(filter_: Expression) -> Iterator[Expression]:
    """The parts of a filter over ``c:`` and ``r:`` that a partial match keeps, over plain columns."""
    match filter_:
        case Operation(name, arguments):
            if name in ARITHMETIC and is_kept(filter_):
                yield plain(filter_)
            else:
                for one in arguments:
                    yield from kept_parts(one)
        case _:
            yield from plain_columns(filter_)


def is_kept(expression: Expression) -> bool:
    """Whether it reads columns of the partial match, and nothing else."""
    names = set(variables_of(expression))
    return bool(names) and all(name.startswith("c:") for name in names)


def plain_columns(expression: Expression) -> Iterator[Expression]:
    """Each column of the partial match that an expression reads."""
    return (Variable(name) for name in columns_read(expression))


def plain(expression: Expression) -> Expression:
    """An expression over ``c:`` as one over plain columns."""
    match expression:
        case Variable(name):
            return Variable(name[2:])
        case Operation(name, arguments):
            return Operation(name, tuple(plain(one) for one in arguments))
        case _:
            return expression


def name_of(part: Expression) -> str:
    """The name of the column that keeps a part."""
    return part.name if isinstance(part, Variable) else print_expression(part)


def use_kept(expression: Expression, kept: Iterable[Expression]) -> Expression:
    """The expression over ``c:`` and ``r:`` with what is kept in place of what it is computed from."""
    names: dict[Expression, str] = {part: name_of(part) for part in kept if not isinstance(part, Variable)}

    def use(one: Expression) -> Expression:
        if not isinstance(one, Operation):
            return one
        if one.name in ARITHMETIC and is_kept(one) and plain(one) in names:
            return cell(names[plain(one)])
        return Operation(one.name, tuple(use(argument) for argument in one.arguments))

    return use(expression) if names else expression
