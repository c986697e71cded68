"""Group variables: which Kleene owns which variables (SEMANTICS 3.1).

Occurrences are told apart by their path: the child numbers from the root of the sequence expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from spaseq.pattern import Atom, Conjunction, Disjunction, Kleene, Negation, Optional, Sequence, SequenceExpression

Path = tuple[int, ...]


def children(expression: SequenceExpression) -> tuple[SequenceExpression, ...]:
    """The operands of an expression, in order."""
    match expression:
        case Conjunction(left, right) | Disjunction(left, right) | Sequence(left, _, right):
            return (left, right)
        case Kleene(body=body) | Optional(body) | Negation(body):
            return (body,)
        case _:
            return ()


def occurrences(
    expression: SequenceExpression, path: Path = (), negated: bool = False
) -> Iterator[tuple[Path, SequenceExpression, bool]]:
    """Every node with its path, and whether it stands under a negation; parents before children."""
    yield path, expression, negated
    inside = negated or isinstance(expression, Negation)
    for number, child in enumerate(children(expression)):
        yield from occurrences(child, (*path, number), inside)


def group_variables(
    expression: SequenceExpression, variables: Callable[[str], tuple[str, ...]]
) -> Mapping[Path, frozenset[str]]:
    """For every Kleene, by path, the variables in scope in an atom of its body and in no non-negated atom outside."""
    nodes = list(occurrences(expression))
    atoms = [(path, variables(node.name), negated) for path, node, negated in nodes if isinstance(node, Atom)]
    return {path: _owned(path, atoms) for path, node, _ in nodes if isinstance(node, Kleene)}


def _owned(kleene: Path, atoms: list[tuple[Path, tuple[str, ...], bool]]) -> frozenset[str]:
    def is_inside(path: Path) -> bool:
        return path[: len(kleene)] == kleene

    inside = {name for path, names, _ in atoms if is_inside(path) for name in names}
    outside = {name for path, names, negated in atoms if not is_inside(path) and not negated for name in names}
    return frozenset(inside - outside)
