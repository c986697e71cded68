"""Symbols for many queries: those whose conditions are about the same things share a decision diagram."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt
import pyarrow

from spaseq.pattern.formulas.predicates import Attribute, Comparison, Constant, normal
from spaseq.sources.tables.types import Integers
from spaseq.tuples.columns.numbering import Numbers
from spaseq.tuples.columns.predicates import Literal
from spaseq.tuples.encoding.symbols import Atom, Symbols, condition

MOST_SETS = 1 << 12
MOST_OPEN = 16  # groups in which a query looks for its place


@dataclass(frozen=True, slots=True)
class Naming:
    """What says of which type and stream an event is: a column, or one for all (see ``Roles``)."""

    type_column: str | None
    relation: str | None = None
    stream_column: str | None = None


def named(atoms: Iterable[Atom]) -> dict[str, Atom]:
    """Atoms by their names; by Python's equality, ``x + 1 > y`` would be ``x + 1.0 > y``."""
    return {repr(atom): atom for atom in atoms}


class SymbolGroup:
    """The symbols of the events of a sequence, for the queries that have some of these atoms (by name)."""

    def __init__(self, atoms: Mapping[str, Atom], schema: pyarrow.Schema, naming: Naming) -> None:
        self._number = {name: number for number, name in enumerate(atoms)}
        self.symbols = Symbols(
            list(atoms.values()), schema, type_column=naming.type_column, relation=naming.relation,
            stream_column=naming.stream_column,
        )  # fmt: skip
        self._masks: tuple[int, ...] = ()

    def has(self, atoms: Iterable[str]) -> bool:
        """Whether it tells all of these apart."""
        return all(atom in self._number for atom in atoms)

    def numbers(self, atoms: Iterable[str]) -> tuple[int, ...]:
        """The places of a query's atoms among all of the group."""
        return tuple(self._number[atom] for atom in atoms)

    @property
    def masks(self) -> tuple[int, ...]:
        """For every symbol so far, its set of atoms."""
        if len(self._masks) < len(self.symbols):
            self._masks = self.symbols.masks
        return self._masks


class Masks:
    """For every symbol of a group so far, the set of the atoms of one query.

    After a restore, the sets that were ``known`` before keep their numbers, so those of the group become others.
    """

    def __init__(self, group: SymbolGroup, atoms: Iterable[str], known: Sequence[int] = ()) -> None:
        self.group = group
        self._numbers = group.numbers(atoms)
        self._known = list(known)
        self._number_of = {mask: number for number, mask in enumerate(known)}
        self._own: npt.NDArray[np.uint32] | None = np.empty(0, np.uint32) if known else None  # by symbol of the group

    def known(self) -> Sequence[int]:
        """All of them."""
        masks = self.group.masks
        if self._own is None:
            if len(self._known) < len(masks):
                self._known += map(self._mask, masks[len(self._known) :])
        elif len(self._own) < len(masks):
            more = [self._number(self._mask(mask)) for mask in masks[len(self._own) :]]
            self._own = np.append(self._own, np.array(more, np.uint32))
        return self._known

    def numbered(self, symbols: Numbers) -> tuple[Numbers, Sequence[int]]:
        """The group's symbols (n) as numbers of ``known``, and these."""
        known = self.known()
        return symbols if self._own is None else self._own[symbols], known

    def _mask(self, mask: int) -> int:
        return sum((mask >> number & 1) << own for own, number in enumerate(self._numbers))

    def _number(self, mask: int) -> int:
        number = self._number_of.setdefault(mask, len(self._known))
        self._known += [mask][: number + 1 - len(self._known)]
        return number


@dataclass(slots=True)
class Extent:
    """What some atoms are about: types, streams, and by column the names of the conditions on it ("": on several)."""

    types: set[str] = field(default_factory=set)
    streams: set[str | None] = field(default_factory=set)
    conditions: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def sets(self, other: Extent) -> int:
        """How many sets of the atoms of both an event may match, at most."""
        count = (1 + len(self.types | other.types)) * len(self.streams | other.streams | {None})
        columns = {column: self.conditions.get(column, set()) for column in {**self.conditions, **other.conditions}}
        sizes = {column: len(own | other.conditions.get(column, set())) for column, own in columns.items()}
        return count * prod(2 * size + 1 if column else 2**size for column, size in sizes.items())

    def add(self, other: Extent) -> None:
        """Be about what the other one is, too."""
        self.types |= other.types
        self.streams |= other.streams
        for column, some in other.conditions.items():
            self.conditions[column] |= some


def extent(atoms: Iterable[Atom]) -> Extent:
    """What the atoms are about."""
    found = Extent()
    for atom in atoms:
        literals: dict[str, Literal] = {}
        condition(normal(atom.predicate), literals)
        found.types.add(atom.type)
        found.streams.add(atom.stream)
        for name, literal in literals.items():
            found.conditions[_compared(literal)].add(name)
    return found


def grouped(queries: Iterable[Mapping[str, Atom]]) -> list[dict[str, Atom]]:
    """The atoms of groups in which all of these queries have their place."""
    groups: list[tuple[Extent, dict[str, Atom]]] = []
    for atoms in queries:
        own = extent(atoms.values())
        fitting = (group for group in groups[-MOST_OPEN:] if group[0].sets(own) <= MOST_SETS)
        about, known = next(fitting, (None, {}))
        if about is None:
            groups.append((own, dict(atoms)))
        else:
            about.add(own)
            known.update(atoms)
    return [known for _, known in groups]


def _compared(literal: Literal) -> str:
    """The column that is compared with a constant; "" for other conditions."""
    match literal:
        case Comparison(_, Attribute(column), Constant()) | Comparison(_, Constant(), Attribute(column)):
            return column
    return ""


# ── what is known before the first event ─────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of the events: ``time`` is the column with their times, if they have any.

    Streams have names (``has_names``), or there is one without: then queries call it as they like, and ``own`` is what
    those call it that do not say.  ``known`` are the streams that there may be, if that is known.
    """

    naming: Naming
    time: str | None = None
    has_names: bool = False
    own: str | None = None
    known: tuple[str, ...] | None = None
    integers: Integers = Integers.INT64  # how numbers of matches are given
