# distutils: language = c++
# cython: language_level=3
"""From a Correlation and its Programs to what the recognizer runs: what registers do, what is asked and computed."""

from nfa_native.automata.telling import judged_states, told_by_state

from libc.stdint cimport int32_t, int64_t, uint32_t

from nfa_native.automata.kinds cimport DEEPEST, Change, Opcode, RegisterCells, RegisterTest
from nfa_native.core.containers cimport moved
from nfa_native.core.guard cimport created
from nfa_native.events.conditions cimport Condition, Number, integer, real, unknown
from nfa_native.events.state cimport FEW_SLOTS, CellSpec, GuardSpec, QuestionSpec, TellingNumber, TransitionSpec, UpdateSpec


cdef Correlating* correlating(correlation, programs) except NULL:
    """The native form of a Correlation and its Programs; the caller owns it."""
    cdef Correlating* c = created[Correlating]()
    cdef CellSpec cell
    cdef size_t begun
    lists = registers_of_lists(correlation)
    c.views.safe_open(64, 0)
    c.keyed.safe_open(FEW_SLOTS)
    c.merged.safe_open(FEW_SLOTS)
    c.has_recents = any(each.contiguous for each in correlation.transitions)
    c.columns.safe_resize(correlation.columns + programs.remembered, NULL)
    add_programs(c, programs)
    c.registers.safe_resize(max(1, max(correlation.registers)), 0)
    c.bounds.safe_resize(max([1] + [len(each.guards) for each in correlation.transitions]), 0)
    for number, width in enumerate(correlation.registers):
        entering = [each for each in correlation.transitions if each.target == number]
        begun = c.updates.size()
        add_updates(c, correlation.begins[number])
        cell.kind = correlation.cells[number]
        cell.width = width
        cell.first_register = <uint32_t>c.has_list.size()
        cell.key = correlation.keys[number]
        cell.skyline = register_of_skyline(correlation, number)
        cell.first_begin = <uint32_t>begun
        cell.first_transition = <uint32_t>c.transitions.size()
        cell.transitions = len(entering)
        for transition in entering:
            add_transition(c, transition, correlation)
        cell.first_update = c.transitions[cell.first_transition].first_update if entering else <uint32_t>begun
        c.cells.safe_push_back(cell)
        for register in range(width):
            c.has_list.safe_push_back((number, register) in lists)
    tell_worth(c, correlation, programs)
    return c


cdef tell_worth(Correlating* c, correlation, programs):
    found = told_by_state(correlation, programs)
    c.telling.safe_resize(len(found))
    for number, several in enumerate(found):
        for told in several:
            c.telling[<size_t>number].safe_push_back(TellingNumber(told.register, told.argument, told.is_real))
    for judged in judged_states(correlation):
        c.judged.safe_push_back(judged)


cdef add_updates(Correlating* c, updates):
    cdef int32_t first
    for update in updates:
        first = update.register
        if update.change == Change.COMPUTED:
            first = <int32_t>c.question_registers.size()
            for register in update.registers:
                c.question_registers.safe_push_back(register)
        c.updates.safe_push_back(UpdateSpec(update.change, first, update.column))


def registers_of_lists(correlation):
    """The registers (state, register) that are read as lists: by questions, computations and longer lists."""
    found, before = frozenset(), None
    while found != before:
        before = found
        for each in correlation.transitions:
            found |= {(each.source, register) for register in read_as_lists(each, before) if register >= 0}
    return found


def read_as_lists(transition, known):
    """The registers of a transition's source that have lists, if those that are known do."""
    found = [register for question in transition.questions for register in question.registers]
    for register, update in enumerate(transition.updates):
        found += update.registers
        if update.change == Change.LIST or (transition.target, register) in known:
            found.append(update.register)
    return found


def register_of_skyline(correlation, state):
    """A register that a transition from a state asks to be below a bound, and nothing else once its list is found."""
    if correlation.cells[state] != RegisterCells.GROUPS:
        return -1
    left = [left_to_ask(each, correlation) for each in correlation.transitions if each.source == state]
    return min([one[0].register for one in left if len(one) == 1 and one[0].test == RegisterTest.LESS], default=-1)


def left_to_ask(transition, correlation):
    """The guards but the one by which lists are found."""
    key = correlation.keys[transition.source]
    guards = sorted(transition.guards, key=lambda guard: not is_of_key(guard, key))
    return guards[1:] if key >= 0 and not transition.contiguous else guards


cdef add_transition(Correlating* c, transition, correlation):
    """One whose first guard is that of the key, if lists are found by it."""
    key = correlation.keys[transition.source]
    left = left_to_ask(transition, correlation)
    guards = sorted(transition.guards, key=lambda guard: not is_of_key(guard, key))
    by_skyline = len(left) == 1 and left[0].test == RegisterTest.LESS and (
        left[0].register == register_of_skyline(correlation, transition.source)
    )
    c.transitions.safe_push_back(TransitionSpec(
        transition.source, transition.contiguous, key >= 0 and not transition.contiguous, by_skyline,
        <uint32_t>c.guards.size(), len(guards), <uint32_t>c.questions.size(), len(transition.questions),
        <uint32_t>c.updates.size(),
    ))
    add_guards(c, guards)
    add_questions(c, transition.questions)
    add_updates(c, transition.updates)


cdef bint is_of_key(guard, key):
    return guard.register == key and guard.test == RegisterTest.EQUAL


cdef add_guards(Correlating* c, guards):
    for guard in guards:
        c.guards.safe_push_back(GuardSpec(guard.register, guard.test, guard.column))


cdef add_questions(Correlating* c, questions):
    for question in questions:
        c.questions.safe_push_back(QuestionSpec(
            question.number, <uint32_t>c.question_registers.size(), len(question.registers), question.register,
            question.decided,
        ))
        for register in question.registers:
            c.question_registers.safe_push_back(register)


cdef read_columns(Recognition* r, columns, size_t count):
    """Where the values of a batch are; ValueError if there are not as many as there are columns and events."""
    cdef Correlating* c = r.correlating
    cdef const int64_t[::1] view
    cdef size_t wanted = c.columns.size() if c != NULL else 0
    if len(columns) != wanted:
        raise ValueError(f"{wanted} columns of values are needed, not {len(columns)}")
    for number, column in enumerate(columns):
        view = column
        if <size_t>view.shape[0] != count:
            raise ValueError(f"{count} symbols came with {view.shape[0]} values")
        c.columns[<size_t>number] = &view[0]


cdef void forget_correlating(Correlating* c) noexcept:
    cdef size_t i
    if c == NULL:
        return
    for i in range(c.lists.size()):
        del c.lists[i]
    del c


cdef add_programs(Correlating* c, programs):
    """ValueError: one is none that `Condition` can follow."""
    c.own.safe_resize(programs.remembered, 0)
    for condition in programs.conditions:
        check_steps(condition, programs.remembered, (0, 1))
        c.conditions.safe_push_back(program(c, condition))
    for computation in programs.computations:
        check_steps(computation, programs.remembered, (1, 0))
        c.computations.safe_push_back(program(c, computation))
        c.computations.back().is_real = computation.is_real
        c.computations.back().turned = computation.turned


cdef Condition program(Correlating* c, condition):
    cdef Condition one
    for held in condition.held:
        one.held.safe_push_back(bool(held))
    c.rows.safe_resize(max(c.rows.size(), one.held.size()), NULL)
    for step in condition.instructions:
        if step.operation == Opcode.CONSTANT:
            one.safe_append_step(step.operation, 0, <uint32_t>c.constants.size())
            c.constants.safe_push_back(number_of(step.constant))
        else:
            one.safe_append_step(step.operation, step.variable, step.argument)
    return moved(one)


cdef Number number_of(constant):
    if constant is None:
        return unknown()
    return real(constant) if isinstance(constant, float) else integer(constant)


def check_steps(condition, remembered, result):
    """ValueError: steps do not leave so many numbers and truths, need deeper stacks, or load what is not there."""
    numbers = truths = 0
    for step in condition.instructions:
        taken, left = taken_and_left(step.operation)
        numbers, truths = numbers - taken[0], truths - taken[1]
        if min(numbers, truths) < 0:
            raise ValueError(f"{step} lacks operands")
        numbers, truths = numbers + left[0], truths + left[1]
        if max(numbers, truths) > DEEPEST:
            raise ValueError(f"a condition needs more than {DEEPEST} numbers at once")
        if is_load(step.operation) and not (
            0 <= step.variable < len(condition.held) and 0 <= step.argument < remembered
        ):
            raise ValueError(f"{step} loads what is not there")
    if (numbers, truths) != result:
        raise ValueError(f"the steps leave {numbers} numbers and {truths} truths, not {result}")


def is_load(operation):
    """Whether an operation reads a value of an event."""
    return operation in (Opcode.LOAD_INTEGER, Opcode.LOAD_REAL, Opcode.LOAD_TRUTH)


def taken_and_left(operation):
    """How many numbers and truths an operation takes, and how many it leaves."""
    if is_load(operation) or operation == Opcode.CONSTANT:
        return (0, 0), ((0, 1) if operation == Opcode.LOAD_TRUTH else (1, 0))
    if operation < Opcode.EQUAL:
        return (2, 0), (1, 0)
    if operation < Opcode.NOT:
        return (1 if operation == Opcode.IS_NULL else 2, 0), (0, 1)
    return (0, 1 if operation == Opcode.NOT else 2), (0, 1)
