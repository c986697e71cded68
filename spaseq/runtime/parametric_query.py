"""A query with parameters at work: a running query for each of its rows, whose results come in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic

from spaseq.runtime.protocols import Q
from spaseq.streams.timestamps import GREATEST


class ParametricQuery(Generic[Q]):
    """What an input and the core of an engine know of such a query (``RunningQuery``); ``rows`` are its parts.

    Rows never compete (semantics.md 3.7).  A kind of data feeds the rows themselves, and tells by ``note_fed`` which:
    time is passed on to these, and to those for which it decides something.  ``ordered`` makes one order of the tables
    of several rows, in which those of earlier rows are first.
    """

    def __init__(
        self,
        name: str,
        into: str | None,
        rows: Mapping[Any, Q],
        ordered: Callable[[Sequence[Iterable[Any]]], Iterator[Any]],
        max_results: int | None,
    ) -> None:
        self.name = name
        self.into = into
        self.rows: dict[Any, Q] = dict(rows)
        self.max_results = max_results
        self.results = 0
        self.is_over = False
        self.hear: Callable[[Q], None] = lambda row: None  # lets a row hear of what did not concern it
        self._ordered = ordered
        self._fed: dict[Q, None] = {}
        self._due: dict[Q, int] = {}
        self._rest: dict[Q, None] = {}  # rows that may have tables which were not asked for
        self._asked: list[Q] = []
        self._going: Iterator[Any] | None = None  # the tables of rows that were asked, as far as they are not taken

    # ── rows come and go ─────────────────────────────────────────────────────────────────────────────────
    def add(self, key: Any, row: Q) -> None:
        """One more row, which sees what comes from now on."""
        self.rows[key] = row

    def remove(self, key: Any) -> Q:
        """Forget a row, with what it has decided and nobody took."""
        row: Q = self.rows.pop(key)
        for known in (self._fed, self._due, self._rest):
            known.pop(row, None)
        self._asked = [one for one in self._asked if one is not row]
        return row

    # ── events and time ──────────────────────────────────────────────────────────────────────────────────
    def note_fed(self, row: Q) -> None:
        """Events were fed to a row."""
        self._fed[row] = None

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing is decided without a further event; ``GREATEST``: never."""
        return min(self._due.values(), default=GREATEST)

    def advance(self, watermark: int) -> None:
        """No event before ``watermark`` will come."""
        for row in self._fed | dict.fromkeys(row for row, due in self._due.items() if due < watermark):
            self.hear(row)
            row.advance(watermark)
            self._rest[row] = None
        self._fed = {}

    def finish(self) -> None:
        """The input has ended."""
        for row in self.rows.values():
            self.hear(row)
            row.finish()
            self._rest[row] = None
        self._fed = {}

    def note(self) -> None:
        """Remember until when each row need not be called."""
        for row in self.rows.values():
            self._note(row)

    def _note(self, row: Q) -> None:
        due = row.due
        if due < GREATEST:
            self._due[row] = due
        else:
            self._due.pop(row, None)

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def pauses(self) -> bool:
        """Whether some row holds less than all that is decided."""
        return self._going is not None or any(row.pauses for row in self._rest)

    def at_once(self) -> Sequence[Any]:
        """What is decided, where no row pauses."""
        self._ask()
        tables = self._ordered([row.at_once() for row in self._asked])
        found = [counted for table in tables if len(counted := self._counted(table))]
        self._note_asked()
        return found

    def tables(self) -> Iterator[Any]:
        """What is decided, in tables of bounded size; what is not taken comes the next time."""
        while not self.is_over and (self._rest or self._going is not None):
            if self._going is None:
                self._ask()
                self._going = self._ordered([row.tables() for row in self._asked])
            table = next(self._going, None)
            if table is None:
                self._going = None
                self._note_asked()
            elif len(counted := self._counted(table)):
                yield counted

    def _ask(self) -> None:
        """The rows that may have tables are asked next, in their order."""
        rest, self._rest = self._rest, {}
        self._asked = list(rest) if len(rest) < 2 else [row for row in self.rows.values() if row in rest]

    def _note_asked(self) -> None:
        """All is taken of the rows that were asked."""
        for row in self._asked:
            self._note(row)
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
        self.rows, self._fed, self._due, self._rest, self._asked = {}, {}, {}, {}, []

    def needed_since(self, time: int) -> int | None:
        """No event before this matters for results that are decided at ``time`` or later; None: every event may."""
        if time == GREATEST:
            return GREATEST
        if self.max_results is not None:
            return None
        needed = [row.needed_since(time) for row in self.rows.values()]
        return None if None in needed else min((one for one in needed if one is not None), default=GREATEST)
