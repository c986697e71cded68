"""From N-Quads lines to events as columns: grouping by graph, times, pruning, encoding (semantics.md 3.4)."""

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakSet

import numpy
from numpy.typing import NDArray

from gpm.rows import EventBatch, TextRows
from gpm.native.single import SingleEvent
from nfa_native.terms.dictionary import Terms

Problem = tuple[int, int, bytes, int, int]

class Batches(WeakSet[EventBatch]):
    """The batches that are alive of an encoder: ``encoder()``, or None if that has gone."""

    def __init__(self, encoder: Encoder) -> None: ...
    def encoder(self) -> Encoder | None: ...

class Encoder:
    """What the readers of one engine share: its terms and the triples that its patterns can use.

    ``version`` grows whenever more triples are wanted; columns made before lack them.  ``batches`` and ``assemblers`` are
    those that are alive, whose words must be.  ``next_scope`` numbers the events of one origin (a stream that is pushed,
    a file), so that the labels of their blank nodes do not depend on what came from elsewhere in between.
    """

    terms: Terms
    batches: Batches
    assemblers: WeakSet[Assembler]
    next_scope: int
    origins: int
    def __init__(self, terms: Terms) -> None: ...
    def apart(self) -> Encoder:
        """An encoder for one more origin of events of the same engine; events of different origins differ in scope."""

    @property
    def version(self) -> int: ...
    def want(self, uses: Iterable[tuple[int, int, int]], subjects: bool = True) -> None:
        """Keep from now on the triples that fit one of ``uses`` too: (subject, predicate, object) words, 0 fits all.

        ``subjects``: their subjects must be known outside of their event.  As long as nobody needs that, subjects get
        numbers, different ones in one event, instead of words of the dictionary.
        """

    @property
    def wants_subjects(self) -> bool:
        """Whether subjects must be known outside of their event; else they need only differ in it."""

    def wants(self, predicate: int) -> bool:
        """Whether triples with that predicate (a word; 0: with some predicate) may be wanted."""

    def tells(self, predicate: int) -> bool:
        """Whether a pattern that reads texts may look at triples with that predicate (a word)."""

    def want_only(
        self, wants: Iterable[tuple[Iterable[tuple[int, int, int]], bool]], texts: Iterable[Iterable[int] | None]
    ) -> None:
        """Keep from now on no more than what these say, arguments of ``want`` and of ``want_texts``.

        Columns made before have more, and lack none of it if they lacked nothing: the version stays.
        """

    def want_texts(self, predicates: Iterable[int] | None) -> None:
        """Whoever gets events as texts needs the triples with one of these predicates, words; None: all triples.

        That is what is evaluated on texts needs; what is wanted besides is needed anyway.
        """

def written_lines(
    encoder: Encoder,
    blocks: tuple[object, ...],
    block: NDArray[numpy.int64],
    starts: NDArray[numpy.int64],
    stops: NDArray[numpy.int64],
    pruned: bool,
) -> tuple[NDArray[numpy.int64], bytes]:
    """The statements of n events that are texts (``gpm.rows.Texts``) as a column of texts, without lines of no event.

    ``pruned``: those that are wanted by now, also in texts, and of each event one at least.  ValueError: there is no
    such block, or it has no such bytes; TypeError: it is no text.
    """

class Assembler:
    """Groups the statements of one source into events; one at a time is open.

    ``time_properties`` are IRIs, ``unit`` the microseconds that an integer time counts; the last ``remembered`` graph names,
    and as many times that wait for their graph, are remembered, of each at most ``most_named`` bytes of names and at least
    one.  A graph of more than ``largest`` bytes is a problem if it lies in several blocks.  ``keep_lines``: the lines that
    a pattern can use are copied of events that are given whole, one at least of each.
    """

    encoder: Encoder
    def __init__(
        self,
        encoder: Encoder,
        time_properties: Iterable[str],
        unit: int = 1,
        remembered: int = 1,
        most_named: int = ...,
        largest: int = ...,
        keep_lines: bool = False,
    ) -> None: ...
    @property
    def lines(self) -> int:
        """Line ends that were read."""

    @property
    def ignored(self) -> int:
        """Default-graph statements that were no times."""

    @property
    def unused_times(self) -> int:
        """Times whose graph never came."""

    def read(self, block: bytes, at: int, size: int) -> tuple[int, list[Problem]]:
        """Read the lines in the first ``size`` bytes of ``block`` from byte ``at`` on.

        Gives where reading stopped and the problems of the last line: it stops behind the first line with a problem, else
        at the end.  A problem is (kind, offset of its line, name of
        the graph as shown, offset and length of the text that it is about).
        """

    def read_messages(self, block: bytes, at: int, comments: bool = False, graphs: bool = True) -> tuple[int, int]:
        """Read messages in ``block`` from byte ``at`` on: statements up to a line that is a delimiter.

        Each is one event, and a message without statements is none; ``comments``: ``# @message`` is a delimiter too;
        ``graphs``: statements may name one.
        Gives where the first message begins that was not taken, and why: TAKEN (there is none), CUT_OFF (it has no
        delimiter) or UNSURE (a line is no statement, or which event it is needs a closer look).
        """

    def fail(self, graph: bytes | None, offset: int) -> list[Problem]:
        """A line of ``graph`` (as written; None: unknown) was no statement: its event, or else the open one, is lost."""

    def finish(self, offset: int = 0) -> list[Problem]:
        """The source has ended; the problems of that."""

    def flush(self) -> bytes | None:
        """Complete the open event, if it has its time: the name of its graph as shown, else None."""

    def add(self, time: int, name: bytes, lines: bytes) -> bool:
        """One whole event: ``lines`` are its triples, whose graph names mean nothing; False if a line is no statement.

        ``name`` is the event's IRI, empty if it has none.
        """

    def add_words(self, time: int, name: bytes, triples: Iterable[Sequence[int]], lines: object) -> None:
        """One whole event of encoded ``triples``, (subject, predicate, object) words each; ``lines`` keeps its text."""

    def add_many(
        self,
        rows: NDArray[numpy.int64],
        times: NDArray[numpy.int64],
        graphs: TextRows,
        names: TextRows | None = None,
        scopes: NDArray[numpy.uint64] | None = None,
    ) -> int:
        """Whole events in columns of n times, graphs and names; ``rows`` says which of them, in their order.

        Gives how many were taken: the next one is bad, and has left no trace.  A graph is the lines of one graph's
        triples; a name is the event's IRI, where it is empty the event has that of its graph.  Bad is a line that is no
        statement, a graph without statements, several graphs (also one that is written in two ways), more than
        ``largest`` bytes, a name that may be no IRI.  ``scopes`` are numbers for the blank nodes of each; without them
        they get the next ones, and with them somebody else sets the next one.  Texts are not copied: the buffer of the graphs is a block of the
        events, and must not change.  ValueError: columns do not fit each other, a text is not in its buffer.
        """

    def single(self, time: int, lines: bytes) -> SingleEvent | None:
        """The event of these lines by itself, if all are of one graph, whose IRI is its name; else None.

        Nothing changes if it is None.  ValueError: there are events that were not taken.
        """

    def are_lines_of(self, lines: bytes, count: int, named: bool) -> bool:
        """Whether lines are so many statements of N-Quads, one each, which name a graph or do not.

        Nothing but the terms may be in them, and no escape in an IRI: so they are what was written, if it was so many
        statements of which all name a graph or none does, and nobody looked at the characters of IRIs.
        """

    def take_single(self) -> SingleEvent:
        """The one event that was added since the last ``take``, by itself; ValueError if it is not one."""

    def scope(self) -> int:
        """The number of the next event's blank nodes."""

    def take(self) -> dict[str, Any]:
        """The events completed since the last call as a dict of columns (see ``gpm.rows.EventBatch``).

        ``lines`` and ``line_ends``: the lines that were kept, and where those of each event end; an event that was
        given as words has none.
        """

    def pending(self) -> NDArray[numpy.uint64]:
        """The words of the open event, which are not in any column yet."""

    def longest_run(self) -> int:
        """The most slots in a row that are taken in the table of names; few, where they do not collide.

        Of the times that wait it is the fullest bucket.
        """

    def forget_words(self) -> None:
        """Words that this object remembers for speed may not be valid any more."""
