"""One registered query on tables at work: it begins when its columns are known, and ends alone if it cannot go on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import pyarrow

from spaseq.errors import QueryError, StreamError
from spaseq.runtime.protocols import OneQuery
from spaseq.runtime.shed import SHED, Shed
from spaseq.runtime.snapshot.validation import COUNT, TIME, AnyNames, Maybe, Shape
from spaseq.streams.timestamps import GREATEST

ENDED: Shape = {"found": COUNT, "met": str, "kernel": AnyNames(TIME), "shed": Maybe(SHED)}
Found: TypeAlias = tuple[str, Any]  # name of a query, and what it found


class TableEvaluation(Protocol):
    """What evaluates a query, batch by batch."""

    found: int

    @property
    def schema(self) -> pyarrow.Schema:
        """That of the batches of its results."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns that have positions."""

    @property
    def met(self) -> int:
        """The set of its atoms that some event had so far."""

    def batches(self, batch: Any) -> Iterator[pyarrow.RecordBatch]:
        """The results that a batch of events decides."""

    def counts(self, batch: Any) -> Iterator[int]:
        """How many these are, part by part."""

    def statistics(self) -> dict[str, int]:
        """Counters of what it runs on."""


class Allowed(NamedTuple):
    """How many units of work an event may take on an average (0: any number), and one alone (0: as is the rule)."""

    rate: float = 0.0
    at_once: float = 0.0


@runtime_checkable
class Boundable(Protocol):
    """What evaluates a query whose work may have a bound."""

    def bound_work(self, rate: float, at_once: float = 0) -> None:
        """From the next event on its work has this bound, or with 0 none."""

    @property
    def shed(self) -> Shed:
        """What was left out."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What is left of a query that could not go on: ``found`` results, ``met`` atoms, and counters of its kernel."""

    found: int
    met: int
    kernel: dict[str, int]
    shed: Shed = field(default_factory=Shed)

    def state(self) -> dict[str, Any]:
        """As ENDED."""
        shed = {} if self.shed == Shed() else {"shed": self.shed.state()}
        return {"found": self.found, "met": hex(self.met), "kernel": self.kernel, **shed}


P = TypeVar("P")
E = TypeVar("E", bound=TableEvaluation)


@dataclass(slots=True, eq=False)
class TableQuery(OneQuery, Generic[P, E]):
    """A query: registered, then begun on events with the columns of ``schema``, the first one at a position.

    Errors say how it is ``called``, if not by its name.
    """

    name: str
    prepared: P
    errors: list[QueryError | StreamError]  # where it tells that it cannot go on
    remembers: bool = False
    extra: tuple[str, ...] = ()
    called: str = ""
    is_bounded: bool = False
    evaluation: E | None = None
    schema: pyarrow.Schema | None = None
    first: int = 0
    ended: Ended | None = None
    error: str = ""  # why it could not begin, or does not go on
    # batches of which nothing was taken, and bounds on work from there on
    fed: deque[Any] = field(default_factory=deque)
    _going: Iterator[Any] | None = None  # what is found in the batch before
    into: None = None
    pauses: bool = True

    @property
    def is_over(self) -> bool:
        """Whether it does not go on."""
        return bool(self.error)

    @property
    def is_empty(self) -> bool:
        """Whether it runs nothing."""
        return False

    @property
    def has_begun(self) -> bool:
        """Whether its columns were known."""
        return self.evaluation is not None or self.ended is not None

    @property
    def results(self) -> int:
        """How many there were."""
        return self.evaluation.found if self.evaluation is not None else self.ended.found if self.ended else 0

    @property
    def at_work(self) -> E:
        """What evaluates it, as it has begun."""
        assert self.evaluation is not None
        return self.evaluation

    def named(self, name: str) -> Any:
        """What has the ``prepared`` query of that name, its ``results`` and the ``first`` position: itself."""
        return self

    @property
    def result_schema(self) -> pyarrow.Schema:
        """That of its results, as it has begun."""
        return self.at_work.schema

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns of these that have positions."""
        return self.at_work.variables

    def end(self, error: QueryError | StreamError) -> None:
        """It cannot go on, and tells why."""
        self.error = error.message
        error.location = replace(error.location, path=error.location.path or self.called or self.name)
        self.errors.append(error)
        self.fed.clear()
        self._going = None
        if self.evaluation is not None:
            self.ended = Ended(self.evaluation.found, self.evaluation.met, self.evaluation.statistics(), self.shed)
            self.evaluation = None

    def note_fed(self, member: object) -> None:
        """See ``ParametricQuery``."""

    # ── as of any query at work ──────────────────────────────────────────────────────────────────────────
    @property
    def due(self) -> int:
        """See ``RunningQuery``: time decides nothing."""
        return GREATEST

    def advance(self, watermark: int) -> None:
        """See ``RunningQuery``: events alone decide."""

    def finish(self) -> None:
        """See ``RunningQuery``: events alone decide."""

    def at_once(self) -> Sequence[Found]:
        """See ``RunningQuery``."""
        return list(self.tables())

    def tables(self) -> Iterator[Found]:
        """See ``RunningQuery``: batches of results."""
        return iter(()) if self.evaluation is None else self.each(self.evaluation.batches)

    def counts(self) -> Iterator[Found]:
        """How many there are, part by part, instead of these."""
        return iter(()) if self.evaluation is None else self.each(self.evaluation.counts)

    def each(self, step: Callable[[Any], Iterable[Any]]) -> Iterator[Found]:
        """What ``step`` finds in the batches that it was fed; what is not taken comes the next time."""
        try:
            while self._going is not None or self.fed:
                if self._going is None and isinstance(self.fed[0], Allowed):
                    self._bound_now(self.fed.popleft())
                    continue
                if self._going is None:
                    self._going = iter(step(self.fed.popleft()))
                for found in self._going:
                    yield self.name, found
                self._going = None
        except (StreamError, QueryError) as error:
            self.end(error)

    # ── a bound on work ──────────────────────────────────────────────────────────────────────────────────
    def bound_work(self, allowed: Allowed) -> None:
        """Its work has this bound from the events on that come next; it has begun."""
        if self.fed or self._going is not None:
            self.fed.append(allowed)
        else:
            self._bound_now(allowed)

    def _bound_now(self, allowed: Allowed) -> None:
        if isinstance(self.evaluation, Boundable):
            self.evaluation.bound_work(allowed.rate, allowed.at_once)

    @property
    def shed(self) -> Shed:
        """What was left out, to keep work within a bound."""
        if isinstance(self.evaluation, Boundable):
            return self.evaluation.shed
        return self.ended.shed if self.ended is not None else Shed()

    # ── what it tells ────────────────────────────────────────────────────────────────────────────────────
    def statistics(self) -> dict[str, int]:
        """The counters of what it runs on, or ran on."""
        return self.evaluation.statistics() if self.evaluation is not None else self.ended.kernel if self.ended else {}
