"""Compiled graph patterns for the native solver.

A pattern is a chain of steps over registers of words: each step extends the row in the registers in every way it can
and hands it to the next one.  Solutions of nested groups are found from the row that is already there where this is
the same as finding them by themselves and joining them; elsewhere they are collected in a table first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpm.interning import TransientTerms
from nfa_native.terms.dictionary import Terms


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a pattern is outside the native subset, as EXPLAIN shows it."""

    text: str


# ── steps; numbers are registers ─────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class ExistsQuestion:
    """EXISTS: whether ``chain`` finds anything from the current row; the boolean goes to ``register``."""

    register: int
    chain: Chain


@dataclass(frozen=True, slots=True)
class NativeCondition:
    """An expression: a program of ``nfa_native.terms.program`` and what it needs to have been asked before."""

    instructions: tuple[tuple[int, int], ...]
    constants: tuple[int, ...]
    asked: tuple[ExistsQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class TripleScan:
    """A triple pattern; constants have registers, too."""

    subject: int
    predicate: int
    object: int


@dataclass(frozen=True, slots=True)
class NativeTest:
    """FILTER: goes on if the condition is true."""

    condition: NativeCondition


@dataclass(frozen=True, slots=True)
class NativeAssign:
    """BIND: an error leaves the register unbound."""

    register: int
    condition: NativeCondition


@dataclass(frozen=True, slots=True)
class Alternatives:
    """UNION."""

    chains: tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """OPTIONAL: goes on with the row as it is if the chain does not reach its end."""

    chain: Chain


@dataclass(frozen=True, slots=True)
class Constants:
    """The rows of VALUES; 0 is UNDEF."""

    registers: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Derived:
    """The solutions of a chain by itself: only what a surrounding EXISTS has bound is there at its beginning."""

    registers: tuple[int, ...]
    chain: Chain


@dataclass(frozen=True, slots=True)
class NativeJoin:
    """Joins the row with VALUES."""

    table: Constants


@dataclass(frozen=True, slots=True)
class Exclude:
    """MINUS: goes on unless a row of the table is compatible and has a variable in common."""

    table: Derived


NativeStep = TripleScan | NativeTest | NativeAssign | Alternatives | Attempt | NativeJoin | Exclude
Chain = tuple[NativeStep, ...]


# ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class SolverPlan:
    """A chain, the (register, word) of its constants, and how many registers it uses.

    Plans of patterns that differ only in the names of their variables are equal.
    """

    chain: Chain
    constants: tuple[tuple[int, int], ...]
    registers: int


@dataclass(frozen=True, slots=True, eq=False)
class NativePattern:
    """A pattern that the native solver evaluates.

    ``whole`` finds all of it, ``output`` are the registers of the columns (−1: never bound).  ``base`` leaves out the
    outermost filters: patterns with equal bases share their evaluation; ``tests`` are those filters, on base registers.
    """

    columns: tuple[str, ...]
    terms: Terms = field(repr=False)
    whole: SolverPlan
    output: tuple[int, ...]
    base: SolverPlan
    base_output: tuple[int, ...]
    tests: tuple[NativeCondition, ...]
    summary: tuple[tuple[int, int, int], ...]
    kept: TransientTerms = field(repr=False)  # its constants

    @property
    def predicates(self) -> frozenset[int] | None:
        """The words of the predicates that the pattern looks at; None: any predicate."""
        found = frozenset(predicate for _, predicate, _ in self.summary)
        return None if 0 in found else found
