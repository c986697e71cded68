# Totals as a semiring: partial matches side by side are added, those one after the other multiplied.

cdef extern from *:
    """
    static const spaseq_int128 NO_LEAST = (spaseq_int128)((~(unsigned __int128)0) >> 1);
    """
    const wide NO_LEAST


cdef void resize_table(const Totalling* a, Table* table, size_t size) noexcept nogil:
    """Room for so many totals, new ones of nothing."""
    table.numbers.resize(size * a.numbers)
    table.leasts.resize(size * a.leasts, NO_LEAST)


cdef inline Total total_at(const Totalling* a, Table* table, size_t at) noexcept nogil:
    cdef Total total
    invariant((at + 1) * a.numbers <= table.numbers.size())
    total.numbers = table.numbers.data() + at * a.numbers
    total.leasts = table.leasts.data() + at * a.leasts
    return total


cdef inline bint is_nothing(const Total* total) noexcept nogil:
    return total.numbers[0].is_zero()


cdef void clear_total(const Totalling* a, Total* out) noexcept nogil:
    """Of nothing."""
    cdef size_t i
    for i in range(a.numbers):
        out.numbers[i].clear()
    for i in range(a.leasts):
        out.leasts[i] = NO_LEAST


cdef void set_unit(const Totalling* a, Total* out) noexcept nogil:
    """Of one partial match without events."""
    clear_total(a, out)
    out.numbers[0].set(1)


cdef void copy_total(const Totalling* a, Total* out, const Total* one) noexcept nogil:
    cdef size_t i
    for i in range(a.numbers):
        out.numbers[i] = one.numbers[i]
    for i in range(a.leasts):
        out.leasts[i] = one.leasts[i]


cdef void add_total(const Totalling* a, Total* out, const Total* more) noexcept nogil:
    cdef size_t i
    for i in range(a.numbers):
        out.numbers[i].add(more.numbers[i])
    for i in range(a.leasts):
        out.leasts[i] = min(out.leasts[i], more.leasts[i])


cdef void add_product(const Totalling* a, Total* out, const Total* left, const Total* right) noexcept nogil:
    """Each of `left` with each one of `right` behind it; `out` is neither of them."""
    cdef size_t i
    if is_nothing(left) or is_nothing(right):
        return
    out.numbers[0].add_product(left.numbers[0], right.numbers[0])
    for i in range(1, a.numbers):
        out.numbers[i].add_product(left.numbers[i], right.numbers[0])
        out.numbers[i].add_product(left.numbers[0], right.numbers[i])
    for i in range(a.leasts):
        out.leasts[i] = min(out.leasts[i], min(left.leasts[i], right.leasts[i]))


cdef void weigh(const Totalling* a, Total* out, const wide* values, bint is_first) noexcept nogil:
    """The total of one event with these values."""
    cdef size_t i
    cdef const QuantitySpec* quantity = a.quantities.data()
    out.numbers[0].set(1)
    for i in range(1, a.numbers):
        if is_first or not quantity.first_only:
            out.numbers[i].set(<unsigned_wide>values[i - 1])
        else:
            out.numbers[i].clear()
        quantity += 1
    for i in range(a.leasts):
        out.leasts[i] = values[a.numbers - 1 + i] if is_first or not quantity.first_only else NO_LEAST
        quantity += 1


cdef bint weigh_joint(
    Totalling* a, const Joint* joint, const vector[Entry]* entries, size_t first, size_t end, const vector[wide]* values,
    bint is_first
) noexcept nogil:
    """weight[3]: that of all choices of one entry for each atom; whether there are any."""
    cdef Total one = total_at(a, &a.weight, 0)
    cdef Total all_ = total_at(a, &a.weight, 1)
    cdef Total product = total_at(a, &a.weight, 2)
    cdef Total out = total_at(a, &a.weight, 3)
    cdef size_t width = a.quantities.size()
    cdef size_t part, i
    set_unit(a, &out)
    for part in range(joint.atoms.size()):
        clear_total(a, &all_)
        for i in range(first, end):
            if entries.at(i).atom == joint.atoms.at(part):
                weigh(a, &one, values.data() + i * width, is_first and part == 0)
                add_total(a, &all_, &one)
        clear_total(a, &product)
        add_product(a, &product, &out, &all_)
        copy_total(a, &out, &product)
    return not is_nothing(&out)
