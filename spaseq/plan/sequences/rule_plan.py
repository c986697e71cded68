"""Plans of many rows of a query with parameters: rules of one automaton, wherever they can share it."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from gpm.algebra import Expression, Iri, Literal
from gpm.terms import plain_term, term_bytes
from nfa_native.automata.automaton import Automaton
from nfa_native.automata.kinds import Cells
from spaseq.pattern.sequences import Query, Row, bound
from spaseq.plan.sequences.environment import RULES, cell, rule_column
from spaseq.plan.sequences.plan import Plan, compile_plan, fingerprint_of
from spaseq.plan.sequences.rules import of_rules, rule_order, why_apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nfa_native.joins.rule_matcher import RuleMatcher
    from nfa_native.match_counter import MatchCounter
    from nfa_native.terms.dictionary import Terms

    Words = NDArray[np.uint64]

Key: TypeAlias = tuple[bytes, ...]  # the terms of a row, in canonical bytes: what equal rows have in common; and what
# tells apart rows of equal terms, where there are some
PlanOfRows: TypeAlias = tuple[Plan, list[Key], list[int]]


def plans_of_rows(plan: Plan, rows: Mapping[Key, Row], place: int) -> Iterator[PlanOfRows]:
    """Plans that are all ``rows`` of a query with parameters together, each with the keys of its rows, by rank, and
    their places: in the order of these, from ``place`` on, come results of one time.
    """
    if not rows:
        return
    if RulePlan.of(plan, next(iter(rows.values()))).why_apart:  # so it is for all
        yield from plans_apart(plan, rows, place)
        return
    places = {key: number for number, key in enumerate(rows, place)}
    for keys in groups(plan, rows).values():
        rules = RulePlan.of(plan, rows[keys[0]])
        keys.sort(key=rules.rank)
        its = [places[key] for key in keys]
        yield rules.running(keys, its), keys, its


def plans_apart(plan: Plan, rows: Mapping[Key, Row], place: int) -> Iterator[PlanOfRows]:
    """The same, with a plan for each row."""
    for number, (key, row) in enumerate(rows.items(), place):
        yield compile_plan(bound(plan.query, row)), [key], [number]


def plan_of_rows(plan: Plan, row: Row, keys: Sequence[Key], places: Sequence[int], together: bool) -> Plan:
    """The plan that some rows once got, by rank, the first of them ``row``; ``together``: as rules."""
    return RulePlan.of(plan, row).running(keys, places) if together else compile_plan(bound(plan.query, row))


def groups(plan: Plan, rows: Mapping[Key, Row]) -> dict[Key, list[Key]]:
    """The rows that differ only where rules can, by what they have in common."""
    assert plan.query.given is not None
    names = plan.query.given.names
    numbers = [names.index(name) for name in sorted(plan.parting)]
    found: dict[Key, list[Key]] = {}
    for key in rows:
        found.setdefault(tuple(key[number] for number in numbers), []).append(key)
    return found


class RulePlan(Plan):
    """The plan of a query whose parameters are those of rules; ``keys`` are these by rank, once it has some.

    Its results have the terms of their rule as further columns.
    """

    keys: tuple[Key, ...] = ()
    places: tuple[int, ...] = ()

    def __init__(self, whole: Query, fixed: Mapping[str, Iri | Literal]) -> None:
        """``whole`` is the query with all of its parameters; ``fixed``: what rows have in common (``groups``)."""
        assert whole.given is not None
        self._common = dict(sorted(fixed.items()))
        super().__init__(of_rules(whole, list(self._common.items())), has_rules=True)
        self.whole = whole
        self.names = whole.given.names
        self.fixed = tuple(map(term_bytes, self._common.values()))

    @staticmethod
    def of(plan: Plan, row: Row) -> RulePlan:
        """The plan of all rows of a query with parameters that differ from this one only where rules can."""
        assert plan.query.given is not None
        terms = zip(plan.query.given.names, row, strict=True)
        return RulePlan(plan.query, {name: term for name, term in terms if name in plan.parting})

    @cached_property
    def why_apart(self) -> str:
        """Why each row must have an automaton of its own; empty: it need not."""
        if self.query.given is None or not self.query.given.names:
            return "they have no parameter that steps could ask for"
        return why_apart(self)

    @staticmethod
    def of_family(query: Query) -> RulePlan | None:
        """The plan of queries that are rows of this one, no terms fixed; None: each must have one of its own."""
        assert query.given is not None
        found = RulePlan(query, {})
        return None if why_apart(found) or query.given.length in found.parting else found

    @property
    def _length(self) -> str | None:
        return None if self.query.given is None else self.query.given.length

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def order(self) -> tuple[int, ...]:
        """The numbers of the parameters by which rows are sorted, in this order, as the automaton has them."""
        return tuple(map(self.names.index, rule_order(self.liveness)))

    def rank(self, key: Key) -> tuple[Any, ...]:
        """What rows are sorted by: their terms, then what else their keys have."""
        return (*(_sorted_by(key[number]) for number in self.order), *key[len(self.names) :])

    def rank_of(self, key: Key) -> int:
        """The rank of a row that is there."""
        rank = bisect_left(self.keys, self.rank(key), key=self.rank)
        return self.keys.index(key, rank)

    def running(self, keys: Sequence[Key], places: Sequence[int]) -> RulePlan:
        """The same plan with some rows, by rank."""
        found = copy(self)
        found.keys, found.places = tuple(keys), tuple(places)
        return found._with_window()

    def changed(self, stands: Sequence[bool], keys: Sequence[Key], places: Sequence[int]) -> tuple[RulePlan, list[int]]:
        """The plan without the rules that do not stand and with further ones; and for each rank of it the rank before,
        or -1, -2 … for the first, second … new one.
        """
        new = sorted(range(len(keys)), key=lambda number: self.rank(keys[number]))
        before = [bisect(self.keys, self.rank(keys[number]), key=self.rank) for number in new]
        origins = _inserted([old if stays else None for old, stays in enumerate(stands)], new, before)
        found = copy(self)
        found.keys = tuple([self.keys[one] if one >= 0 else keys[-1 - one] for one in origins])
        found.places = tuple([self.places[one] if one >= 0 else places[-1 - one] for one in origins])
        return found._with_window(), origins

    def _with_window(self) -> RulePlan:
        """The same, its window as long as the longest of its rules."""
        found = self
        if self._length is not None and self.query.window is not None:
            window = replace(self.query.window, length=max(found.windows, default=self._unit))
            found.query = replace(self.query, window=window)
            found.analysis = copy(self.analysis)
            found.analysis.query = replace(self.analysis.query, window=window)
        return found

    def placed(self, places: Sequence[int]) -> RulePlan:
        """The same rows with other places."""
        found = copy(self)
        found.places = tuple(places)
        return found

    @property
    def windows(self) -> list[int]:
        """How long that of each rule is, microseconds."""
        assert self._length is not None
        number = self.names.index(self._length)
        return [int(_lexical(key[number])) * self._unit for key in self.keys]

    @cached_property
    def _unit(self) -> int:
        assert self.query.window is not None
        return self.query.window.length

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def results(self) -> tuple[tuple[str, Expression], ...]:
        """As of any plan, and the set of rules, which is last."""
        return (*super().results, (RULES, cell(RULES)))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the result columns of a matcher: at the end the terms of rules."""
        shown = (name for name, _ in self.results[:-1])
        return (*shown, *(rule_column(self.names[number]) for number in self.order))

    @property
    def varying(self) -> tuple[str, ...]:
        """Those of the match: a rule has its terms in all of them."""
        return tuple(name for name, _ in self.results[:-1])

    def fingerprint_of(self, terms: tuple[bytes, ...]) -> str:
        """``fingerprint`` of the query of one rule, which has these terms as further columns."""
        its = dict(zip((self.names[number] for number in self.order), map(plain_term, terms), strict=True))
        known = self._common | its
        return fingerprint_of(bound(self.whole, tuple(known[name] for name in self.names)))

    # ── matchers ─────────────────────────────────────────────────────────────────────────────────────────
    def start(
        self, terms: Terms, cells: Cells | None = None, enumerates: bool = False, automaton: Automaton | None = None
    ) -> RuleMatcher:
        """A matcher of the rules at the beginning of its streams."""
        import numpy as np

        from nfa_native.joins.rule_matcher import RuleMatcher

        matcher = RuleMatcher(automaton or self.automaton(terms, cells), terms)
        matcher.run(self._words(terms), np.array(self.places, np.int64), self._window_lengths())
        return matcher

    def change(self, matcher: RuleMatcher, origins: Sequence[int]) -> None:
        """Let a matcher of the rules before run these, ``origins`` as of ``changed``."""
        import numpy as np

        from spaseq.plan.sequences.assemble import window_of

        automaton = matcher.automaton
        window = window_of(self.query.window)
        if automaton.window != window:
            automaton = replace(automaton, window=window)
        before = np.array(origins, np.int64)
        words = self._words(matcher.terms, np.flatnonzero(before < 0).tolist())
        words[:, before >= 0] = matcher.words[:, before[before >= 0]]
        matcher.change(automaton, words, np.array(self.places, np.int64), self._window_lengths(), before)

    def takes_rules(self, matcher: RuleMatcher) -> bool:
        """Whether rules can be added to those that it runs: they must not see what was before."""
        gathers = any(len(one.choice.atoms) > 1 for one in matcher.automaton.transitions)
        return not self.looks_back and not (gathers and matcher.open_tick is not None)

    def _window_lengths(self) -> NDArray[np.int64] | None:
        import numpy as np

        return None if self._length is None else np.array(self.windows, np.int64)

    def _words(self, terms: Terms, ranks: Sequence[int] | None = None) -> Words:
        """The terms of the rules, (parameters, n), of all of them or of these ``ranks``: the matcher holds them."""
        import numpy as np

        wanted = range(len(self.keys)) if ranks is None else ranks
        words = np.zeros((len(self.order), len(self.keys)), np.uint64)
        for column, number in zip(words, self.order, strict=True):
            for rank in wanted:
                column[rank] = terms.intern_transient(self.keys[rank][number])
        return words

    def _restored(
        self, automaton: Automaton, terms: Terms, data: bytes, word_map: Callable[[Words], Words], totalled: bool
    ) -> RuleMatcher:
        """A matcher that goes on with these rules, which those of the snapshot are."""
        import numpy as np

        from nfa_native.joins.rule_matcher import RuleMatcher

        matcher = RuleMatcher.restore(automaton, terms, data, word_map)
        words, windows = matcher.rule_words()
        if not np.array_equal(words, self._words(terms)):
            raise ValueError("it has other rows")
        matcher.run(words, np.array(self.places, np.int64), windows, new=False)
        return matcher

    def counter(self, terms: Terms, automaton: Automaton) -> MatchCounter | None:
        """None: what is counted is counted for each rule."""
        return None


def _inserted(old: Sequence[int | None], new: Sequence[int], before: Sequence[int]) -> list[int]:
    """The ``old`` ranks but None, with -1 - n for each n of ``new`` before the rank that is told (these ascend)."""
    found: list[int] = []
    start = 0
    for number, end in zip(new, before, strict=True):
        found += [rank for rank in old[start:end] if rank is not None]
        found.append(-1 - number)
        start = end
    return found + [rank for rank in old[start:] if rank is not None]


NUMBERS = (b"integer", b"decimal", b"double", b"float")


def _sorted_by(term: bytes) -> tuple[Any, ...]:
    """Numbers and times by value, with those that do not compare apart; all else so that equal terms stand together."""
    kind = term[1:].partition(b"\0")[0].rpartition(b"#")[2] if term[:1] == b"T" else b""
    if kind in NUMBERS and (number := _number(_lexical(term))) is not None:
        return (0, kind in (b"double", b"float"), number, b"")
    if kind == b"dateTime":
        return (1, term.endswith(b"Z"), Decimal(0), term)
    return (2, False, Decimal(0), term)


def _lexical(term: bytes) -> str:
    return term.rpartition(b"\0")[2].decode()


def _number(text: str) -> Decimal | None:
    """What it is, if that can be compared."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    return None if number.is_nan() else number
