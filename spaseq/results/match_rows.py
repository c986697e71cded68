"""Rows of matches before they are results: what is taken from the plan and from the matcher, by shape alone."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Expression, Projection
from spaseq.pattern.sequences import AtomDefinition, Query
from spaseq.results.aggregates import AnyReading


class MatchRows(Protocol):
    """Rows of matches in order of decision, ``words uint64[m, k]``; a match with several rows comes several times."""

    @property
    def first(self) -> NDArray[np.int64]:
        """``int64[m]``: microseconds of the first event."""

    @property
    def last(self) -> NDArray[np.int64]:
        """``int64[m]``: microseconds of the last event."""

    @property
    def decided(self) -> NDArray[np.int64]:
        """``int64[m]``: microseconds at which it was decided."""

    @property
    def pick_offsets(self) -> NDArray[np.int64]:
        """``int64[m + 1]``: where the picks of each row begin, and the end."""

    @property
    def pick_atoms(self) -> NDArray[np.uint16]:
        """Of each pick the number of its atom."""

    @property
    def pick_events(self) -> NDArray[np.uint64]:
        """Of each pick the number of its event."""

    @property
    def words(self) -> NDArray[np.uint64]:
        """``uint64[m, k]``: the raw columns."""


class ResultPlan(Protocol):
    """The part of a plan that says what its results are."""

    @property
    def query(self) -> Query:
        """What was asked."""

    @property
    def atoms(self) -> tuple[AtomDefinition, ...]:
        """Those that the automaton picks, by number."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the raw columns."""

    @property
    def varying(self) -> tuple[str, ...]:
        """Those in which rows of one match can differ."""

    @property
    def decided_by_edge(self) -> bool:
        """Whether some match waits for its window's upper edge."""

    @property
    def decided_out_of_order(self) -> bool:
        """Whether a match that begins earlier than another one may be decided any time after it."""

    @property
    def rows_together(self) -> bool:
        """Whether all rows of a match come one after the other."""

    @property
    def match_aggregates(self) -> bool:
        """Whether SELECT aggregates over matches."""

    @property
    def readings(self) -> Sequence[AnyReading]:
        """What totals of matches are of; nothing if there are none."""

    @property
    def selection(self) -> tuple[Projection, ...]:
        """The projections, in names of ``columns``."""

    @property
    def having(self) -> tuple[Expression, ...]:
        """The conditions of HAVING, in names of ``columns``."""

    def fingerprint_of(self, terms: tuple[bytes, ...]) -> str:
        """A digest of the query's meaning; with rules of that of one, which has these terms behind ``varying``."""


def counts_of(raw: MatchRows) -> NDArray[np.int64]:
    """How many matches each row stands for (m); 0: it is one of the rows of a match."""
    found: NDArray[np.int64] | None = getattr(raw, "counts", None)
    return np.zeros(len(raw.first), np.int64) if found is None else found


def totals_of(raw: MatchRows) -> tuple[Any, ...]:
    """The totals that the first rows stand for, if the matcher gives some (``nfa_native.match_totals``)."""
    totals: tuple[Any, ...] = getattr(raw, "totals", ())
    return totals


def without_totals(raw: MatchRows) -> MatchRows:
    """The rows of matches alone."""
    first = len(totals_of(raw))
    names = ("first", "last", "decided", "pick_offsets", "words")
    return SimpleNamespace(
        **{name: getattr(raw, name)[first:] for name in names}, pick_atoms=raw.pick_atoms, pick_events=raw.pick_events
    )


def rules_of(raw: MatchRows) -> NDArray[np.int64] | None:
    """Of which rule each row is (m), if the matcher has rules (``nfa_native.joins.rule_matcher``)."""
    rules: NDArray[np.int64] | None = getattr(raw, "rules", None)
    return rules


def pick_digests(raw: MatchRows) -> NDArray[np.uint64]:
    """``uint64[m, 2]``: equal for two rows exactly if they belong to one match (128 bits, so by chance never)."""
    offsets = raw.pick_offsets.tolist()
    atoms, events = raw.pick_atoms.astype("<u2"), raw.pick_events.astype("<u8")
    rules = rules_of(raw)
    of_rules = itertools.repeat(b"") if rules is None else (rule.to_bytes(8, "little") for rule in rules.tolist())
    digests = (
        hashlib.blake2b(atoms[start:end].tobytes() + events[start:end].tobytes() + of_rule, digest_size=16).digest()
        for (start, end), of_rule in zip(itertools.pairwise(offsets), of_rules, strict=False)
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64).reshape(-1, 2)
