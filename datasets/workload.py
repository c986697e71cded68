"""What a workload is: named streams, perhaps background knowledge, and the example queries made for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from spaseq.datasets.commands import command_line
from spaseq.datasets.event import Event, text
from spaseq.errors import OptionError

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
KNOWLEDGE = "kb"  # the key of the background knowledge among the written files
DEFAULT_EVENTS = 10_000


@dataclass(frozen=True, slots=True)
class Workload:
    """A source of events for the example queries.

    ``streams`` maps the streams' short names to their IRIs.  ``generate`` takes a seed and yields events of all streams
    by time, for ever (or until the data ends, if ``finite``: then the seed means nothing).  ``knowledge`` gives the
    background knowledge as Turtle, to be read as the graph ``knowledge_iri``.  ``query_names`` are paths within
    ``examples/``.
    """

    name: str
    description: str
    streams: Mapping[str, str]
    query_names: tuple[str, ...]
    generate: Callable[[int], Iterator[Event]]
    knowledge: Callable[[], bytes] | None = None
    knowledge_iri: str | None = None
    finite: bool = False

    @property
    def queries(self) -> tuple[Path, ...]:
        """The example queries for this workload; empty where ``examples/`` is not at hand (an installed wheel)."""
        return tuple(path for path in (EXAMPLES / name for name in self.query_names) if path.is_file())

    def events(self, events: int | None = None, seed: int = 0) -> Iterator[Event]:
        """The first ``events`` events of all streams together, ascending by time; None: the default number, or all
        that a finite workload has.  Equal arguments give equal events, and fewer events are a prefix of more.
        OptionError if ``events`` is negative.
        """
        if events is not None and events < 0:
            raise OptionError(f"the number of events must not be negative: {events}")
        limit = events if events is not None or self.finite else DEFAULT_EVENTS
        return islice(self.generate(seed), limit)

    def lines(self, events: int | None = None, seed: int = 0, stream: str | None = None) -> Iterator[bytes]:
        """The N-Quads text of ``stream``, an item an event (several whole lines).

        ``events`` counts the events of all streams.  ``stream`` may be left out where there is only one; OptionError
        if it is unknown or ambiguous.
        """
        wanted = self._stream(stream)
        return (text(event) for event in self.events(events, seed) if event.stream == wanted)

    def write(self, directory: Path, events: int | None = None, seed: int = 0) -> dict[str, Path]:
        """Write ``<stream>.nq`` for every stream, and ``kb.ttl`` if there is background knowledge, into ``directory``
        (made if absent).  Gives the files by stream name and, for the knowledge, ``"kb"``.
        """
        source = self.events(events, seed)  # first: it complains where the data is not at hand
        directory.mkdir(parents=True, exist_ok=True)
        files = {name: directory / f"{name}.nq" for name in self.streams}
        with ExitStack() as stack:
            writers = {name: stack.enter_context(path.open("wb")).write for name, path in files.items()}
            for event in source:
                writers[event.stream](text(event))
        if self.knowledge is not None:
            files[KNOWLEDGE] = directory / f"{KNOWLEDGE}.ttl"
            files[KNOWLEDGE].write_bytes(self.knowledge())
        return files

    def command(self, query: Path, files: Mapping[str, Path]) -> str:
        """The command line that runs ``query``, one of ``queries``, over ``files`` as ``write`` gave them."""
        streams = {name: path for name, path in files.items() if name != KNOWLEDGE}
        knowledge = {self.knowledge_iri: files[KNOWLEDGE]} if self.knowledge_iri else {}
        return command_line(query, self.queries, streams, knowledge)

    def _stream(self, name: str | None) -> str:
        if name is None and len(self.streams) == 1:
            return next(iter(self.streams))
        if name is None or name not in self.streams:
            problem = f"has no stream {name!r}" if name else "has several streams: name one"
            raise OptionError(f"workload {self.name} {problem} (it has {', '.join(self.streams)})")
        return name
