# Totals as a semiring: paths side by side are added, paths one after the other multiplied.


cdef void resize_totals(const Aggregation* a, Totals* totals, size_t size) noexcept nogil:
    """Room for so many, whatever is in them."""
    totals.size = size
    totals.counts.resize(size)
    totals.wides.resize(size * a.wides)
    totals.reals.resize(size * a.reals)


cdef inline Span span(Totals* totals, size_t first) noexcept nogil:
    cdef Span out
    invariant(first <= totals.size)
    out.counts = totals.counts.data() + first
    out.wides = totals.wides.data() + first
    out.reals = totals.reals.data() + first
    out.stride = totals.size
    return out


cdef inline wide no_value(const Aggregation* a, size_t quantity) noexcept nogil:
    """What changes nothing."""
    return NOTHING_LEAST if a.is_least.data()[quantity] else <wide>0


cdef inline void clear(const Aggregation* a, const Span* out, size_t count) noexcept nogil:
    """No paths."""
    cdef size_t i, q
    for i in range(count):
        out.counts[i] = 0
    for q in range(a.wides):
        for i in range(count):
            out.wides[q * out.stride + i] = no_value(a, q)
    for q in range(a.reals):
        for i in range(count):
            out.reals[q * out.stride + i] = 0.0


cdef inline void set_empty_path(const Aggregation* a, const Span* out, size_t at) noexcept nogil:
    """One path without events; it was cleared."""
    out.counts[at] = 1
    if a.counts_on:
        out.wides[at] = 1
    if a.reals:
        out.reals[at] = 1.0


cdef inline void copy(const Aggregation* a, const Span* out, const Span* from_, size_t count) noexcept nogil:
    """The totals of `from_`."""
    cdef size_t i, q
    for i in range(count):
        out.counts[i] = from_.counts[i]
    for q in range(a.wides):
        for i in range(count):
            out.wides[q * out.stride + i] = from_.wides[q * from_.stride + i]
    for q in range(a.reals):
        for i in range(count):
            out.reals[q * out.stride + i] = from_.reals[q * from_.stride + i]


cdef inline Span part(const Span* whole, size_t first) noexcept nogil:
    cdef Span out = whole[0]
    out.counts += first
    out.wides += first
    out.reals += first
    return out


cdef inline void add(const Aggregation* a, const Span* out, const Span* more, size_t count) noexcept nogil:
    """Each of `out` and that of `more` in the same place."""
    cdef size_t i, q, at, other
    for i in range(count):
        out.counts[i] = add_counts(out.counts[i], more.counts[i])
    for q in range(a.wides):
        for i in range(count):
            at, other = q * out.stride + i, q * more.stride + i
            if a.is_least.data()[q]:
                out.wides[at] = lesser(out.wides[at], more.wides[other])
            else:
                out.wides[at] = add_wide(out.wides[at], more.wides[other])
    for q in range(a.reals):
        for i in range(count):
            out.reals[q * out.stride + i] += more.reals[q * more.stride + i]


cdef inline wide number_of(const Aggregation* a, const Span* totals, size_t at) noexcept nogil:
    """How many paths there are, as exactly as is known."""
    return totals.wides[at] if a.counts_on else widened(totals.counts[at])


cdef void append_event(
    const Aggregation* a, const Span* out, size_t count, uint32_t state, const wide* wides, const double* reals
) noexcept nogil:
    """Each path with an event more, which entered the state."""
    cdef size_t i, q
    cdef wide* line
    cdef double* reals_line
    for q in range(a.wides):
        if not a.holds_wide.data()[state * a.wides + q] or wides[q] == no_value(a, q):
            continue
        line = out.wides + q * out.stride
        for i in range(count):
            if a.is_least.data()[q]:
                if out.counts[i]:
                    line[i] = lesser(line[i], wides[q])
            else:
                line[i] = add_wide(line[i], multiply_wide(number_of(a, out, i), wides[q]))
    for q in range(1, a.reals):
        if not a.holds_real.data()[state * a.reals + q] or reals[q] == 0.0:
            continue
        reals_line = out.reals + q * out.stride
        for i in range(count):
            if out.reals[i] != 0.0:
                reals_line[i] += out.reals[i] * reals[q]


cdef inline void add_product(const Aggregation* a, const Span* out, const Span* left, const Span* right) noexcept nogil:
    """Each path of `left` with each one of `right` behind it: of all three the first total."""
    cdef size_t q
    cdef wide* sum
    cdef wide one, other, ones = 0, others = 0
    if left.counts[0] == 0 or right.counts[0] == 0:
        return
    out.counts[0] = add_counts(out.counts[0], multiply_counts(left.counts[0], right.counts[0]))
    if a.wides:
        ones, others = number_of(a, left, 0), number_of(a, right, 0)
    if a.counts_on:
        out.wides[0] = add_wide(out.wides[0], multiply_wide(ones, others))
    for q in range(a.counts_on, a.wides):
        sum = out.wides + q * out.stride
        one, other = left.wides[q * left.stride], right.wides[q * right.stride]
        if a.is_least.data()[q]:
            sum[0] = lesser(sum[0], lesser(one, other))
        else:
            one = add_wide(multiply_wide(others, one), multiply_wide(ones, other))
            sum[0] = add_wide(sum[0], one)
    if a.reals:
        out.reals[0] += left.reals[0] * right.reals[0]
    for q in range(1, a.reals):
        out.reals[q * out.stride] += (
            left.reals[q * left.stride] * right.reals[0] + left.reals[0] * right.reals[q * right.stride]
        )
