# Conditions that the owner answers, and the lists of positions that they are about.


cdef void reclaim_listed(Recognition* r, int64_t least) noexcept nogil:
    """Forget positions that no partial match has any more."""
    cdef Correlating* c = r.correlating
    c.relisted.clear()
    if not r.forgets:
        return
    while c.listed_first < c.listed.size() and c.listed[c.listed_first].start < least:
        c.listed_first += 1
    if c.listed_first >= LEAST_TO_ERASE and c.listed_first * 2 > c.listed.size():
        c.listed.erase(c.listed.begin(), c.listed.begin() + <ptrdiff_t>c.listed_first)
        c.listed_base += <int64_t>c.listed_first
        c.listed_first = 0


cdef int64_t listed(Recognition* r, int64_t before) noexcept nogil:
    """The list with the event's position at its end."""
    cdef Correlating* c = r.correlating
    cdef Listed one
    if c.relisted.count(before):
        return c.relisted[before]
    one.position = r.position
    one.start = c.start
    one.before = before
    c.listed.push_back(one)
    c.relisted[before] = c.listed_base + <int64_t>c.listed.size() - 1
    return c.relisted[before]


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
        if c.candidates.empty() or r.is_stopped:
            return
        c.answers.assign(c.candidates.size(), 0)
        ask(r, c.questions.data() + transition.first_question + number, registers, width)
        kept = 0
        for i in range(c.candidates.size()):
            if c.answers[i]:
                c.candidates[kept] = c.candidates[i]
                kept += 1
        c.candidates.resize(kept)


cdef void ask(Recognition* r, const QuestionSpec* question, const int64_t* registers, size_t width) noexcept with gil:
    """Into `answers`, which are all no: what the owner says of each candidate; an error ends the feeding."""
    cdef Correlating* c = r.correlating
    cdef const int32_t* of_variable = c.question_registers.data() + question.first
    cdef size_t i
    cdef uint32_t j
    try:
        cases = []
        for i in range(c.candidates.size()):
            cases.append(tuple([
                positions_in(c, NOT_SET if of_variable[j] < 0 else registers[c.candidates[i] * width + of_variable[j]])
                for j in range(question.count)
            ]))
        answers = (<Recognizer>r.owner).answer(question.number, r.position, cases)
        for i in range(c.candidates.size()):
            c.answers[i] = bool(answers[i])
    except BaseException as error:
        (<Recognizer>r.owner)._interruption = error
        r.is_stopped = True
