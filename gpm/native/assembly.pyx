# distutils: language = c++
# cython: language_level=3
"""From N-Quads lines to events as columns: grouping by graph, times, pruning, encoding (semantics.md 3.4)."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.string cimport memchr, memcmp, memcpy

from weakref import WeakSet, ref

import numpy as np

from gpm.native.characters cimport unescape
from gpm.native.delimiters cimport CUT_OFF, TAKEN, UNSURE, is_delimiter, may_hide_delimiter
from gpm.native.encoding cimport encode_hard, encode_term, find_term, parse_time
from gpm.native.single cimport SingleEvent
from gpm.native.texts cimport TextBlock, block_of
from gpm.native.tokens cimport BAD, STATEMENT, Memory, Statement, end_of_line, forget_text, read_iri, read_statement
from nfa_native.core.containers cimport string, take_bytes, unordered_map, vector
from nfa_native.core.guard cimport attempted, check_sound, guarded, guarded_bint, guarded_number, pass_on
from nfa_native.core.mixing cimport NumberHash, TextHash, hash_text, longest_run
from nfa_native.terms.dictionary cimport (
    UNBOUND, UNDECIDED, Lookup, Terms, TermStore, begin_lookup, finish_lookups, integer_word, term_entry, word_t,
)

include "assembling/records.pxi"
include "assembling/names.pxi"
include "assembling/pruning.pxi"
include "assembling/objects.pxi"
include "assembling/columns.pxi"
include "assembling/events.pxi"
include "assembling/messages.pxi"
include "assembling/single.pxi"
include "assembling/rows.pxi"


class Batches(WeakSet):
    """The batches that are alive of an encoder: ``encoder()``, or None if that has gone."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = ref(encoder)


cdef class Encoder:
    """What the readers of one engine share: its terms and the triples that its patterns can use.

    ``version`` grows whenever more triples are wanted; columns made before lack them.  ``batches`` and ``assemblers`` are
    those that are alive, whose words must be.  ``next_scope`` numbers the events of one origin (a stream that is pushed,
    a file), so that the labels of their blank nodes do not depend on what came from elsewhere in between.
    """

    cdef Demand own
    cdef Demand own_texts
    cdef Demand* demand               # its own, or that of `home`
    cdef Demand* texts                # what patterns look at that are evaluated on texts
    cdef Encoder home                 # with which everything but the numbers is shared; None: this is the first one
    cdef readonly Terms terms
    cdef readonly object batches
    cdef readonly object assemblers
    cdef public uint64_t next_scope   # of the next event's blank nodes
    cdef public uint64_t origins      # so many others share with this one
    cdef object __weakref__

    def __init__(self, Terms terms not None):
        self.terms = terms
        self.batches = Batches(self)
        self.assemblers = WeakSet()
        self.own.everything = self.own.subjects = False
        self.own_texts.everything = self.own_texts.subjects = False
        self.own.version = self.own_texts.version = 0
        self.demand, self.texts = &self.own, &self.own_texts
        self.next_scope = 1
        self.origins = 0

    def apart(self):
        """An encoder for one more origin of events of the same engine; events of different origins differ in scope."""
        cdef Encoder home = self if self.home is None else self.home
        cdef Encoder other = Encoder(home.terms)
        home.origins += 1
        other.home, other.demand, other.texts = home, home.demand, home.texts
        other.batches, other.assemblers = home.batches, home.assemblers
        other.next_scope = (home.origins << SCOPE_BITS) + 1
        return other

    @property
    def version(self):
        return self.demand.version

    def want(self, uses, bint subjects=True):
        """Keep from now on the triples that fit one of ``uses`` too: (subject, predicate, object) words, 0 fits all.

        ``subjects``: their subjects must be known outside of their event.  As long as nobody needs that, subjects get
        numbers, different ones in one event, instead of words of the dictionary.
        """
        cdef Use use
        cdef word_t predicate
        cdef bint more = False
        for use.subject, predicate, use.object in uses:
            more = add_use(self.demand, predicate, use) or more
        if more or (subjects and not self.demand.subjects):
            self.demand.version += 1
        self.demand.subjects = self.demand.subjects or subjects

    @property
    def wants_subjects(self):
        return self.demand.subjects

    def wants(self, word_t predicate):
        """Whether triples with that predicate may be wanted, 0: with any."""
        cdef bint some = predicate == UNBOUND and not self.demand.by_predicate.empty()
        return some or not self.demand.any_predicate.empty() or uses_of(self.demand, predicate) != NULL

    def tells(self, word_t predicate):
        """Whether a pattern that reads texts may look at triples with that predicate."""
        return self.texts.everything or self.texts.by_predicate.count(predicate) > 0

    def want_only(self, wants, texts):
        """Keep from now on no more than what these say, arguments of `want` and of `want_texts`.

        Columns made before have more, and lack none of it if they lacked nothing: the version stays.
        """
        cdef uint64_t version = self.demand.version
        clear_demand(self.demand)
        clear_demand(self.texts)
        for uses, subjects in wants:
            self.want(uses, subjects)
        for predicates in texts:
            self.want_texts(predicates)
        self.demand.version = version

    def want_texts(self, predicates):
        """Whoever gets events as texts needs the triples with one of these predicates, words; None: all triples."""
        cdef Use use
        cdef word_t predicate
        use.subject = use.object = UNBOUND
        self.texts.everything = self.texts.everything or predicates is None
        for predicate in predicates or ():
            add_use(self.texts, predicate, use)


cdef class Assembler:
    """Groups the statements of one source into events; one at a time is open.

    ``time_properties`` are IRIs, ``unit`` the microseconds that an integer time counts; the last ``remembered`` graph names,
    and as many times that wait for their graph, are remembered, of each at most ``most_named`` bytes of names and at least
    one.  A graph of more than ``largest`` bytes is a problem if it lies in several blocks.  ``keep_lines``: the lines that
    a pattern can use are copied of events that are given whole, one at least of each.
    """

    cdef Assembly state
    cdef readonly Encoder encoder
    cdef list blocks          # the texts that spans lie in
    cdef object __weakref__

    def __init__(
        self, Encoder encoder not None, time_properties, int64_t unit=1, uint64_t remembered=1,
        size_t most_named=1 << 26, size_t largest=1 << 26, bint keep_lines=False,
    ):
        cdef bytes name
        cdef string text
        if not 0 < remembered <= MOST_REMEMBERED:
            raise ValueError(f"between 1 and {MOST_REMEMBERED} names can be remembered, not {remembered}")
        self.encoder = encoder
        encoder.assemblers.add(self)
        self.blocks = []
        self.state.demand = encoder.demand
        self.state.texts = encoder.texts
        self.state.store = encoder.terms.store
        self.state.terms = <void*>encoder.terms
        self.state.next_scope = &encoder.next_scope
        self.state.keeps_lines = keep_lines
        self.state.first_line = 0
        self.state.unit = unit
        self.state.largest = largest
        self.state.is_open = self.state.goes_on = False
        self.state.lost = self.state.mixed = False
        self.state.told_ignored = self.state.told_unused = False
        self.state.statements = 0
        self.state.text_end = self.state.text_start = 0
        self.state.lines = self.state.ignored = self.state.unused_times = 0
        self.state.columns.version = encoder.demand.version
        self.state.oldest_waiting = self.state.waited = 0
        self.state.waiting_bytes = self.state.ordered_bytes = 0
        self.state.subject_word = UNBOUND
        start_names(&self.state.recent, remembered, most_named)
        for name in [f"<{iri}>".encode() for iri in time_properties]:
            take_bytes(&text, name)
            self.state.time_properties.safe_push_back(text)

    @property
    def lines(self):
        """Line ends that were read."""
        return self.state.lines

    @property
    def ignored(self):
        """Default-graph statements that were no times."""
        return self.state.ignored

    @property
    def unused_times(self):
        """Times whose graph never came."""
        return self.state.unused_times

    def read(self, bytes block not None, size_t at, size_t size):
        """Read the lines in the first ``size`` bytes of ``block`` from byte ``at`` on.

        Gives where reading stopped and the problems of the last line: it stops behind the first line with a problem, else
        at the end.  A problem is (kind, offset of its line, name of the graph as shown, offset and length of the text
        that it is about).
        """
        cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(block)
        cdef size_t stopped
        if size > <size_t>PyBytes_GET_SIZE(block):
            raise ValueError(f"a block of {PyBytes_GET_SIZE(block)} bytes does not have {size}")
        if not self.blocks or self.blocks[len(self.blocks) - 1] is not block:
            self.blocks.append(block)
            self.state.text_start = self.state.text_end = at
        self.state.block = <uint32_t>(len(self.blocks) - 1)
        self.state.text = text
        with nogil:
            stopped = guarded_number(&self.state.store.broken, read_lines, &self.state, at, size)
            guarded(&self.state.store.broken, encode_iris, &self.state)
            if stopped >= size:
                guarded(&self.state.store.broken, leave_block, &self.state)
        return stopped, self._problems()

    def read_messages(self, bytes block not None, size_t at, bint comments=False, bint graphs=True):
        """Read messages in ``block`` from byte ``at`` on: statements up to a line that is a delimiter.

        Each is one event, and a message without statements is none; ``comments``: ``# @message`` is a delimiter too;
        ``graphs``: statements may name one.
        Gives where the first message begins that was not taken, and why: TAKEN (there is none), CUT_OFF (it has no
        delimiter) or UNSURE (a line is no statement, or which event it is needs a closer look).
        """
        cdef size_t size = PyBytes_GET_SIZE(block)
        cdef size_t stopped
        cdef int outcome = TAKEN
        if at > size:
            raise ValueError(f"a block of {size} bytes does not have {at}")
        if not self.blocks or self.blocks[len(self.blocks) - 1] is not block:
            self.blocks.append(block)
        self.state.block = <uint32_t>(len(self.blocks) - 1)
        self.state.text = <const uint8_t*>PyBytes_AS_STRING(block)
        with nogil:
            stopped = guarded_number(
                &self.state.store.broken, read_messages, &self.state, at, size, comments, graphs, &outcome
            )
            guarded(&self.state.store.broken, encode_iris, &self.state)
            guarded(&self.state.store.broken, forget_text, &self.state.memory)
        return stopped, outcome

    def fail(self, bytes graph, size_t offset):
        """A line of ``graph`` (as written; None: unknown) was no statement: its event, or else the open one, is lost."""
        cdef string name
        if graph is not None:
            take_bytes(&name, graph)
            guarded(&self.state.store.broken, lose_graph, &self.state, &name, offset)
        self.state.lost = True
        return self._problems()

    def finish(self, size_t offset=0):
        """The source has ended; the problems of that."""
        guarded(&self.state.store.broken, close_event, &self.state, offset)
        cdef size_t i = self.state.oldest_waiting
        if not self.state.waiting.empty():
            while not is_waiting(&self.state, &self.state.waiting_order[i]):
                i += 1
            guarded(
                &self.state.store.broken, count_unused, &self.state, &self.state.waiting_order[i].name,
                <uint64_t>self.state.waiting.size(),
            )
        self.state.waiting.clear()
        self.state.waiting_bytes = 0
        return self._problems()

    def flush(self):
        """Complete the open event, if it has its time: the name of its graph as shown, else None."""
        cdef string name
        if not self.state.is_open or self.state.lost or not self.state.time.known:
            return None
        attempted(show_name, &self.state.name, &name)
        guarded(&self.state.store.broken, close_event, &self.state, <size_t>0)
        return <bytes>name

    def add(self, int64_t time, bytes name not None, bytes lines not None):
        """One whole event: ``lines`` are its triples, whose graph names mean nothing; False if a line is no statement.

        ``name`` is the event's IRI, empty if it has none.
        """
        cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(lines)
        cdef size_t size = PyBytes_GET_SIZE(lines)
        cdef string known
        cdef bint valid
        take_bytes(&known, name)
        self.blocks.append(lines)
        self.state.block = <uint32_t>(len(self.blocks) - 1)
        self.state.text = text
        with nogil:
            valid = guarded_bint(&self.state.store.broken, add_event, &self.state, time, &known, size)
            guarded(&self.state.store.broken, encode_iris, &self.state)
        return valid

    def add_words(self, int64_t time, bytes name not None, triples, lines):
        """One whole event of encoded ``triples``, (subject, predicate, object) words each; ``lines`` keeps its text."""
        cdef string known
        cdef word_t subject, predicate, object_
        take_bytes(&known, name)
        self.blocks.append(lines)
        self.state.block = <uint32_t>(len(self.blocks) - 1)
        guarded(&self.state.store.broken, begin_columns, &self.state)
        for subject, predicate, object_ in triples:
            self.state.columns.subjects.safe_push_back(subject)
            self.state.columns.predicates.safe_push_back(predicate)
            self.state.columns.objects.safe_push_back(object_)
        self.state.text_start = self.state.text_end = 0
        guarded(&self.state.store.broken, complete, &self.state, time, known.data(), known.size())

    def add_many(
        self, const int64_t[::1] rows not None, const int64_t[::1] times not None, tuple graphs not None, tuple names=None,
        const uint64_t[::1] scopes=None,
    ):
        """Many whole events: ``rows`` are their numbers in columns of times, of graphs and of names; see the stub."""
        cdef EventRows given
        cdef size_t taken
        given.graphs = opened_rows(graphs)
        given.names.count = 0
        if names is not None:
            given.names = opened_rows(names)
        given.times, given.rows, given.count = &times[0], &rows[0], rows.shape[0]
        given.scopes = NULL
        if scopes is not None:
            if scopes.shape[0] != times.shape[0]:
                raise ValueError(f"{times.shape[0]} times came with {scopes.shape[0]} scopes")
            given.scopes = &scopes[0]
        if <size_t>times.shape[0] != given.graphs.count or names is not None and given.names.count != given.graphs.count:
            raise ValueError(f"{given.graphs.count} graphs came with {times.shape[0]} times and {given.names.count} names")
        if not have_texts(&given):
            raise ValueError("a row is not there, or its text does not lie in the buffer")
        self.blocks.append(graphs[1] if isinstance(graphs[1], bytes) else memoryview(graphs[1]))
        self.state.block = <uint32_t>(len(self.blocks) - 1)
        with nogil:
            taken = guarded_number(&self.state.store.broken, add_given_rows, &self.state, &given)
            guarded(&self.state.store.broken, encode_iris, &self.state)
        return taken

    def single(self, int64_t time, bytes lines not None):
        """The event of these lines by itself, if all are of one graph, whose IRI is its name; else None.

        Nothing changes if it is None.  ValueError: there are events that were not taken.
        """
        cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(lines)
        cdef size_t size = PyBytes_GET_SIZE(lines)
        cdef string name
        cdef bint is_event
        check_empty(&self.state)
        self.state.block = 0
        self.state.text = text
        with nogil:
            is_event = guarded_bint(&self.state.store.broken, read_event, &self.state, size)
            is_event = is_event and self.state.statements and not self.state.mixed
            if is_event:
                guarded(&self.state.store.broken, graph_iri, &self.state, &name)
                guarded(&self.state.store.broken, complete_whole, &self.state, time, &name, size)
            else:
                guarded(&self.state.store.broken, undo_event, &self.state)
            guarded(&self.state.store.broken, encode_iris, &self.state)
        return take_single(&self.state, lines) if is_event else None

    def are_lines_of(self, bytes lines not None, size_t count, bint named):
        """Whether lines are so many statements, each nothing but its terms, which name a graph or do not; see the stub."""
        cdef size_t size = PyBytes_GET_SIZE(lines)
        cdef bint found
        self.state.text = <const uint8_t*>PyBytes_AS_STRING(lines)
        with nogil:
            found = guarded_bint(&self.state.store.broken, are_bare_lines, &self.state, size, count, named)
        return found

    def take_single(self):
        """The one event that was added since the last ``take``, by itself."""
        cdef object text = self.blocks.pop()
        self.blocks = []
        return take_single(&self.state, text)

    def scope(self):
        """The number of the next event's blank nodes."""
        return self.state.next_scope[0]

    def take(self):
        """The events completed since the last call as a dict of columns (see ``gpm.rows.EventBatch``)."""
        check_sound(&self.state.store.broken)
        return take_columns(self)

    def pending(self):
        """The words of the open event, which are not in any column yet."""
        return pending_words(&self.state)

    def longest_run(self):
        """The most slots in a row that are taken in the table of names; of the times that wait it is the fullest bucket."""
        cdef vector[uint8_t] taken
        cdef size_t i, longest = 0
        for i in range(self.state.recent.slots.size()):
            taken.safe_push_back(self.state.recent.slots[i] != 0)
        for i in range(self.state.waiting.bucket_count()):
            longest = max(longest, self.state.waiting.bucket_size(i))
        return max(longest, longest_run(taken))

    def forget_words(self):
        """Words that this object remembers for speed may not be valid any more."""
        cdef size_t i
        self.state.subject_word = UNBOUND
        self.state.unnumbered.version = 0
        for i in range(self.state.facts.size()):
            self.state.facts[i].version = 0

    cdef list _problems(self):
        cdef Problem* problem
        cdef size_t i
        found = []
        for i in range(self.state.problems.size()):
            problem = &self.state.problems[i]
            name = PyBytes_FromStringAndSize(problem.name.data(), problem.name.size())
            found.append((problem.kind, problem.line, name, problem.start, problem.size))
        self.state.problems.clear()
        return found


include "assembling/lines.pxi"


cdef object take_columns(Assembler assembler):
    cdef Assembly* a = &assembler.state
    cdef Columns* c = &a.columns
    cdef size_t events = c.times.size()
    cdef size_t triples = c.ends.back() if events else 0
    cdef size_t names = c.name_ends.back() if events else 0
    cdef uint64_t[:, ::1] words
    cdef size_t i
    found = np.empty((3, triples), np.uint64)
    if triples:
        words = found
        memcpy(&words[0, 0], c.subjects.data(), triples * 8)
        memcpy(&words[1, 0], c.predicates.data(), triples * 8)
        memcpy(&words[2, 0], c.objects.data(), triples * 8)
    blocks = assembler.blocks
    for i in range(c.carried.size()):
        blocks.append(PyBytes_FromStringAndSize(c.carried[i].data(), c.carried[i].size()))
    columns = {
        "times": copied(<const char*>c.times.data(), events, np.int64),
        "scopes": copied(<const char*>c.scopes.data(), events, np.uint64),
        "ends": copied(<const char*>c.ends.data(), events, np.uint32),
        "triples": found,
        "names": PyBytes_FromStringAndSize(c.names.data(), names),
        "name_ends": copied(<const char*>c.name_ends.data(), events, np.int64),
        "blocks": blocks,
        "block": copied(<const char*>c.block.data(), events, np.int64),
        "starts": copied(<const char*>c.starts.data(), events, np.int64),
        "stops": copied(<const char*>c.stops.data(), events, np.int64),
        "lines": PyBytes_FromStringAndSize(c.lines.data(), c.lines.size()),
        "line_ends": copied(<const char*>c.line_ends.data(), c.line_ends.size(), np.int64),
        "version": c.version,
    }
    assembler.blocks = []
    clear_columns(c, triples)
    a.first_triple = a.first_line = 0
    return columns


cdef object copied(const char* data, size_t count, dtype):
    array = np.empty(count, dtype)
    cdef char[::1] raw
    if count:
        raw = array.view(np.int8)
        memcpy(&raw[0], data, count * array.itemsize)
    return array


cdef object pending_words(Assembly* a):
    cdef size_t count = a.columns.subjects.size()
    return np.concatenate([
        copied(<const char*>a.columns.subjects.data(), count, np.uint64),
        copied(<const char*>a.columns.predicates.data(), count, np.uint64),
        copied(<const char*>a.columns.objects.data(), count, np.uint64),
    ])
