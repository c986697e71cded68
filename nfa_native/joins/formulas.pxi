# Joins, filters and values.  Registers: the cell side's columns, the event row's columns, and one that is never bound.


cdef inline bint compatible(const StepSpec* step, const word_t* cell, const word_t* row) noexcept nogil:
    """The cell's row and the event's row agree where both have a value."""
    cdef const Join* joins = step.joins.data()
    cdef word_t a, b
    cdef size_t i
    for i in range(step.joins.size()):
        a = cell[joins[i].cell]
        b = row[joins[i].row]
        if a != b and a != UNBOUND and b != UNBOUND:
            return False
    return True


cdef inline void load_registers(
    Scratch* scratch, const word_t* cell, uint32_t cell_width, const word_t* row, uint32_t row_width
) noexcept nogil:
    cdef word_t* registers = scratch.registers.data()
    cdef uint32_t i
    for i in range(cell_width):       # a few words: a call of memcpy would cost more
        registers[i] = cell[i]
    registers += cell_width
    for i in range(row_width):
        registers[i] = row[i]
    registers[row_width] = UNBOUND


cdef inline bint is_exact(word_t word) noexcept nogil:
    return tag_of(word) == TAG_DECIMAL or tag_of(word) == TAG_INTEGER


cdef inline uint32_t scale_of(word_t word) noexcept nogil:
    """The digits behind the point of an inline integer or decimal."""
    return 0 if tag_of(word) == TAG_INTEGER else <uint32_t>(word >> 4) & 31


cdef inline int128 unscaled(word_t word) noexcept nogil:
    """An inline integer or decimal in units of its last digit."""
    return <int64_t>word >> (4 if tag_of(word) == TAG_INTEGER else 9)


cdef inline int64_t double_order(word_t word) noexcept nogil:
    """Inline doubles are ordered as these numbers are; both zeros are 0."""
    cdef int64_t magnitude = <int64_t>(word << 1 >> 5)
    return -magnitude if word >> 63 else magnitude


cdef inline int is_less(word_t a, word_t b) noexcept nogil:
    """Whether a < b for inline exact numbers, doubles, or dateTimes of one zone: 1, 0, or 2 if they are none of these.

    Words of one tag (and scale or zone) are ordered as their values are: the value stands in the upper bits.
    """
    if (a ^ b) & (0x1FF if tag_of(a) == TAG_DECIMAL else 0xF) == 0 and is_exact(a):
        return <int64_t>a < <int64_t>b
    return is_any_less(a, b)


cdef int is_any_less(word_t a, word_t b) noexcept nogil:
    """`is_less` for all words: numbers of one scale, which are frequent, need not come here."""
    if is_exact(a) and is_exact(b):
        return is_exact_less(a, b)
    if tag_of(a) != tag_of(b):
        return 2
    if tag_of(a) == TAG_DOUBLE:
        return double_order(a) < double_order(b)
    if tag_of(a) == TAG_DATETIME and (a ^ b) & 0x1F == 0:
        return <int64_t>a < <int64_t>b
    return 2


cdef inline int is_exact_less(word_t a, word_t b) noexcept nogil:
    """Of integers and decimals: the one with fewer digits behind the point is brought to the other's scale."""
    cdef uint32_t mine = scale_of(a)
    cdef uint32_t yours = scale_of(b)
    if mine == yours:
        return unscaled(a) < unscaled(b)
    if mine < yours:
        return unscaled(a) * POWERS_OF_TEN[yours - mine] < unscaled(b)
    return unscaled(a) < unscaled(b) * POWERS_OF_TEN[mine - yours]


cdef int native_verdict(Kernel* k, const vector[uint32_t]* filters, int64_t now) noexcept nogil:
    """All filters on the loaded registers: 1 they hold, 0 one does not, 2 somebody else must be asked."""
    cdef const FormulaSpec* formula
    cdef size_t i
    cdef int verdict = 1
    cdef int one
    for i in range(filters.size()):
        formula = &k.program.formulas[filters.data()[i]]
        if formula.code == NULL:
            verdict = 2
            continue
        one = test(formula.code, k.scratch.registers.data(), now, k.store)
        if one == 2:
            verdict = 2
        elif one != 1:
            return 0
    return verdict


cdef bint all_hold(Kernel* k, const vector[uint32_t]* filters, uint32_t width, int64_t now) noexcept nogil:
    """All filters on the loaded registers, whoever decides them."""
    cdef int verdict = native_verdict(k, filters, now)
    cdef size_t i
    cdef int8_t answer = 0
    if verdict != 2:
        return verdict == 1
    for i in range(filters.size()):
        ask_filter(k, filters.at(i), k.scratch.registers.data(), 1, width, now, &answer)
        if answer != 1:
            return False
    return True


cdef void ask_filter(
    Kernel* k, uint32_t formula, const word_t* registers, size_t count, uint32_t width, int64_t now, int8_t* answers
) noexcept with gil:
    """Ask the formula's own evaluator about `count` rows of registers; an exception makes all answers 0 and is kept."""
    cdef Matcher owner = <Matcher>k.owner
    cdef size_t i
    try:
        table = np.empty((count, width), dtype=np.uint64)
        copy_out(table, registers)
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
        table = np.empty((1, width), dtype=np.uint64)
        copy_out(table, k.scratch.registers.data())
        return <word_t>owner._formulas[formula].ask(table, np.full(1, now, dtype=np.int64), owner.terms)[0]
    except BaseException as error:
        k.failed = True
        owner._failure = error
        return UNBOUND


cdef void copy_out(object table, const word_t* words):
    cdef uint64_t[:, ::1] view = table
    if view.shape[0] and view.shape[1]:
        memcpy(&view[0, 0], words, view.shape[0] * view.shape[1] * sizeof(word_t))


cdef word_t value_of(
    Kernel* k, const ValueSpec* value, const word_t* cell, uint32_t cell_width, const word_t* row, uint32_t row_width,
    int64_t now
) noexcept nogil:
    """One column of a target, of a whole match, or of a result."""
    cdef word_t out = UNBOUND
    if value.kind == ColumnSource.CELL:
        return cell[value.cell]
    if value.kind == ColumnSource.ROW:
        return row[value.row]
    if value.kind == ColumnSource.EITHER:
        return cell[value.cell] if cell[value.cell] != UNBOUND else row[value.row]
    if value.kind == ColumnSource.PROGRAM:
        load_registers(&k.scratch, cell, cell_width, row, row_width)
        if k.program.formulas[value.formula].code == NULL:
            return ask_value(k, value.formula, cell_width + row_width + 1, now)
        if compute(k.program.formulas[value.formula].code, k.scratch.registers.data(), now, k.store, &out) == 2:
            return ask_value(k, value.formula, cell_width + row_width + 1, now)
    return out


cdef inline word_t read_value(
    Kernel* k, const ValueSpec* value, const word_t* cell, uint32_t cell_width, const word_t* row, uint32_t row_width,
    int64_t now
) noexcept nogil:
    """As `value_of`, without a call where the value stands there."""
    if value.kind == ColumnSource.ROW or value.kind == ColumnSource.EITHER and cell[value.cell] == UNBOUND:
        return row[value.row]
    if value.kind == ColumnSource.CELL or value.kind == ColumnSource.EITHER:
        return cell[value.cell]
    return value_of(k, value, cell, cell_width, row, row_width, now)


cdef inline void values_of(
    Kernel* k, const vector[ValueSpec]* values, const word_t* cell, uint32_t cell_width, const word_t* row,
    uint32_t row_width, int64_t now, vector[word_t]* out
) noexcept nogil:
    """Append one row of values to `out`."""
    cdef const ValueSpec* value = values.data()
    cdef const ValueSpec* end = value + values.size()
    while value != end:
        out.push_back(read_value(k, value, cell, cell_width, row, row_width, now))
        value += 1


cdef inline uint32_t normalise(vector[word_t]* rows, size_t start, uint32_t width, uint32_t count) noexcept nogil:
    """Sort the `count` rows from word `start` on and drop duplicates, in place; how many are left."""
    if count <= 1:
        return count
    return sort_rows(rows, start, width, count)


cdef uint32_t sort_rows(vector[word_t]* rows, size_t start, uint32_t width, uint32_t count) noexcept nogil:
    cdef vector[vector[word_t]] table
    cdef vector[word_t] row
    cdef uint32_t kept = 0
    cdef uint32_t i
    if width == 0:
        return 1
    for i in range(count):
        row.assign(rows.data() + start + <size_t>i * width, rows.data() + start + <size_t>(i + 1) * width)
        table.push_back(row)
    sort(table.begin(), table.end())
    rows.resize(start)
    for i in range(count):
        if kept == 0 or table[i] != table[i - 1]:
            rows.insert(rows.end(), table[i].begin(), table[i].end())
            kept += 1
    return kept
