# Literals.

cdef const char* XSD = b"\"^^<http://www.w3.org/2001/XMLSchema#"


cdef void put_typed(Translation* t, const uint8_t* form, size_t size, const char* datatype) noexcept nogil:
    t.out.push_back(c'"')
    put(&t.out, form, size)
    put(&t.out, XSD, 37)
    while datatype[0]:
        t.out.push_back(datatype[0])
        datatype += 1
    t.out.push_back(c'>')


cdef bint read_number(Translation* t) noexcept nogil:
    cdef const uint8_t* form = t.at
    cdef const uint8_t* whole = form + (form[0] == c'+' or form[0] == c'-')
    cdef const uint8_t* at = over(whole, DIGIT)
    cdef bint digits = at > whole
    cdef const char* datatype = b"integer"
    if at[0] == c'.' and is_kind(at[1], DIGIT):
        at = over(at + 1, DIGIT)
        datatype = b"decimal"
        digits = True
    elif at[0] == c'.' and (at + 1 >= t.end or at[1] | 32 == c'e'):
        return give_up(t)
    if digits and at[0] | 32 == c'e':
        at += 1 + (at[1] == c'+' or at[1] == c'-')
        digits = is_kind(at[0], DIGIT)
        at = over(at, DIGIT)
        datatype = b"double"
    if not digits or not advance(t, at):
        return give_up(t)
    put_typed(t, form, at - form, datatype)
    return True


cdef bint read_boolean(Translation* t) noexcept nogil:
    """`true`, `false`, or else a name."""
    cdef const uint8_t* form = t.at
    cdef const uint8_t* behind = over_word(form)
    if behind[0] == c':':
        return read_name(t, &t.out)
    if behind >= t.end:
        return give_up(t)
    behind = without_points(form, behind)
    if not (behind - form == 4 and memcmp(form, b"true", 4) == 0):
        if not (behind - form == 5 and memcmp(form, b"false", 5) == 0):
            return give_up(t)
    t.at = behind
    put_typed(t, form, behind - form, b"boolean")
    return True


cdef bint is_long(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Whether three quotes of a kind come next."""
    return end - at >= 3 and at[1] == at[0] and at[2] == at[0]


cdef bint read_text(Translation* t) noexcept nogil:
    """A string between quotes of any kind, as one between double quotes."""
    cdef const uint8_t* start = t.at
    if t.end - start < 3:
        return stop(t, CUT_OFF)
    if is_long(start, t.end):
        t.at += 3
        return copy_text(t, start[0], t.end, 3)
    if start[0] == c'"':
        if not advance(t, read_string(start + 1, end_of_line(start, t.end))):
            return False
        put(&t.out, start, t.at - start)
        return True
    t.at += 1
    return copy_text(t, start[0], end_of_line(start, t.end), 1)


cdef bint copy_text(Translation* t, uint8_t quote, const uint8_t* end, int quotes) noexcept nogil:
    """Text up to so many quotes; what a line cannot have becomes an escape."""
    cdef const uint8_t* next
    cdef uint32_t code = 0
    t.out.push_back(c'"')
    while t.at < end:
        if t.at[0] == quote and (quotes == 1 or is_long(t.at, end)):
            t.out.push_back(c'"')
            return advance(t, t.at + quotes)
        next = read_escape(t.at, end, &code) if t.at[0] == c'\\' else read_code_point(t.at, end, &code)
        if next == NULL or quotes == 1 and t.at[0] == c'\r':
            return give_up(t)
        put_character(t, next)
        t.at = next
    return stop(t, CUT_OFF if end == t.end else UNSURE)


cdef void put_character(Translation* t, const uint8_t* behind) noexcept nogil:
    if t.at[0] == c'"':
        put(&t.out, b"\\\"", 2)
    elif t.at[0] == c'\n':
        put(&t.out, b"\\n", 2)
    elif t.at[0] == c'\r':
        put(&t.out, b"\\r", 2)
    else:
        put(&t.out, t.at, behind - t.at)


cdef bint read_literal(Translation* t) noexcept nogil:
    """A string with what follows it."""
    cdef const uint8_t* start
    cdef size_t datatype
    if not read_text(t):
        return False
    start = t.at
    if start[0] == c'@':
        if not advance(t, read_language(start + 1, end_of_line(start, t.end))):
            return False
        put(&t.out, start, t.at - start)
    elif start[0] == c'^':
        if t.end - start < 3 or start[1] != c'^':
            return give_up(t)
        t.at += 2
        put(&t.out, b"^^", 2)
        datatype = t.out.size()
        if t.at[0] == c'_' or not read_node(t, &t.out):
            return give_up(t)
        t.out.push_back(c'\n')
        start = t.out.data()
        if read_datatype(start + datatype, start + t.out.size() - 1, &t.memory) == NULL:
            return stop(t, UNSURE)
        t.out.pop_back()
    return True
