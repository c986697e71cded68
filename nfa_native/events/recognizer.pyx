# distutils: language = c++
# cython: language_level=3
"""The recognizer: complex event automata on plain tuples, each of which comes as the set of atoms that it matches.

Grez and Riveros' constant-delay evaluation with compact sets of matches (how-it-works.md): an event costs one step
for each state that it can enter, however many matches there are; matches are enumerated when they are taken.
"""

import numpy as np

from nfa_native.automata import kinds
from nfa_native.automata.complex_events import Programs
from nfa_native.automata.lazy_steps import waiting_steps
from nfa_native.automata.operators import operators
from nfa_native.events.results import ComplexEvents

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport BOTH, MOST_ATOMS, Consumed, EnumerationKind, Evaluating, StepKind, StrategyKind
from nfa_native.core.allowance cimport chance_of
from nfa_native.core.archive cimport Archive, close_archive, open_archive
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted, check_sound, created, guarded, guarded_number
from nfa_native.events.conditions cimport NO, UNDECIDED, YES
from nfa_native.events.correlation cimport correlating, forget_correlating, read_columns
from nfa_native.events.recognition cimport (
    add_waiting_step, bound_groups, can_be_written, clear_found, counts_chains, feed_events, feed_partitions, feed_rules,
    forget_numbers, held_positions, know_partition, know_rules, let_go, living_of_stream, load_recognition,
    mark_living, renumber_partitions, renumber_rules, sweep_owned, write_recognition,
)
from nfa_native.events.results cimport forget_table, found_events, integers
from nfa_native.events.state cimport (
    FEW_NODES, NEVER, NO_PARTITION, NO_VALUE, NOT_SET, Correlating, EnteredState, EntrySpec, GroupShedding, Owner,
    QuestionSpec, Recognition, Rules, SymbolSpec, Table, WaitingSegment, begin_table,
)


cdef class Recognizer:
    """Runs one automaton over one stream, or over each partition of it."""

    cdef Recognition recognition
    cdef readonly object automaton
    cdef int64_t events
    cdef readonly object answer
    cdef object _interruption
    cdef bint broken          # memory ran out in the middle of an event: see `nfa_native.core.guard`

    def __cinit__(self):
        self.broken = False
        self.recognition.scratch.table = created[Table]()

    def __init__(
        self, automaton, *, strategy="ALL", consume="NONE", limit=None, partitioned=False, forgets=True,
        events=None, update_only=False, first_node=1, first_position=0, answer=None, programs=Programs(),
        waits=True, drawn=None,
    ):
        """``forgets``: neither starts nor windows ever move back.  ``events``: a window of so many positions within a
        partition (end − start), instead of starts and windows.  ``update_only``: results are found and not enumerated.
        ``first_node`` (not 0) and ``first_position`` are where the numbers of nodes and events begin.

        ``drawn``: a part (0 to 1) and a number; matches begin with that part of all events alone, drawn by chance, other ones for
        another number (``drawn_positions``).
        ``waits``: steps may wait for a later event (`nfa_native/automata/lazy_steps.py`).
        ``programs`` are what the automaton asks and computes.  ``answer(number, position, cases)`` says of each case
        whether the condition of that number holds for the event at ``position``, where none of them can; a case has the list of positions, last one first, of
        each of its variables."""
        cdef Recognition* r = &self.recognition
        self.automaton = automaton
        self.events = -1 if events is None else events
        chosen = operators(automaton, strategy, limit, forgets)
        r.program.strategy = chosen.strategy
        r.program.enumeration = chosen.enumeration
        r.program.consume = kinds.Consumed[consume]
        r.program.limit = 1 if r.program.strategy == StrategyKind.ANY else -1 if limit is None else limit
        r.program.partitioned = partitioned
        r.program.numbered = partitioned and r.program.strategy == StrategyKind.STRICT
        r.program.events = self.events
        r.program.rises = forgets
        r.program.forgets = forgets and self.events < 0
        r.program.update_only = update_only
        r.program.drawn, r.program.salt = (0, 0) if drawn is None else (threshold(drawn[0]), drawn[1])
        r.state.position = r.state.first_number = first_position
        r.owner = &OWNER
        r.recognizer = <void*>self
        r.state.ring.safe_open(1 << 12, first_node)
        r.state.attention = first_node
        r.program.is_chain = automaton.is_chain and chosen.enumeration not in (EnumerationKind.DISTINCT, EnumerationKind.MAXIMAL)
        attempted(clear_found, &r.scratch.found, r.program.is_chain)
        build(r, automaton.states, chosen.steps)
        if automaton.correlation is not None:
            r.correlating = correlating(automaton.correlation, programs)
            forgets_all = waits and forgets and events is None
            for step in waiting_steps(automaton, chosen, limit=limit, consumes=consume != "NONE", forgets=forgets_all):
                attempted(add_waiting_step, r.correlating, <uint32_t>step.state, <bint>step.single)
        self.answer = answer
        attempted(begin_table, r.scratch.table, <size_t>r.program.width)
        attempted(know_partition, r, <uint32_t>0)
        know_symbol(r, [])

    def know_symbols(self, symbols):
        """Symbols after those that are known, each as the atoms that it stands for (a bit mask).  Symbol 0 is no atom."""
        check_sound(&self.broken)
        for atoms in symbols:
            know_symbol(&self.recognition, entered_by(self.automaton, atoms))

    @property
    def symbols(self):
        """How many symbols are known, 0 included."""
        return self.recognition.program.symbols.size()

    def feed(
        self, const uint32_t[::1] symbols not None, const int64_t[::1] starts not None,
        const int64_t[::1] least not None, const uint32_t[::1] partitions=None, size_t at=0, size_t most=1 << 20,
        columns=(),
    ):
        """Take the events of a batch from number ``at`` on, until all are taken or ``most`` results wait.

        An event's ``starts`` is what its window measures of a match that begins with it, ``least`` the least one for a match
        that ends with it; the least int64 as ``starts``: no match begins.  ``columns`` are the
        values that registers are compared with, then those that are remembered (int64[n] each).  Gives the first event that is not done with.
        """
        cdef Recognition* r = &self.recognition
        cdef size_t count = symbols.shape[0]
        check_events(r, symbols, starts, least, partitions, at, self.symbols)
        if at >= count:
            return count
        read_columns(r, columns, count)
        if r.program.partitioned:
            with nogil:
                forget_numbers(r)
                at = guarded_number(
                    &self.broken, feed_partitions, r, &symbols[0], &partitions[0], &starts[0], &least[0], at, count, most, self.events
                )
        else:
            with nogil:
                at = guarded_number(
                    &self.broken, feed_events, r, &symbols[0], &starts[0], &least[0], at, count, most
                )
        self._check_end()
        return at

    def _check_end(self):
        """Raise what ended the feeding before its time."""
        if self.recognition.scratch.is_stopped:
            interruption, self._interruption = self._interruption, None
            self.broken = isinstance(interruption, MemoryError)
            raise interruption
        if self.recognition.scratch.is_full:
            self.broken = True
            raise MemoryError("there is no room for more partial matches: a window would bound them")

    def living(self, int64_t least):
        """The partitions (uint32, rising) that have some partial match which starts at ``least`` or later."""
        cdef Recognition* r = &self.recognition
        cdef vector[uint8_t] owned, living
        cdef size_t number
        check_sound(&self.broken)
        with nogil:
            attempted(mark_living, r, least, &owned)
            attempted(living_of_stream, r, &owned, &living)
        return np.array([number for number in range(living.size()) if living[number]], np.uint32)

    def held(self, int64_t least):
        """The positions (int64, rising) of events that a later result may have, or a condition ask for; no window will begin
        before ``least``.  ValueError: results are not out."""
        cdef vector[int64_t] found
        check_sound(&self.broken)
        if not can_be_written(&self.recognition):
            raise ValueError("go on to the end, and take the results, before asking what is held")
        with nogil:
            attempted(held_positions, &self.recognition, least, &found)
        return integers(&found, found.size())

    def keep(self, const uint32_t[::1] kept not None):
        """Forget all partitions but these (rising), which get the numbers from 0 on; between batches only."""
        cdef Recognition* r = &self.recognition
        cdef vector[uint32_t] numbers
        cdef size_t i
        check_sound(&self.broken)
        numbers.safe_resize(r.state.locals.size(), NO_PARTITION)
        for i in range(<size_t>kept.shape[0]):
            if kept[i] >= numbers.size() or i and kept[i] <= kept[i - 1]:
                raise ValueError(f"{kept[i]} of {numbers.size()} partitions does not rise")
            numbers[kept[i]] = <uint32_t>i
        with nogil:
            guarded(&self.broken, renumber_partitions, r, &numbers, <size_t>kept.shape[0])

    def __dealloc__(self):
        forget_correlating(self.recognition.correlating)
        forget_rules(self.recognition.rules)
        forget_table(self.recognition.scratch.table)

    @property
    def found(self):
        """How many results there are since the last call of ``take``."""
        return self.recognition.scratch.found.count

    def take(self):
        """The results since the last call."""
        check_sound(&self.broken)
        out = found_events(&self.recognition)
        guarded(&self.broken, clear_found, &self.recognition.scratch.found, self.recognition.program.is_chain)
        return out

    def snapshot(self, int64_t least=NEVER):
        """The live state as bytes; no window will begin before ``least``.  ValueError: results wait, or are not taken."""
        cdef Archive archive
        check_sound(&self.broken)
        if not can_be_written(&self.recognition):
            raise ValueError("go on to the end, and take the results, before the snapshot")
        attempted(write_recognition, &self.recognition, &archive, least)
        return close_archive(&archive)

    def restore(self, bytes data not None, int64_t latest=NO_VALUE, int64_t oldest=0):
        """Go on where ``snapshot`` was taken, of the same automaton and options; nothing was taken so far.

        No event started later than ``latest``, and what is before position ``oldest`` is in no match any more.  ValueError: damaged,
        or of another automaton; it is of no use then.
        """
        cdef Archive archive
        check_sound(&self.broken)
        open_archive(&archive, data)
        guarded(&self.broken, load_recognition, &self.recognition, &archive, latest, oldest)

    @property
    def can_count(self):
        """Whether results can be only counted."""
        cdef Recognition* r = &self.recognition
        is_plain = r.program.enumeration == EnumerationKind.EACH and r.program.strategy == StrategyKind.ALL
        return is_plain and r.program.limit < 0 and r.program.consume == Consumed.NONE and r.rules == NULL

    @property
    def counts(self):
        """Results are counted, and not found; ValueError: they cannot be, or some are on their way."""
        return self.recognition.scratch.counts

    @counts.setter
    def counts(self, bint counts):
        if counts and not self.can_count or not can_be_written(&self.recognition):
            raise ValueError("results cannot be counted")
        self.recognition.scratch.counts = counts

    def take_count(self):
        """How many were counted since the last call."""
        cdef uint64_t counted = self.recognition.scratch.counted
        self.recognition.scratch.counted = 0
        return counted

    # ── a bound on work ──
    def bound_work(self, double rate, int64_t window, double most=0):
        """Events may take so many units on an average, from now on, and one no more than ``most`` (see ``shedding.hpp``).

        ``window`` is the length of windows, in what these measure; ``most`` 0: 64 times the rate.  A ``rate`` of 0:
        any number.  No step waits then.  ValueError: results depend on more than which matches there are.
        """
        cdef Recognition* r = &self.recognition
        plain = (StrategyKind.ALL, StrategyKind.ANY)
        counts_apart = r.program.partitioned and self.events >= 0
        if r.program.strategy not in plain or r.program.consume != Consumed.NONE or counts_apart or not r.program.rises:
            raise ValueError("the work of this recognizer has no bound")
        if r.rules != NULL or not (0 <= rate < 1e15 and 0 <= most < 1e17 and 0 < window < 10**18):
            raise ValueError(f"a bound of {rate} units, {most} at once, in windows of {window} is none")
        if rate:
            self.evaluation = kinds.Evaluating.EAGER
        attempted(bound_groups, r, rate, most, window)

    @property
    def work_bound(self):
        """How many units an event may take on an average; 0: any number."""
        return self.recognition.shedding.get().allowance.rate if self.recognition.shedding.get() != NULL else 0.0

    @property
    def reckless(self):
        """To compare: groups are left out with this chance, however much work there may be; set after the bound.  0: by worth."""
        return self.recognition.shedding.get().reckless if self.recognition.shedding.get() != NULL else 0.0

    @reckless.setter
    def reckless(self, double value):
        if self.recognition.shedding.get() == NULL or not 0 <= value <= 1:
            raise ValueError(f"a chance of {value} is none, or work has no bound")
        self.recognition.shedding.get().reckless = value

    def shed(self):
        """What the bound has left out: for each state groups that were worth too little, and groups and looks for which an event
        had no room (int64[states, 2]); events that took more than the bound, units of all, and events curtailed."""
        cdef GroupShedding* shedding = self.recognition.shedding.get()
        cdef size_t i
        dropped = np.zeros((self.recognition.program.width, 2), np.int64)
        if shedding == NULL:
            return dropped, 0, 0.0, 0
        for i in range(shedding.states.size()):
            dropped[i] = shedding.states[i].unworthy, shedding.states[i].cut
        over = shedding.allowance.over + (shedding.allowance.spent > shedding.allowance.rate)
        return dropped, over, shedding.allowance.done + shedding.allowance.spent, shedding.curtailed

    @property
    def evaluation(self):
        """When steps that may wait are made, as an Evaluating."""
        cdef Correlating* c = self.recognition.correlating
        return kinds.Evaluating(<int>c.waiting.evaluating if c != NULL else 0)

    @evaluation.setter
    def evaluation(self, evaluating):
        cdef Correlating* c = self.recognition.correlating
        cdef size_t i
        if c == NULL:
            return
        c.waiting.evaluating = evaluating
        if evaluating in (kinds.Evaluating.EAGER, kinds.Evaluating.LAZY):
            for i in range(c.waiting.segments.size()):
                c.waiting.segments[i].trial.other = evaluating == kinds.Evaluating.LAZY

    @property
    def segments(self):
        """Of each step that may wait: whether it does, how many events wait, and how often that changed."""
        cdef Correlating* c = self.recognition.correlating
        cdef WaitingSegment* segment
        cdef size_t i, j, waiting
        found = []
        for i in range(c.waiting.segments.size() if c != NULL else 0):
            segment, waiting = &c.waiting.segments[i], 0
            for j in range(segment.by_list.size()):
                waiting += segment.by_list[j].size() - segment.by_list[j].dead
            found.append({"lazy": bool(segment.trial.other), "waiting": waiting, "switches": segment.trial.switches})
        return found

    @property
    def position(self):
        """That of the next event."""
        return self.recognition.state.position

    def longest_run(self):
        """The most slots in a row that are taken in one of the hash tables."""
        cdef Correlating* c = self.recognition.correlating
        return max(c.keyed.longest_run(), c.merged.longest_run()) if c != NULL else 0

    def statistics(self):
        """Events taken, nodes in the ring and its size, partitions, groups and zones that were scanned; and where steps may
        wait, the events that do, and how often that changed."""
        segments = self.segments
        told = ("waiting", "switches") if segments else ()
        return {
            "events": self.recognition.state.position,
            "nodes": self.recognition.state.ring.count(),
            "room": self.recognition.state.ring.nodes.size(),
            "partitions": self.recognition.state.locals.size() if self.recognition.program.partitioned else 0,
            "scanned": self.recognition.correlating.scanned if self.recognition.correlating != NULL else 0,
            **{name: sum([one[name] for one in segments]) for name in told},
        }


cdef class RuleRecognizer(Recognizer):
    """Runs an automaton for each of many rules, which differ in what they ask of single events, and in their windows.

    A condition of an atom is a tuple, in postfix: the number of a test, ``BOTH`` or ``EITHER``; an empty one always holds.
    """

    def __init__(self, automaton, conditions, **options):
        """``conditions`` are those of the automaton's atoms, ``MOST_ATOMS`` of them at most.  ``options`` are those of Recognizer."""
        cdef Recognition* r = &self.recognition
        cdef vector[uint32_t] steps
        if <size_t>len(conditions) > MOST_ATOMS or options.get("consume") == "ANY":
            raise ValueError("rules have fewer atoms, and consume what is theirs")
        super().__init__(automaton, waits=False, **options)
        r.rules = created[Rules]()
        let_go(r)
        for one in conditions:
            steps.clear()
            for step in one:
                steps.safe_push_back(step)
            r.rules.conditions.safe_push_back(steps)
        self._know_sets(len(conditions))

    def _know_sets(self, size_t atoms):
        """A symbol for each set of atoms."""
        cdef Recognition* r = &self.recognition
        r.rules.symbols.safe_push_back(0)
        for mask in range(1, 1 << atoms):
            r.rules.symbols.safe_push_back(<uint32_t>r.program.symbols.size())
            know_symbol(r, entered_by(self.automaton, mask))

    def know_symbols(self, symbols):
        """Symbols after those that are known, each as the atoms that an event may match for some rule (a bit mask)."""
        check_sound(&self.broken)
        for atoms in symbols:
            self.recognition.rules.asked.safe_push_back(atoms)

    @property
    def symbols(self):
        """How many symbols are known."""
        return self.recognition.rules.asked.size()

    def change_rules(self, size_t count, const uint32_t[::1] kept not None, windows=None):
        """Of the rules that there are only these (rising) stay, the first ones of now ``count`` in all.

        ``windows`` (int64[count]): how long that of each rule is, where they differ and windows are of time; ``least`` is
        then that of the longest one.  Between batches only.
        """
        cdef Recognition* r = &self.recognition
        cdef vector[uint32_t] numbers
        cdef vector[int64_t] lengths
        cdef size_t i
        check_sound(&self.broken)
        for length in () if windows is None else windows:
            lengths.safe_push_back(length)
        numbers.safe_resize(r.rules.count, NO_PARTITION)
        for i in range(<size_t>kept.shape[0]):
            if kept[i] >= numbers.size() or i and kept[i] <= kept[i - 1]:
                raise ValueError(f"{kept[i]} of {numbers.size()} rules does not rise")
            numbers[kept[i]] = <uint32_t>i
        if <size_t>kept.shape[0] > count or (windows is not None and lengths.size() != count):
            raise ValueError(f"{count} rules are fewer than they should be")
        with nogil:
            guarded(&self.broken, renumber_rules, r, &numbers, <size_t>kept.shape[0])
            guarded(&self.broken, know_rules, r, count)
        r.rules.windows.swap(lengths)

    def feed_rules(
        self, const uint32_t[::1] symbols not None, const int64_t[::1] starts not None,
        const int64_t[::1] least not None, const uint32_t[::1] partitions, size_t at, size_t most, columns, tests,
        uint64_t[::1] counts=None,
    ):
        """``feed``; a test has for each event the number of a set of rules (uint32[n]), and these (uint64[m, words]).

        ``counts``, if ``counts_results``: results are added to their rule's there, up to 2 ** 64 - 1, and not made.
        """
        cdef Recognition* r = &self.recognition
        cdef size_t count = symbols.shape[0]
        check_events(r, symbols, starts, least, partitions, at, self.symbols)
        if at >= count:
            return count
        read_columns(r, columns, count)
        read_tests(r.rules, tests, count, at == 0)
        r.rules.counts = self._counts(counts)
        with nogil:
            forget_numbers(r)
            at = guarded_number(
                &self.broken, feed_rules, r, &symbols[0], &partitions[0] if r.program.partitioned else <const uint32_t*>NULL,
                &starts[0], &least[0], at, count, most, self.events
            )
        self._check_end()
        return at

    cdef uint64_t* _counts(self, uint64_t[::1] counts) except? NULL:
        """Where results are counted; NULL: they are made."""
        if counts is None:
            return NULL
        if not self.counts_results or <size_t>counts.shape[0] < self.recognition.rules.count:
            raise ValueError("results cannot be counted there")
        return &counts[0] if counts.shape[0] else NULL

    @property
    def counts_results(self):
        """Whether ``feed_rules`` can count results without making them."""
        return counts_chains(&self.recognition)

    def sweep(self, int64_t least):
        """Forget partitions of rules in which nothing starts at ``least`` or later; between batches only."""
        if self.recognition.program.partitioned:
            with nogil:
                guarded(&self.broken, sweep_owned, &self.recognition, least)

    @property
    def owned(self):
        """How many partitions rules have."""
        return self.recognition.rules.owned.size()

    @property
    def met(self):
        """By rule, the atoms that some event matched, as bits."""
        return [self.recognition.rules.met[i] for i in range(self.recognition.rules.met.size())]


cdef void forget_rules(Rules* rules) noexcept:
    if rules != NULL:
        del rules


cdef read_tests(Rules* rules, tests, size_t count, bint are_new):
    """Where the sets of each test are, and which of them each event passes."""
    cdef const uint32_t[::1] places
    cdef const uint64_t[:, ::1] sets
    cdef size_t i
    cdef uint32_t step
    rules.places.clear()
    rules.sets.clear()
    if rules.count == 0:
        return
    for places, sets in tests:
        if <size_t>places.shape[0] != count or <size_t>sets.shape[1] != rules.words or not sets.shape[0]:
            raise ValueError("a test is of other events, or other rules")
        if are_new:
            for i in range(count):
                if places[i] >= sets.shape[0]:
                    raise ValueError(f"set {places[i]} is none of {sets.shape[0]}")
        rules.places.safe_push_back(&places[0])
        rules.sets.safe_push_back(&sets[0, 0])
    for i in range(rules.conditions.size()):
        for step in rules.conditions[i]:
            if step < BOTH and step >= rules.places.size():
                raise ValueError(f"there is no test {step}")


cdef check_events(
    const Recognition* r, const uint32_t[::1] symbols, const int64_t[::1] starts, const int64_t[::1] least,
    const uint32_t[::1] partitions, size_t at, size_t known
):
    """ValueError: what is told of events does not fit them, or their symbols are not all known."""
    cdef size_t count = symbols.shape[0]
    cdef size_t i
    if <size_t>starts.shape[0] != count or <size_t>least.shape[0] != count:
        raise ValueError(f"{count} symbols came with {starts.shape[0]} starts and {least.shape[0]} windows")
    if (partitions is None) == r.program.partitioned or (r.program.partitioned and <size_t>partitions.shape[0] != count):
        raise ValueError("each event needs its partition" if r.program.partitioned else "there are no partitions")
    for i in range(count if at == 0 else 0):
        if symbols[i] >= known:
            raise ValueError(f"symbol {symbols[i]} is not known")


def threshold(part):
    """Of how many of 2³² numbers a part consists, one at least."""
    if not 0 < part <= 1:
        raise ValueError(f"{part} is no part")
    return max(1, round(part * 2**32))


def drawn_positions(const int64_t[::1] positions not None, part, uint64_t salt):
    """Which positions are those of events that are drawn (bool[n])."""
    cdef uint64_t least = threshold(part)
    cdef size_t i
    found = np.empty(positions.shape[0], np.uint8)
    cdef uint8_t[::1] view = found
    for i in range(<size_t>positions.shape[0]):
        view[i] = chance_of(<uint64_t>positions[i], salt) < least
    return found.view(np.bool_)


# What the recognizer asks Python for.


cdef void ask(Recognition* r, const QuestionSpec* question, const int64_t* registers, size_t width) noexcept with gil:
    """Into `answers` that are undecided: what the owner says; an error ends the feeding."""
    cdef Correlating* c = r.correlating
    cdef const int32_t* of_variable = c.question_registers.data() + question.first
    cdef size_t i
    cdef uint32_t j
    try:
        cases, places = [], []
        for i in range(c.candidates.size()):
            if c.answers[i] != UNDECIDED:
                continue
            places.append(i)
            cases.append(tuple([
                positions_in(c, NOT_SET if of_variable[j] < 0 else registers[c.candidates[i] * width + of_variable[j]])
                for j in range(question.count)
            ]))
        answers = (<Recognizer>r.recognizer).answer(question.number, r.state.position, cases)
        for place, answer in zip(places, answers, strict=True):
            c.answers[<size_t>place] = YES if answer else NO
    except BaseException as error:
        (<Recognizer>r.recognizer)._interruption = error
        r.scratch.is_stopped = True


cdef list positions_in(const Correlating* c, int64_t number):
    """The positions of a list, the last one first."""
    cdef list found = []
    while number != NOT_SET:
        found.append(c.listed[number - c.listed_base].position)
        number = c.listed[number - c.listed_base].before
    return found


cdef bint is_interrupted(Recognition* r) noexcept with gil:
    """Whether a signal's handler raised something, which the owner keeps; `feed` then ends."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Recognizer>r.recognizer)._interruption = error
        r.scratch.is_stopped = True
    return r.scratch.is_stopped


cdef Owner OWNER = Owner(ask, is_interrupted)


cdef build(Recognition* r, states, steps):
    """The automaton as arrays."""
    waited = {one for state in states for one in state.after}
    waited_next = {one for state in states for one in state.directly_after}
    r.program.width = len(states)
    r.program.all_marked = all(state.marked for state in states)
    r.program.start_is_marked = all([state.marked for state in states if state.initial])
    for number, state in enumerate(states):
        r.program.entries.safe_push_back(EntrySpec(
            number, <uint32_t>r.program.sources.size(), len(state.after), len(state.directly_after), state.initial,
            state.final, steps[number], number in waited, number in waited_next,
        ))
        for one in (*state.after, *state.directly_after):
            r.program.sources.safe_push_back(one)
        r.program.marked.safe_push_back(state.marked)
    r.program.most_nodes = 4 * <uint32_t>(r.program.sources.size() + r.program.width) + FEW_NODES


cdef entered_by(automaton, atoms):
    """The states that an event with these atoms (a bit mask) may enter, from the last one to the first."""
    states = list(enumerate(automaton.states))
    return [number for number, state in reversed(states) if any([atoms >> atom & 1 for atom in state.atoms])]


cdef know_symbol(Recognition* r, states):
    """A symbol that enters the states of these numbers, given from the last one to the first."""
    cdef SymbolSpec spec
    steps = {r.program.entries[<size_t>state].step for state in states}
    spec.in_order = not any([comes_late(r, state, states) for state in states])
    spec.plain = spec.in_order and steps <= {StepKind.PLAIN}
    spec.swift = spec.in_order and steps <= {StepKind.SWIFT}
    spec.begin = spec.finals = spec.begins = <uint32_t>r.program.entered.size()
    if spec.plain:
        spec.finals = add_entered(r, [state for state in states if r.program.entries[state].final and has_sources(r, state)])
        spec.begins = add_entered(r, [state for state in states if not r.program.entries[state].final and has_sources(r, state)])
        spec.end = add_entered(r, [state for state in states if r.program.entries[state].initial])
    else:
        spec.end = add_entered(r, states)
    r.program.enters.safe_resize(r.program.symbols.size(), 0)     # there may be one more, if memory ran out
    r.program.enters.safe_push_back(spec.end > spec.begin)
    r.program.symbols.safe_push_back(spec)


cdef uint32_t add_entered(Recognition* r, states):
    """States for the last symbol; how many there are of all symbols then."""
    cdef EnteredState one
    for one.state in states:
        one.first = r.program.entries[one.state].first
        one.end = one.first + r.program.entries[one.state].after + r.program.entries[one.state].directly
        r.program.entered.safe_push_back(one)
    return <uint32_t>r.program.entered.size()


cdef has_sources(const Recognition* r, uint32_t state):
    return r.program.entries[state].after > 0


cdef bint comes_late(const Recognition* r, uint32_t state, states):
    """One of the states precedes this one and has a greater number."""
    cdef const EntrySpec* entry = &r.program.entries[state]
    sources = [r.program.sources[i] for i in range(entry.first, entry.first + entry.after + entry.directly)]
    return any([one > state and one in states for one in sources])
