# Steps: each extends the row in the registers, hands it to the next, and leaves the registers as they were.


cdef inline bint exact_number(const TermStore* store, word_t word, int128* number) noexcept nogil:
    """An integer or decimal in units of 10**-18."""
    cdef int kind
    if word == UNBOUND:
        return False
    kind = kind_of(word)
    if kind == KIND_INTEGER:
        number[0] = <int128>integer_value(store, word) * DECIMAL_ONE
    elif kind == KIND_DECIMAL:
        number[0] = decimal_value(store, word)
    else:
        return False
    return True


cdef inline int judge(const Formula* formula, const word_t* registers, int64_t now, TermStore* store) noexcept nogil:
    """TRUE, FALSE, ERROR or UNKNOWN."""
    cdef int128 number
    if formula.comparison != NO_COMPARISON and exact_number(store, registers[formula.compared], &number):
        if formula.comparison == OP_LESS:
            return number < formula.bound
        if formula.comparison == OP_LESS_EQUAL:
            return number <= formula.bound
        if formula.comparison == OP_GREATER:
            return number > formula.bound
        return number >= formula.bound
    return test(formula.code, registers, now, store)


cdef int ask(Machine* machine, const Formula* formula) noexcept nogil:
    """Answer the EXISTS of an expression: GO_ON or UNDECIDED."""
    cdef size_t i
    cdef int outcome
    for i in range(formula.asked.size()):
        outcome = enter(machine, formula.asked[i].scope)
        if outcome == UNDECIDED:
            return UNDECIDED
        machine.registers[formula.asked[i].target] = boolean_word(outcome == STOP)
    return GO_ON


cdef inline int holds(Machine* machine, const Formula* formula) noexcept nogil:
    """TRUE, FALSE, ERROR or UNKNOWN."""
    if formula.asked.size() and ask(machine, formula) == UNDECIDED:
        return UNKNOWN
    return judge(formula, machine.registers.data(), machine.event.now, machine.store)


cdef inline bint admit(const Step* step, int32_t repeats, word_t* registers, const word_t* known, word_t subject,
                       word_t predicate, word_t object) noexcept nogil:
    """Whether a triple with that predicate fits what is `known` (0: unbound); unbound registers get its words."""
    if known[0] != UNBOUND:
        if subject != known[0]:
            return False
    elif repeats & SUBJECT_IS_PREDICATE and subject != predicate:
        return False
    if known[2] != UNBOUND:
        if object != known[2]:
            return False
    elif (repeats & OBJECT_IS_SUBJECT and object != subject) or (repeats & OBJECT_IS_PREDICATE and object != predicate):
        return False
    registers[step.subject] = subject
    registers[step.predicate] = predicate
    registers[step.object] = object
    return True


cdef int match(Machine* machine, const Step* step) noexcept nogil:
    """Go on with every triple that fits."""
    cdef word_t* registers = machine.registers.data()
    cdef const EventTriples* event = machine.event
    cdef word_t known[3]
    cdef int outcome
    known[0] = registers[step.subject]
    known[1] = registers[step.predicate]
    known[2] = registers[step.object]
    if event.size > LARGE and (known[0] | known[1] | known[2]) != UNBOUND:
        outcome = match_view(machine, step, known)
    else:
        outcome = match_all(machine, step, known)
    registers[step.subject] = known[0]
    registers[step.predicate] = known[1]
    registers[step.object] = known[2]
    return outcome


cdef inline int match_all(Machine* machine, const Step* step, const word_t* known) noexcept nogil:
    """As `match`, one triple after the other."""
    cdef const word_t* subjects = machine.event.subjects
    cdef const word_t* predicates = machine.event.predicates
    cdef const word_t* objects = machine.event.objects
    cdef word_t* registers = machine.registers.data()
    cdef size_t i, size = machine.event.size
    cdef word_t predicate = known[1]
    cdef int outcome
    for i in range(size):
        if predicates[i] != predicate and predicate != UNBOUND:
            continue
        if admit(step, step.repeats, registers, known, subjects[i], predicates[i], objects[i]):
            outcome = run(machine, step.next)
            if outcome != GO_ON:
                return outcome
    return GO_ON


cdef int match_view(Machine* machine, const Step* step, const word_t* known) noexcept nogil:
    """As `match`, for a large event of which something is known."""
    cdef int order = best_order(known[0], known[1], known[2])
    cdef EventTriples* event = machine.event
    cdef View* view = view_of(event, order)
    cdef word_t key[3]
    cdef size_t i, at, end
    cdef int outcome
    arrange(order, known[0], known[1], known[2], key)
    end = search(view, key, 1)
    for at in range(search(view, key, 0), end):
        i = view.entries[at].second.second
        if admit(step, step.repeats, machine.registers.data(), known, event.subjects[i], event.predicates[i], event.objects[i]):
            outcome = run(machine, step.next)
            if outcome != GO_ON:
                return outcome
    return GO_ON


cdef int assign(Machine* machine, const Step* step) noexcept nogil:
    cdef const Formula* formula = &machine.formulas[step.number]
    cdef word_t word = UNBOUND
    cdef int outcome
    invariant(machine.registers[step.target] == UNBOUND)
    if formula.asked.size() and ask(machine, formula) == UNDECIDED:
        return UNDECIDED
    if compute(formula.code, machine.registers.data(), machine.event.now, machine.store, &word) == UNKNOWN:
        return UNDECIDED
    machine.registers[step.target] = word
    outcome = run(machine, step.next)
    machine.registers[step.target] = UNBOUND
    return outcome


cdef int unite(Machine* machine, const Step* step) noexcept nogil:
    cdef const vector[int32_t]* starts = &machine.branches[step.number]
    cdef size_t i
    cdef int outcome
    for i in range(starts.size()):
        outcome = run(machine, starts.at(i))
        if outcome != GO_ON:
            return outcome
    return GO_ON


cdef int attempt(Machine* machine, const Step* step) noexcept nogil:
    cdef int outcome
    machine.reached[step.number] = False
    outcome = run(machine, step.start)
    if outcome != GO_ON or machine.reached[step.number]:
        return outcome
    return run(machine, step.next)


cdef inline bint merge(TableSpec* table, const word_t* row, word_t* registers) noexcept nogil:
    """Put a table's row next to the saved registers, if they agree."""
    cdef size_t i
    for i in range(table.width):
        if row[i] != UNBOUND and table.saved[i] != UNBOUND and row[i] != table.saved[i]:
            return False
    for i in range(table.width):
        registers[table.registers[i]] = table.saved[i] if row[i] == UNBOUND else row[i]
    return True


cdef void save(TableSpec* table, const word_t* registers) noexcept nogil:
    cdef size_t i
    for i in range(table.width):
        table.saved[i] = registers[table.registers[i]]


cdef void restore(TableSpec* table, word_t* registers) noexcept nogil:
    cdef size_t i
    for i in range(table.width):
        registers[table.registers[i]] = table.saved[i]


cdef int join(Machine* machine, const Step* step) noexcept nogil:
    """Go on with every row of a table that agrees with this one."""
    cdef TableSpec* table = &machine.tables[step.number]
    cdef word_t* registers = machine.registers.data()
    cdef size_t bounds[4]
    cdef size_t half, i
    cdef int outcome = GO_ON
    save(table, registers)
    candidates(table, table.saved[0] if table.width else UNBOUND, bounds)
    for half in range(2):
        i = bounds[2 * half]
        while i < bounds[2 * half + 1] and outcome == GO_ON:
            if merge(table, table.rows.data() + i * table.width, registers):
                outcome = run(machine, step.next)
            i += 1
    restore(table, registers)
    return outcome


cdef inline bint overlaps(const TableSpec* table, const word_t* row) noexcept nogil:
    """Whether a table's row agrees with the saved registers and has a variable in common with them."""
    cdef bint common = False
    cdef size_t i
    for i in range(table.width):
        if row[i] != UNBOUND and table.saved[i] != UNBOUND:
            if row[i] != table.saved[i]:
                return False
            common = True
    return common


cdef bint is_excluded(Machine* machine, const Step* step) noexcept nogil:
    cdef TableSpec* table = &machine.tables[step.number]
    cdef size_t bounds[4]
    cdef size_t half, i
    save(table, machine.registers.data())
    candidates(table, table.saved[0] if table.width else UNBOUND, bounds)
    for half in range(2):
        for i in range(bounds[2 * half], bounds[2 * half + 1]):
            if overlaps(table, table.rows.data() + i * table.width):
                return True
    return False


cdef inline int emit(Machine* machine) noexcept nogil:
    """Put the row out; a pattern without columns needs only one."""
    cdef size_t i
    for i in range(machine.output.size()):
        machine.out.rows.push_back(machine.registers[machine.output[i]])
    machine.out.found += 1
    return GO_ON if machine.output.size() else STOP


cdef int collect(Machine* machine, const Step* step) noexcept nogil:
    cdef TableSpec* table = &machine.tables[step.number]
    cdef size_t i
    for i in range(table.width):
        table.rows.push_back(machine.registers[table.registers[i]])
    table.count += 1
    return GO_ON if table.width else STOP


cdef int run(Machine* machine, int32_t at) noexcept nogil:
    """Hand the row to a step."""
    cdef const Step* step
    cdef int kind, verdict
    while True:
        step = &machine.steps[at]
        kind = step.kind
        if kind == MATCH:
            return match(machine, step)
        if kind == EMIT:
            return emit(machine)
        if kind == TEST:
            verdict = holds(machine, &machine.formulas[step.number])
            if verdict != TRUE:
                return UNDECIDED if verdict == UNKNOWN else GO_ON
        elif kind == SUCCESS:
            machine.reached[step.number] = True
        elif kind == EXCLUDE:
            if is_excluded(machine, step):
                return GO_ON
        elif kind == ASSIGN:
            return assign(machine, step)
        elif kind == ATTEMPT:
            return attempt(machine, step)
        elif kind == ALTERNATIVES:
            return unite(machine, step)
        elif kind == JOIN:
            return join(machine, step)
        elif kind == COLLECT:
            return collect(machine, step)
        else:
            invariant(kind == FOUND)
            return STOP
        at = step.next


cdef int enter(Machine* machine, int32_t number) noexcept nogil:
    """Run a pattern or the inside of an EXISTS: STOP means found."""
    cdef const ScopeSpec* scope = &machine.scopes[number]
    cdef TableSpec* table
    cdef size_t i
    for i in range(scope.tables.size()):
        table = &machine.tables[scope.tables[i]]
        table.rows.clear()
        table.count = 0
        if run(machine, scope.starts[i]) == UNDECIDED:
            return UNDECIDED
        table.count = sort_rows(&table.rows, 0, table.count, table.width, &table.buffer)
    return run(machine, scope.start)


cdef void run_members(Machine* machine, const int64_t* times) noexcept nogil:
    cdef size_t i
    for i in range(machine.members.size()):
        run_member(machine, &machine.members[i], times)


cdef void run_member(Machine* machine, MemberSpec* member, const int64_t* times) noexcept nogil:
    """The rows of one pattern from those that it shares with others."""
    cdef const RowsOut* shared = &machine.out
    cdef const word_t* row = shared.rows.data()
    cdef size_t i = 0, count = shared.row_event.size()
    cdef uint32_t number
    cdef int outcome
    while i < count:
        number = shared.row_event[i]
        outcome = GO_ON
        while i < count and shared.row_event[i] == number:
            if outcome == GO_ON:
                outcome = pass_row(member, row, times[number], machine.store)
            row += shared.width
            i += 1
        if outcome == UNDECIDED or member.out.found:
            close_event(&member.out, number, outcome)


cdef inline int pass_row(MemberSpec* member, const word_t* row, int64_t now, TermStore* store) noexcept nogil:
    """Put a row out if it passes all tests: GO_ON or UNDECIDED."""
    cdef size_t i
    cdef int verdict
    for i in range(member.tests.size()):
        verdict = judge(&member.tests[i], row, now, store)
        if verdict != TRUE:
            return UNDECIDED if verdict == UNKNOWN else GO_ON
    for i in range(member.positions.size()):
        member.out.rows.push_back(UNBOUND if member.positions[i] < 0 else row[member.positions[i]])
    member.out.found += 1
    return GO_ON
