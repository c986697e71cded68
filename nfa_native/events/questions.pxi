# Conditions about several events, and the lists of events that they are about.
#
# A listed event is remembered with its values that conditions read.  Conditions are programs (`conditions.hpp`); what they leave
# undecided, the owner answers from positions.


cdef void reclaim_listed(Recognition* r, int64_t least) noexcept nogil:
    """Forget positions that no partial match has any more."""
    cdef Correlating* c = r.correlating
    c.relisted.clear()
    if not r.program.forgets:
        return
    while c.listed_first < c.listed.size() and c.listed[c.listed_first].start < least:
        c.listed_first += 1
    if c.listed_first >= LEAST_TO_ERASE and c.listed_first * 2 > c.listed.size():
        c.listed.erase(c.listed.begin(), c.listed.begin() + <ptrdiff_t>c.listed_first)
        c.remembered.erase(c.remembered.begin(), c.remembered.begin() + <ptrdiff_t>(c.listed_first * c.own.size()))
        c.listed_base += <int64_t>c.listed_first
        c.listed_first = 0


cdef int64_t listed(Recognition* r, int64_t before) noexcept nogil:
    """The list with the event at its end."""
    cdef Correlating* c = r.correlating
    cdef Listed one
    if c.relisted.count(before):
        return c.relisted[before]
    one.position = r.state.position
    one.start = c.start
    one.before = before
    c.listed.push_back(one)
    read_own(c)
    c.remembered.insert(c.remembered.end(), c.own.data(), c.own.data() + c.own.size())
    c.relisted[before] = c.listed_base + <int64_t>c.listed.size() - 1
    return c.relisted[before]


cdef inline void read_own(Correlating* c) noexcept nogil:
    """The values of the event under way that conditions read."""
    cdef const int64_t* const* columns = c.columns.data() + (c.columns.size() - c.own.size())
    cdef size_t i
    for i in range(c.own.size()):
        c.own.data()[i] = columns[i][c.at]


cdef inline int64_t computed(Correlating* c, const UpdateSpec* update, const int64_t* before) noexcept nogil:
    """What a computation gives of the one event that each variable holds; NOT_SET: one holds none."""
    cdef const Condition* computation
    cdef const int32_t* of_variable = c.question_registers.data() + update.register_
    cdef int64_t number
    cdef size_t j
    if c.computations.empty():
        return NOT_SET
    computation = c.computations.data() + update.column
    read_own(c)
    for j in range(computation.held.size()):
        c.rows.data()[j] = c.own.data()
        if of_variable[j] >= 0:
            number = before[of_variable[j]]
            if number == NOT_SET:
                return NOT_SET
            c.rows.data()[j] = c.remembered.data() + <size_t>(number - c.listed_base) * c.own.size()
    return computation.compute(c.rows.data(), c.constants)


cdef list positions_in(const Correlating* c, int64_t number):
    """The positions of a list, the last one first."""
    cdef list found = []
    while number != NOT_SET:
        found.append(c.listed[number - c.listed_base].position)
        number = c.listed[number - c.listed_base].before
    return found


cdef void ask_all(
    Recognition* r, const TransitionSpec* transition, const int64_t* registers, size_t width
) noexcept nogil:
    """Leave in `candidates` the places of groups for which all questions of a transition are answered by yes."""
    cdef Correlating* c = r.correlating
    cdef size_t kept, i
    cdef uint32_t number
    for number in range(transition.questions):
        if c.candidates.empty() or r.scratch.is_stopped:
            return
        answer_all(r, c.questions.data() + transition.first_question + number, registers, width)
        kept = 0
        for i in range(c.candidates.size()):
            if c.answers[i] == YES:
                c.candidates[kept] = c.candidates[i]
                kept += 1
        c.candidates.resize(kept)


cdef void answer_all(
    Recognition* r, const QuestionSpec* question, const int64_t* registers, size_t width
) noexcept nogil:
    """Into `answers`: of each candidate whether the condition holds."""
    cdef Correlating* c = r.correlating
    cdef bint undecided = c.conditions.empty()
    cdef size_t i
    c.answers.assign(c.candidates.size(), UNDECIDED)
    if not undecided:
        read_own(c)
        for i in range(c.candidates.size()):
            c.answers[i] = answered(c, question, registers + c.candidates[i] * <int64_t>width)
            undecided = undecided or c.answers[i] == UNDECIDED
    if undecided:
        ask(r, question, registers, width)


cdef inline uint8_t answered(Correlating* c, const QuestionSpec* question, const int64_t* registers) noexcept nogil:
    """Whether the condition holds for all choices of one event of each variable with the one under way among them."""
    cdef const Condition* condition = c.conditions.data() + question.number
    cdef const int32_t* of_variable = c.question_registers.data() + question.first
    cdef const uint8_t* held = condition.held.data()
    cdef const int64_t** rows = c.rows.data()
    cdef const Listed* one
    cdef uint32_t j
    for j in range(question.count):
        if of_variable[j] < 0 or registers[of_variable[j]] == NOT_SET:
            if not held[j]:
                return YES
            rows[j] = c.own.data()
            continue
        one = c.listed.data() + (registers[of_variable[j]] - c.listed_base)
        if held[j] or one.before != NOT_SET:
            return answered_all(c, question, registers)
        rows[j] = c.remembered.data() + <size_t>(one - c.listed.data()) * c.own.size()
    return condition.test(rows, c.constants)


cdef uint8_t answered_all(Correlating* c, const QuestionSpec* question, const int64_t* registers) noexcept nogil:
    """As `answered`, where a variable holds several events."""
    cdef const Condition* condition = c.conditions.data() + question.number
    cdef const int32_t* of_variable = c.question_registers.data() + question.first
    cdef int64_t number
    cdef uint32_t j
    c.choices.renew(question.count)
    for j in range(question.count):
        number = NOT_SET if of_variable[j] < 0 else registers[of_variable[j]]
        while number != NOT_SET:
            number -= c.listed_base
            c.choices.offer(c.remembered.data() + <size_t>number * c.own.size())
            number = c.listed.data()[number].before
        if condition.held.data()[j]:
            c.choices.offer(c.own.data())
        c.choices.end_variable()
    return c.choices.all(condition[0], c.constants, c.own.data())


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
        answers = (<Recognizer>r.owner).answer(question.number, r.state.position, cases)
        for place, answer in zip(places, answers, strict=True):
            c.answers[<size_t>place] = YES if answer else NO
    except BaseException as error:
        (<Recognizer>r.owner)._interruption = error
        r.scratch.is_stopped = True
