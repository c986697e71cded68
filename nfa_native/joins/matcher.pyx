# distutils: language = c++
# cython: language_level=3
"""The matcher: one running query.  Batches of events with their rows go in, matches come out as columns.

The design is that of how-it-works.md: partial matches with equal live values share a cell, which holds one compact set.
"""

import numpy as np

from nfa_native.automata import kinds
from nfa_native.core.arrays import distinct
from nfa_native.joins.history import batch_of
from nfa_native.joins.results import CountedMatches, RawMatches
from nfa_native.joins.substreams import split

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport Evaluating
from nfa_native.core.archive cimport Archive, close_archive, held_words, open_archive, renumber
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted, check_sound, guarded, guarded_bint
from nfa_native.joins.batch cimport borrow_event, borrow_rows
from nfa_native.joins.kernel cimport (
    ADVANCING, FINISHING, NOTHING, Task, begin_batch, begun_ticks, bound_work, build_rules, can_be_written, change_program,
    change_rules, find_waiting, first_due, go_on, is_full, load_kernel, longest_in_kernel, oldest_time, prescribe,
    sample_ticks, take_begun, waiting_starts, write_kernel,
)
from nfa_native.joins.program cimport NO_RULES, MatcherProgram, program_of
from nfa_native.joins.results cimport statistics_of, take_results, taken
from nfa_native.joins.state cimport (
    FOREVER, MOST_RULES, MUCH_CREATED, Evaluation, Kernel, LoadShedding, Telling, build_kernel, event_at, next_position,
)
from nfa_native.terms.program cimport Code, compute, test
from nfa_native.terms.dictionary cimport UNBOUND, Terms, TermStore, word_t

# What `waiting` says of a state where nobody waits.
NOBODY = -2**63

cdef double MOST_LOT = 2.0**64 - 2.0**11  # the greatest double that fits 64 bits


# How the kernel evaluates formulas.


cdef int run_test(const void* code, const word_t* registers, int64_t now, void* store) noexcept nogil:
    return test(<const Code*>code, registers, now, <TermStore*>store)


cdef int run_compute(const void* code, const word_t* registers, int64_t now, void* store, word_t* out) noexcept nogil:
    return compute(<const Code*>code, registers, now, <TermStore*>store, out)



cdef void ask_filter(
    Kernel* k, uint32_t formula, const word_t* registers, size_t count, uint32_t width, int64_t now, int8_t* answers
) noexcept with gil:
    """Ask the formula's own evaluator about `count` rows of registers; an exception makes all answers 0 and is kept."""
    cdef Matcher owner = <Matcher>k.owner
    cdef size_t i
    try:
        table = taken(registers, (count, width), np.uint64)
        verdicts = owner._formulas[formula].ask(table, np.full(count, now, dtype=np.int64), owner.terms)
        for i in range(count):
            answers[i] = <int8_t>verdicts[i]
    except BaseException as error:
        k.failed = True
        owner._failure = error
        for i in range(count):
            answers[i] = 0


cdef word_t ask_value(Kernel* k, uint32_t formula, uint32_t width, int64_t now) noexcept with gil:
    """Ask the formula's own evaluator for a value on the loaded registers."""
    cdef Matcher owner = <Matcher>k.owner
    try:
        table = taken(k.scratch.registers.data(), (1, width), np.uint64)
        return <word_t>owner._formulas[formula].ask(table, np.full(1, now, dtype=np.int64), owner.terms)[0]
    except BaseException as error:
        k.failed = True
        owner._failure = error
        return UNBOUND


cdef Evaluation EVALUATION = Evaluation(run_test, run_compute, ask_filter, ask_value)


cdef class Matcher:
    """Runs an automaton over batches of events (times not decreasing) and collects its results.

    ``feed``, ``advance`` and ``finish`` pause when ``most`` results wait for ``take``: they are ``unfinished`` then, and
    ``go_on`` goes on.  What comes next first goes on to the end, and collects all.
    """

    cdef Kernel kernel
    cdef MatcherProgram _program   # what the kernel runs
    cdef Task task                 # what is under way
    cdef object _kept              # keeps its arrays alive
    cdef int64_t _time             # that of a single event
    cdef uint64_t _event           # and its number
    cdef vector[uint32_t] _zeros   # the numbers of the event in the rows of a single event
    cdef object _failure
    cdef public object _formulas
    cdef readonly object automaton
    cdef readonly Terms terms

    def __init__(self, automaton, Terms terms):
        self.automaton = automaton
        self.terms = terms
        self._formulas = automaton.formulas
        self._failure = None
        self.task.kind = NOTHING
        self.kernel.evaluation = &EVALUATION
        self.kernel.store = terms.store
        self.kernel.owner = <void*>self
        self._program = program_of(automaton)
        attempted(build_kernel, &self.kernel, &self._program.program)

    @property
    def count_only(self):
        """Whether results are only counted, not kept."""
        return self.kernel.count_only

    @count_only.setter
    def count_only(self, bint value):
        self.kernel.count_only = value

    @property
    def tallies(self):
        """Whether one result may stand for many matches: ``take`` gives CountedMatches then."""
        return self.kernel.tallies

    @tallies.setter
    def tallies(self, bint value):
        self.kernel.tallies = value

    @property
    def evaluation(self):
        """When steps of lazy segments are made: an ``Evaluating``."""
        return kinds.Evaluating(<int>self.kernel.evaluating)

    @evaluation.setter
    def evaluation(self, value):
        if self.kernel.shedding.get() is not NULL and value != kinds.Evaluating.EAGER:
            raise ValueError("where work is bounded, steps are made when they can be")
        prescribe(&self.kernel, <Evaluating><int>value)

    @property
    def work_bound(self):
        """How many units of work an event may take on an average (see ``shedding.hpp``); 0: any number.

        Where there is a bound no step waits (``evaluation``).
        """
        return self.kernel.shedding.get().allowance.rate if self.kernel.shedding.get() is not NULL else 0.0

    @work_bound.setter
    def work_bound(self, double value):
        if not 0 <= value < 1e15:
            raise ValueError(f"a bound of {value} is none")
        if value:
            prescribe(&self.kernel, <Evaluating><int>kinds.Evaluating.EAGER)
        attempted(bound_work, &self.kernel, value, <double>0)

    @property
    def most_at_once(self):
        """How many units one event may take, and how many unused ones are kept for later ones; set after the bound.

        0: 64 times the bound, as long as nothing else was said.
        """
        return self.kernel.shedding.get().allowance.most if self.kernel.shedding.get() is not NULL else 0.0

    @most_at_once.setter
    def most_at_once(self, double value):
        if self.kernel.shedding.get() is NULL:
            raise ValueError("work has no bound")
        if not 0 <= value < 1e17:
            raise ValueError(f"{value} units are none")
        attempted(bound_work, &self.kernel, self.kernel.shedding.get().allowance.rate, value)

    def shed(self):
        """What the bound has dropped: for each state sets that were worth too little, sets that one event had no room for, and
        cells that were worth too little (int64[states, 3]); and how many events have taken more than the bound."""
        cdef LoadShedding* shedding = self.kernel.shedding.get()
        cdef size_t i
        dropped = np.zeros((self.kernel.now.states.size(), 3), np.int64)
        for i in range(shedding.states.size() if shedding is not NULL else 0):
            dropped[i] = shedding.states[i].unworthy, shedding.states[i].cut, shedding.states[i].hopeless
        return dropped, shedding.allowance.over if shedding is not NULL else 0

    @property
    def curtailed(self):
        """Of how many events not all results were put out: there were more than units that one may take."""
        return self.kernel.shedding.get().curtailed if self.kernel.shedding.get() is not NULL else 0

    @property
    def work(self):
        """Units of work since the bound was set."""
        return self.kernel.shedding.get().allowance.done if self.kernel.shedding.get() is not NULL else 0.0

    @property
    def reckless(self):
        """To compare: steps and cells are dropped with this chance, however much work there may be; set after the bound.

        0: by what they are worth.
        """
        return self.kernel.shedding.get().reckless if self.kernel.shedding.get() is not NULL else 0.0

    @reckless.setter
    def reckless(self, double value):
        if self.kernel.shedding.get() is NULL:
            raise ValueError("work has no bound")
        if not 0 <= value <= 1:
            raise ValueError(f"a chance of {value} is none")
        self.kernel.shedding.get().reckless = value

    @property
    def telling(self):
        """To compare: by what partial matches of a state are told apart.  0: values and age, 1: age, 2: nothing, and 3: the
        oldest are worth least, whatever comes of them."""
        return <uint32_t>self.kernel.shedding.get().telling if self.kernel.shedding.get() is not NULL else 0

    @telling.setter
    def telling(self, uint32_t value):
        if self.kernel.shedding.get() is NULL:
            raise ValueError("work has no bound")
        if value > 3:
            raise ValueError(f"{value} tells nothing")
        self.kernel.shedding.get().telling = <Telling>value

    def sample_ticks(self, uint64_t salt, double part, int64_t since, bint alone):
        """From now on count the results whose first events are of ticks that are drawn by chance: about this part of those
        from ``since`` on, the same in all runs with this ``salt``.  ``alone``: find no others.  No snapshot has it."""
        if not 0 < part <= 1:
            raise ValueError(f"{part} is no part of the ticks")
        if not self.kernel.program.junctions.empty():
            raise ValueError("where sides lie beside each other a match has several beginnings")
        attempted(sample_ticks, &self.kernel, salt, <uint64_t>(part * MOST_LOT), since, alone)

    def take_begun(self):
        """Of ticks that were drawn the times (int64) and how many results began in each (float64), since the last call."""
        cdef int64_t[::1] times = np.zeros(begun_ticks(&self.kernel), np.int64)
        cdef double[::1] counts = np.zeros(times.shape[0], np.float64)
        if times.shape[0]:
            take_begun(&self.kernel, &times[0], &counts[0])
        return np.asarray(times), np.asarray(counts)

    @property
    def sampled_until(self):
        """When so many units of ``work`` are done, one that finds no others than those of its sample ends."""
        return self.kernel.sampling.get().until if self.kernel.sampling.get() is not NULL else 0.0

    @sampled_until.setter
    def sampled_until(self, double value):
        if self.kernel.sampling.get() is NULL:
            raise ValueError("nothing is sampled")
        self.kernel.sampling.get().until = value

    @property
    def has_ended(self):
        """Whether that is so, or so many results of one event had to be listed to be counted: it does nothing any more."""
        return self.kernel.sampling.get() is not NULL and self.kernel.sampling.get().over

    @property
    def oldest_time(self):
        """No result to come has its first event before this time, microseconds."""
        return oldest_time(&self.kernel)

    @property
    def count(self):
        """Results since the beginning."""
        return self.kernel.results.count

    @property
    def steps(self):
        """After how many steps, each some ten nanoseconds, it looks whether a signal has come."""
        return self.kernel.pause.stride

    @steps.setter
    def steps(self, int64_t value):
        self.kernel.pause.left = self.kernel.pause.stride = max(<int64_t>1, value)

    def give_rules(self, const uint64_t[:, ::1] words, const int64_t[::1] windows=None):
        """The rules of an automaton that has some, before any event: each one's words (parameters, n) by rank, and how long
        its window is in microseconds, no longer than the automaton's.  Ranks are in the order of what steps test first."""
        cdef size_t count = <size_t>words.shape[1]
        cdef size_t i
        if self.kernel.program.rules == NO_RULES or <size_t>words.shape[0] != self.kernel.program.parameters:
            raise ValueError(f"rules with {words.shape[0]} parameters came for an automaton with another number of them")
        if count > MOST_RULES or (windows is not None and <size_t>windows.shape[0] != count):
            raise ValueError(f"there are {count} rules: too many, or with other windows")
        attempted(build_rules, &self.kernel.now, &words[0, 0] if words.size else NULL, <uint32_t>count, <size_t>words.shape[0])
        for i in range(0 if windows is None else count):
            self.kernel.now.rules.windows.safe_push_back(windows[i])

    def change_rules(self, automaton, const uint64_t[:, ::1] words, const int64_t[::1] windows, const uint32_t[::1] to):
        """Other rules, as of ``give_rules``; ``to`` has for each old rank the new one, in the same order, or GONE.

        New ones see what comes from now on.  Results must have been taken.  ``automaton``: the same with another window.
        """
        cdef size_t count = <size_t>words.shape[1]
        cdef MatcherProgram program = program_of(automaton)
        if <size_t>to.shape[0] != self.kernel.now.rules.count or <size_t>words.shape[0] != self.kernel.program.parameters:
            raise ValueError("other rules were there, or with other parameters")
        if count > MOST_RULES or (windows is not None and <size_t>windows.shape[0] != count):
            raise ValueError(f"there are {count} rules: too many, or with other windows")
        if self.task.kind != NOTHING or not can_be_written(&self.kernel):
            raise ValueError("go on to the end, and take the results, before rules change")
        with nogil:
            guarded(
                &self.terms.store.broken, change_rules, &self.kernel, &words[0, 0] if words.shape[0] and count else NULL,
                &windows[0] if windows is not None and count else NULL, <uint32_t>count, &to[0] if to.shape[0] else NULL
            )
        change_program(&self.kernel, &program.program)
        self.automaton, self._program = automaton, program
        self._formulas = automaton.formulas

    def rule_words(self):
        """The terms of the rules, (parameters, n), and their windows (int64[n]) or None: by rank."""
        cdef size_t i, count = self.kernel.now.rules.count
        found = [
            taken(self.kernel.now.rules.columns[i].words.data(), count, np.uint64)
            for i in range(self.kernel.now.rules.columns.size())
        ]
        windows = taken(self.kernel.now.rules.windows.data(), self.kernel.now.rules.windows.size(), np.int64)
        return np.array(found, np.uint64).reshape(len(found), count), windows if windows.size else None

    def rule_counts(self):
        """How many results each rule has had, by rank (uint64)."""
        return taken(self.kernel.now.rules.found.data(), self.kernel.now.rules.found.size(), np.uint64)

    def bound(self, size_t most, size_t most_held):
        """Pause when so many results wait for ``take``, or have so many picks and words; none is smaller than one match's."""
        self.kernel.pause.most = max(<size_t>1, most)
        self.kernel.pause.most_held = max(<size_t>1, most_held)

    def feed(self, times, events, rows):
        """Take a batch: times in microseconds, the caller's event numbers (increasing), and per atom None or an object
        with ``row_event`` (``uint32[r]``, ascending) and ``columns`` (``uint64[slots, r]``)."""
        self._feed_split(times, events, rows)

    cdef _feed_split(self, times, events, rows):
        if self.automaton.keys and len(rows) == len(self.automaton.keys):
            times, events, rows = split(times, events, rows, self.automaton.keys)
        self._feed(times, events, rows)

    cdef _feed(self, const int64_t[::1] times, const uint64_t[::1] events, rows):
        cdef size_t count = <size_t>times.shape[0]
        if <size_t>events.shape[0] != count:
            raise ValueError(f"{count} times came with {events.shape[0]} event numbers")
        self._await_rows(len(rows))
        keep = borrow_rows(&self.task.rows, rows, &self.kernel.program.slots, count)
        if count:
            self._kept = (times, events, keep)
            self._begin(&times[0], &events[0], count)

    def feed_event(self, int64_t time, uint64_t event, list rows not None):
        """``feed`` of a single event: per atom None or its ``EventRows``."""
        if self.automaton.keys and any([one is not None and len(one) > 1 for one in rows]):
            times, events, batch = batch_of(time, event, rows)
            self._feed_split(times, events, batch)  # it may have several keys
        else:
            self._feed_event(time, event, rows)

    cdef _feed_event(self, int64_t time, uint64_t event, list rows):
        self._await_rows(len(rows))
        borrow_event(&self.task.rows, rows, &self.kernel.program.slots, &self._zeros)
        self._kept = rows
        self._time = time
        self._event = event
        self._begin(&self._time, &self._event, 1)

    cdef _await_rows(self, size_t atoms):
        """End what is under way, so that rows can be borrowed."""
        if atoms != self.kernel.program.slots.size():
            raise ValueError(f"rows of {self.kernel.program.slots.size()} atoms are needed, {atoms} came")
        self._complete()
        self.task.rows.sources.clear()
        self.task.rows.takers.clear()

    cdef _begin(self, const int64_t* times, const uint64_t* events, size_t count):
        cdef bint ordered
        with nogil:
            ordered = guarded_bint(
                &self.terms.store.broken, begin_batch, &self.kernel, &self.task, times, events, count
            )
        if not ordered:
            raise ValueError("events must come in order of time")
        self.go_on()

    def advance(self, int64_t time):
        """Promise that no event before ``time`` will come."""
        self._complete()
        self.task.kind = ADVANCING
        self.task.until = time
        self.go_on()

    def finish(self):
        """End of input: close every window."""
        self._complete()
        self.task.kind = FINISHING
        self.go_on()

    @property
    def unfinished(self):
        """Whether what was begun has paused, so that ``go_on`` goes on."""
        return self.task.kind != NOTHING

    def go_on(self):
        """Go on with what was begun, to the end or until enough results wait for ``take``."""
        while not self._go_on() and not is_full(&self.kernel):
            pass

    def complete(self):
        """Go on to the end, however many results wait then."""
        self._complete()

    cdef _complete(self):
        while self.task.kind != NOTHING:
            self._go_on()

    cdef bint _go_on(self) except -1:
        """Go on up to the next pause, and let signals be heard; whether it is done."""
        cdef bint done
        with nogil:
            done = guarded_bint(&self.terms.store.broken, go_on, &self.kernel, &self.task)
        self._raise()
        if done:
            self._kept = None
        else:
            PyErr_CheckSignals()
        return done

    def take(self):
        """The results since the last call."""
        check_sound(&self.terms.store.broken)
        return take_results(&self.kernel)

    def pending(self):
        """Results that wait for ``take``."""
        return self.kernel.results.first.size()

    @property
    def due(self):
        """Only when time has passed this, microseconds, can something be decided without a further row; FOREVER: never."""
        return -FOREVER if self.task.kind != NOTHING else first_due(self.kernel.program, &self.kernel.now)

    def groups(self):
        """Cells that are alive: groups of partial matches."""
        cdef size_t i
        cdef uint64_t live = 0
        for i in range(self.kernel.now.states.size()):
            live += self.kernel.now.states[i].live
        return live

    def longest_run(self):
        """The most slots in a row that are taken in one of the hash tables."""
        return longest_in_kernel(&self.kernel.now)

    def oldest_event(self):
        """Event numbers below this one will not come back, once all results are taken."""
        if self.kernel.now.lo == next_position(&self.kernel.now):
            return self.kernel.now.next_handle
        return event_at(&self.kernel.now, self.kernel.now.lo).handle

    @property
    def position(self):
        """The position of the next event in the merged input."""
        return self.kernel.now.seq

    @property
    def open_tick(self):
        """The time of the tick whose events may not all be there yet; None: there is none."""
        return self.kernel.now.tick if self.kernel.now.open else None

    def waiting(self):
        """For each state what windows measure of the youngest first event of the partial matches that are there, or will
        be when the tick closes (int64, maybe too great); NOBODY: there are none."""
        starts = np.full(self.kernel.now.states.size(), NOBODY, np.int64)
        cdef int64_t[::1] out = starts
        with nogil:
            waiting_starts(&self.kernel, &out[0])
        return starts

    def may_join(self, uint32_t state, uint32_t index, const uint64_t[:, ::1] keys):
        """Whether a partial match waits in the state, or will when the tick closes, with equal words in the columns of the
        index (or an unbound one): bool[n] for ``keys`` (columns of the index, n).  Seldom true by mistake."""
        if state >= self.kernel.now.states.size() or index >= self.kernel.now.states[state].indexes.size():
            raise ValueError(f"there is no index {index} of state {state}")
        if <size_t>keys.shape[0] != self.kernel.program.states[state].indexes[index].columns.size():
            raise ValueError(f"keys of {keys.shape[0]} columns came for another number of columns")
        found = np.zeros(keys.shape[1], np.uint8)
        cdef uint8_t[::1] out = found
        if found.size:
            with nogil:
                attempted(
                    find_waiting, &self.kernel, state, index, &keys[0, 0] if keys.shape[0] else NULL, <size_t>keys.shape[0],
                    <size_t>keys.shape[1], &out[0]
                )
        return found.view(np.bool_)

    def statistics(self):
        """Counters by atom, transition and state, as plain dicts and lists."""
        return statistics_of(&self.kernel)

    def sweep_soon(self):
        """When the next tick ends, free what has left the window; it would else wait until it is many."""
        self.kernel.now.created = MUCH_CREATED

    def trace(self):
        """Every word that the matcher holds, once, in ascending order (0 apart)."""
        cdef Archive archive
        self._write(&archive)
        words = distinct(held_words(&archive))
        return words[words != 0]

    def snapshot(self):
        """The live state as bytes: the same bytes for the same state.  Results must have been taken."""
        cdef Archive archive
        check_sound(&self.terms.store.broken)
        self._write(&archive)
        return close_archive(&archive)

    cdef _write(self, Archive* archive):
        if self.task.kind != NOTHING or not can_be_written(&self.kernel):
            raise ValueError("go on to the end, and take the results, before the snapshot")
        attempted(write_kernel, &self.kernel, archive)

    @property
    def next_event(self):
        """The numbers of all events that it knows are less."""
        return self.kernel.now.next_handle

    @property
    def next_time(self):
        """No event before this time may come, in microseconds."""
        return self.kernel.now.tick if self.kernel.now.open else self.kernel.now.promised

    @classmethod
    def restore(cls, automaton, Terms terms, data, word_map):
        """A matcher that goes on where ``snapshot`` was taken; ``word_map`` renumbers arrays of words.  ValueError: damaged."""
        cdef Matcher matcher = cls(automaton, terms)
        cdef Archive archive
        open_archive(&archive, data)
        words = renumber(&archive, word_map)
        attempted(load_kernel, &matcher.kernel, &archive)
        del words
        if matcher.work_bound:
            matcher.evaluation = kinds.Evaluating.EAGER
        return matcher

    cdef _raise(self):
        if self.kernel.counter.too_many:
            raise OverflowError("there are more matches than 64 bits can count")
        if self.kernel.failed:
            failure, self._failure = self._failure, None
            self.kernel.failed = False
            self.terms.store.broken |= isinstance(failure, MemoryError)
            raise failure
