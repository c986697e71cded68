"""The native patterns that tell the keys of an event, by which a query is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpm.algebra import Element, Group, Triples
from gpm.errors import PatternError
from gpm.scope import certain
from spaseq.pattern.sequences import AtomDefinition
from spaseq.plan.split import Split, whole

if TYPE_CHECKING:
    from gpm.evaluator import CompiledPattern, Evaluator


@dataclass(frozen=True, slots=True, eq=False)
class KeyPattern:
    """What a GPM says of the keys of the events of ``stream`` (its IRI): each row has them, in their order.

    An event without a row matches no such GPM.
    """

    stream: str
    pattern: CompiledPattern


def key_patterns(
    atoms: Sequence[AtomDefinition], keys: tuple[str, ...], evaluator: Evaluator
) -> tuple[KeyPattern, ...] | None:
    """Those of all atoms of a query that may be cut; None: one of them needs pyoxigraph for its keys."""
    found = []
    for atom in atoms:
        compiled = _natively(atom.pattern, keys, evaluator)
        if compiled is None:
            return None
        found.append(KeyPattern(atom.stream, compiled))
    return tuple(found)


def split_natively(split: Split, atoms: Sequence[AtomDefinition], evaluator: Evaluator) -> Split:
    """Where a query with these atoms is cut, its keys to be found without pyoxigraph."""
    if split.keys and key_patterns(atoms, split.keys, evaluator) is None:
        listed = ", ".join(f"?{key}" for key in split.keys)
        return whole(f"pyoxigraph alone could tell {listed} of an event")
    return split


def _natively(pattern: Group, keys: tuple[str, ...], evaluator: Evaluator) -> CompiledPattern | None:
    """The first native form of a pattern: itself, or what its solutions surely have."""
    for group in (pattern, *_implied(pattern, keys)):
        try:
            compiled = evaluator.compile(group, keys)
        except PatternError:
            continue
        if compiled.is_native:
            return compiled
    return None


def _implied(pattern: Group, keys: tuple[str, ...]) -> Iterator[Group]:
    """The triples of a pattern without its conditions, if they bind the keys."""
    group = Group(tuple(_triples(pattern)))
    if set(keys) <= certain(group):
        yield group


def _triples(group: Group) -> Iterator[Element]:
    for element in group.elements:
        if isinstance(element, Triples):
            yield element
        elif isinstance(element, Group):
            yield from _triples(element)
