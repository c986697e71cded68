"""Where statements that were sorted stood: errors are few, so their sources are read again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

import numpy as np

from gpm.native.assembly import Encoder
from gpm.native.tokens import read_lines
from nfa_native.terms.dictionary import Terms
from spaseq.errors import Location, StreamError
from spaseq.sources.conversion.inputs import RdfInput
from spaseq.sources.conversion.keyed_texts import KeyedTexts
from spaseq.sources.conversion.statements import BAD, NOTHING, UNREADABLE, label_in_source, offset_of
from spaseq.sources.files import shown
from spaseq.sources.rdf.assembler import EventAssembler, StatementPlaces
from spaseq.sources.rdf.wire import WireOptions, WireReport


class _Finder(EventAssembler):
    """Looks for a statement of a source by its number: ``found`` is its place, or what is wrong with it."""

    def __init__(self, options: WireOptions, number: int, text: str) -> None:
        super().__init__("", options, WireReport(), Encoder(Terms()))
        self.found: Location | StreamError | None = None
        self._left = number
        self._text = text
        self._lines = 0

    @property
    def lines(self) -> int:
        """See ``EventAssembler``."""
        return self._lines

    def read(self, block: bytes, place: StatementPlaces, start: int = 0, stop: int | None = None) -> None:
        """See ``EventAssembler``."""
        part = block[start : len(block) if stop is None else stop]
        self._lines += part.count(b"\n")
        for number, line in enumerate(read_lines(part)):
            if line.kind != NOTHING and self._is_it():
                at = start + offset_of(part, number)
                self.found = place.bad_line(at)[0] if line.kind == BAD else place.locate(at, self._text)

    def fail(self, error: StreamError, graph: bytes | None, line: int, place: StatementPlaces) -> None:
        """See ``EventAssembler``."""
        if self._is_it():
            self.found = error

    def finish(self, end: Callable[[], Location]) -> None:
        """See ``EventAssembler``: no event ends here."""

    def _is_it(self) -> bool:
        self._left -= 1
        return self._left == -1


class SortedPlaces:
    """The places of sorted statements; ``begins`` are the numbers of the first ones of the inputs."""

    def __init__(self, inputs: Sequence[RdfInput], begins: Sequence[int], options: WireOptions) -> None:
        self._inputs = inputs
        self._begins = begins
        self._options = options

    def find(self, number: int, text: str) -> Location | StreamError:
        """The place of a text in a statement, or what is wrong with this."""
        source = bisect_right(self._begins, number) - 1
        one = self._inputs[source]
        finder = _Finder(self._options, number - self._begins[source], label_in_source(text, len(self._inputs) > 1))
        for _ in one.read(finder):
            if finder.found is not None:
                break
        return finder.found or Location(shown(one.path))  # the file has changed meanwhile


class Sorted:
    """Some sorted statements, whose texts are a block: their places."""

    def __init__(self, statements: KeyedTexts, places: SortedPlaces) -> None:
        self._statements = statements
        self._places = places

    def locate(self, offset: int, text: str) -> Location:
        """The place of a text in the statement at an offset; without a text that of the last one before it in a graph.

        So it is asked for where a graph ends.
        """
        number = self._number(offset)
        if not text:
            number = self._last_in_graph(number)
        found = self._places.find(self._place(number), text)
        return found.location if isinstance(found, StreamError) else found

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        """What is wrong with the statement there, and of which graph it is."""
        number = self._number(offset)
        ends, text = self._statements.lines
        graph = text[ends[number] : ends[number + 1]].removeprefix(UNREADABLE).rstrip(b"\n")
        found = self._places.find(self._place(number), "")
        return found if isinstance(found, StreamError) else StreamError("this is no statement", found), graph

    def _number(self, offset: int) -> int:
        ends = self._statements.lines[0]
        return int(np.searchsorted(ends, ends[0] + offset, "right")) - 1

    def _place(self, number: int) -> int:
        assert self._statements.numbers is not None
        return int(self._statements.numbers[number]) >> 1

    def _last_in_graph(self, stop: int) -> int:
        """The last of the statements before this one that is in a graph."""
        assert self._statements.numbers is not None
        found = np.flatnonzero(self._statements.numbers[:stop] & 1 == 0)
        return int(found[-1]) if len(found) else 0
