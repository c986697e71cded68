"""A query with parameters at work: running queries for all of its rows, whose results come in one order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic

from spaseq.runtime.protocols import OneQuery, Q
from spaseq.streams.timestamps import GREATEST


class ParametricQuery(OneQuery, Generic[Q]):
    """What an input and the core of an engine know of such a query (``RunningQuery``).

    ``rows`` have for each row, by its key, the ``member`` that runs it, maybe with others.  Rows never compete
    (semantics.md 3.7).  A kind of data feeds the members themselves, and tells by ``note_fed`` which: time is passed on
    to these, and to those for which it decides something.  ``ordered`` makes one order of the tables of several
    members, in which results of earlier rows are first.
    """

    def __init__(
        self,
        name: str,
        into: str | None,
        ordered: Callable[[Sequence[tuple[Q, Iterable[Any]]]], Iterator[Any]],
        max_results: int | None,
    ) -> None:
        self.name = name
        self.into = into
        self.rows: dict[Any, Q] = {}
        self._members: Counter[Q] = Counter()  # with the number of their rows, in the order of these
        self.max_results = max_results
        self.results = 0
        self.is_over = False
        self.hear: Callable[[Q], None] = lambda member: None  # lets a member hear of what did not concern it
        self._ordered = ordered
        self._fed: dict[Q, None] = {}
        self._due: dict[Q, int] = {}
        self._rest: dict[Q, None] = {}  # members that may have tables which were not asked for
        self._asked: list[Q] = []
        self._going: Iterator[Any] | None = None  # the tables of members that were asked, as far as they are not taken

    # ── rows come and go ─────────────────────────────────────────────────────────────────────────────────
    @property
    def members(self) -> Iterable[Q]:
        """What runs."""
        return self._members

    def add(self, member: Q, keys: Iterable[Any]) -> None:
        """More rows with what runs them, which sees what comes from now on."""
        for key in keys:
            self.rows[key] = member
            self._members[member] += 1

    def remove(self, key: Any) -> Q | None:
        """Forget a row, with what it has decided and nobody took; what ran it, if it ran no other."""
        member = self.drop(key)
        if self._members[member]:
            self._strike(member, key)
            return None
        self.forget_member(member)
        return member

    def drop(self, key: Any) -> Q:
        """A row is none any more; what ran it."""
        member: Q = self.rows.pop(key)
        self._members[member] -= 1
        return member

    def forget_member(self, member: Q) -> None:
        """What runs no row runs no more."""
        del self._members[member]
        for known in (self._fed, self._due, self._rest):
            known.pop(member, None)
        self._asked = [one for one in self._asked if one is not member]

    @property
    def without_rows(self) -> list[Q]:
        """Members that run nothing."""
        return [member for member, rows in self._members.items() if not rows]

    def _strike(self, member: Q, key: Any) -> None:
        """Forget one of several rows that a member runs."""
        raise NotImplementedError

    # ── events and time ──────────────────────────────────────────────────────────────────────────────────
    def note_fed(self, member: Q) -> None:
        """Events were fed to a member."""
        self._fed[member] = None

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing is decided without a further event; ``GREATEST``: never."""
        return min(self._due.values(), default=GREATEST)

    def advance(self, watermark: int) -> None:
        """No event before ``watermark`` will come."""
        for member in self._fed | dict.fromkeys(one for one, due in self._due.items() if due < watermark):
            self.hear(member)
            member.advance(watermark)
            self._rest[member] = None
        self._fed = {}

    def finish(self) -> None:
        """The input has ended."""
        for member in self._members:
            self.hear(member)
            member.finish()
            self._rest[member] = None
        self._fed = {}

    def note(self) -> None:
        """Remember until when each member need not be called."""
        for member in self._members:
            self._note(member)

    def _note(self, member: Q) -> None:
        due = member.due
        if due < GREATEST:
            self._due[member] = due
        else:
            self._due.pop(member, None)

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def pauses(self) -> bool:
        """Whether some member holds less than all that is decided."""
        return self._going is not None or any(member.pauses for member in self._rest)

    def at_once(self) -> Sequence[Any]:
        """What is decided, where no member pauses."""
        self._ask()
        tables = self._ordered([(member, member.at_once()) for member in self._asked])
        found = [counted for table in tables if len(counted := self._counted(table))]
        self._note_asked()
        return found

    def tables(self) -> Iterator[Any]:
        """What is decided, in tables of bounded size; what is not taken comes the next time."""
        while not self.is_over and (self._rest or self._going is not None):
            if self._going is None:
                self._ask()
                self._going = self._ordered([(member, member.tables()) for member in self._asked])
            table = next(self._going, None)
            if table is None:
                self._going = None
                self._note_asked()
            elif len(counted := self._counted(table)):
                yield counted

    def _ask(self) -> None:
        """The members that may have tables are asked next, in their order."""
        rest, self._rest = self._rest, {}
        self._asked = list(rest) if len(rest) < 2 else [member for member in self._members if member in rest]

    def _note_asked(self) -> None:
        """All is taken of the members that were asked."""
        for member in self._asked:
            self._note(member)
        self._asked = []

    def _counted(self, table: Any) -> Any:
        """Count the results, up to the last one that was asked for."""
        if self.is_over:
            return table[:0]
        if self.max_results is not None and self.results + len(table) >= self.max_results:
            table = table[: self.max_results - self.results]
            self.end()
        self.results += len(table)
        return table

    def end(self) -> None:
        """There are as many results as were asked for: forget the rows."""
        self.is_over, self._going = True, None
        self.rows, self._members = {}, Counter()
        self._fed, self._due, self._rest, self._asked = {}, {}, {}, []

    def needed_since(self, time: int) -> int | None:
        """No event before this matters for results that are decided at ``time`` or later; None: every event may."""
        if time == GREATEST:
            return GREATEST
        if self.max_results is not None:
            return None
        needed = [member.needed_since(time) for member in self._members]
        return None if None in needed else min((one for one in needed if one is not None), default=GREATEST)
