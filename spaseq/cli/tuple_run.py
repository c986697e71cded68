"""``spaseq tuples --checkpoint``: queries on tables that can go on in another process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from spaseq.cli.checkpoint import Checkpoints, check_format, check_without
from spaseq.cli.signals import ENDING, handled
from spaseq.graphs.graph_run import RunState
from spaseq.results.formats import BLOCKS

if TYPE_CHECKING:
    from spaseq.languages.ceql import ParsedFormulaQuery
    from spaseq.tuples import ManyMatches
    from spaseq.tuples.feeding import SourceFeed
    from spaseq.tuples.streams import ReadingOptions


class TupleRun:
    """Matches, as what a checkpoint tells the state of."""

    def __init__(self, matches: ManyMatches) -> None:
        self._matches = matches

    @property
    def events(self) -> int:
        """How many it has read."""
        return self._matches.events

    @property
    def can_tell_state(self) -> bool:
        """Whether it is between two steps."""
        return self._matches.can_tell_state

    def counts(self) -> Mapping[str, int]:
        """How many results there were."""
        return {"": self._matches.found}

    def state(self) -> RunState:
        """Where it is."""
        return RunState(self._matches.state(), {}, 0, self._matches.time or 0)


class Resumable:
    """Checkpoints between the steps of a feed; Ctrl-C (or SIGTERM) ends it at the next step, a second one at once."""

    def __init__(
        self, path: Path, every: timedelta, options: Mapping[str, object], sources: str | Mapping[str, str]
    ) -> None:
        by_stream = {"": sources} if isinstance(sources, str) else sources
        self._checkpoints = Checkpoints(path, every, options, by_stream)
        self._sources = sources
        self._is_asked = False

    @property
    def goes_on(self) -> bool:
        """Whether there is a checkpoint."""
        return self._checkpoints.found is not None

    def matches(self, queries: Mapping[str, ParsedFormulaQuery], reading: ReadingOptions) -> ManyMatches:
        """The matches that come after the checkpoint, if there is one; errors as of ``resumed``."""
        from spaseq.tuples.matching import resumed

        state = None if self._checkpoints.state is None else self._checkpoints.state.engine
        return resumed(queries, self._sources, reading, self._step, state)

    @contextmanager
    def written(self, matches: ManyMatches, output: TextIO | None) -> Iterator[None]:
        """Within, results are written, and checkpoints; a last one at the end, if it is not in the midst of a step."""
        self._checkpoints.begin(TupleRun(matches), {"--output": output})
        try:
            with handled(dict.fromkeys(ENDING, self._handle)):
                yield
        finally:
            self._checkpoints.finish()

    def _step(self, feed: SourceFeed) -> None:
        self._checkpoints.step()
        if self._is_asked:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._is_asked:
            raise KeyboardInterrupt
        self._is_asked = True


def check_options(format: str | None, limit: int | None, count: bool) -> None:
    """OptionError: what does not go with --checkpoint."""
    check_without({"--limit": limit is not None, "--count": count})
    check_format(format or "jsonl", BLOCKS)
