# White space, comments, and stopping.


cdef bint stop(Translation* t, int outcome) noexcept nogil:
    """Stop here."""
    t.outcome = outcome
    return False


cdef bint give_up(Translation* t) noexcept nogil:
    """Stop at a token that is none, unless it may become one with the rest of its line."""
    return stop(t, CUT_OFF if memchr(t.at, c'\n', t.end - t.at) == NULL else UNSURE)


cdef inline bint advance(Translation* t, const uint8_t* behind) noexcept nogil:
    """Go behind a token; one that the text ends with may go on."""
    if behind == NULL or behind >= t.end:
        return give_up(t)
    t.at = behind
    return True


cdef bint skip_comment(Translation* t) noexcept nogil:
    """Go to the end of a comment, unless it delimits messages."""
    cdef const uint8_t* stop_at = t.at
    while stop_at < t.end and stop_at[0] != c'\n' and stop_at[0] != c'\r':
        stop_at += 1
    if stop_at == t.end:
        return stop(t, CUT_OFF)
    if t.comments and is_delimiting_comment(t.at, stop_at):
        return stop(t, UNSURE)
    t.at = stop_at
    return True


cdef bint skip(Translation* t) noexcept nogil:
    """Go to the next token; False if there is none."""
    while t.at < t.end:
        if t.at[0] == c' ' or t.at[0] == c'\n' or t.at[0] == c'\t' or t.at[0] == c'\r':
            t.at += 1
        elif t.at[0] != c'#':
            return True
        elif not skip_comment(t):
            return False
    return stop(t, CUT_OFF)


cdef bint expect(Translation* t, uint8_t character) noexcept nogil:
    """Go behind this character, which comes next."""
    if not skip(t):
        return False
    if t.at[0] != character:
        return give_up(t)
    t.at += 1
    return True
