# Stairs: the youngest group of a list whose register is below a bound, without a look at the others.


cdef inline size_t stairs_below(const int64_t* field, size_t first, size_t end, int64_t bound) noexcept nogil:
    """The first step from `first` to `end` that is not below a bound, looked for from the end, where it mostly is.

    ``field`` is the value of step 0, or its youngest start: both rise."""
    cdef size_t begin = end
    cdef size_t stride = 1
    cdef size_t left, half
    while begin > first and field[2 * (begin - 1)] >= bound:
        end = begin - 1
        begin = end - stride if end - first > stride else first
        stride *= 2
    left = end - begin
    while left:             # without branches that depend on what the steps have
        half = (left + 1) // 2
        begin += half if field[2 * (begin + half - 1)] < bound else 0
        left -= half
    return begin


cdef inline void add_step(Stairs* stairs, int64_t value, int64_t youngest) noexcept nogil:
    """Know a group, if no younger one has a smaller register, and forget those that it makes needless."""
    cdef size_t end = stairs.steps.size()
    cdef size_t begin
    cdef Stair step
    if end > stairs.first and stairs.steps.data()[end - 1].youngest > youngest:
        end = stairs_below(&stairs.steps.data()[0].youngest, stairs.first, end, youngest + 1)
        if stairs.steps.data()[end].value <= value:
            return
    if value == NO_VALUE:
        return
    begin = end
    while begin > stairs.first and stairs.steps.data()[begin - 1].value >= value:
        begin -= 1
    step.value = value
    step.youngest = youngest
    if end < stairs.steps.size():
        put_step(stairs, begin, end, step)
        return
    if begin < end:
        stairs.steps.resize(begin)
    stairs.steps.push_back(step)


cdef void put_step(Stairs* stairs, size_t begin, size_t end, Stair step) noexcept nogil:
    """One instead of those from `begin` to `end`, before others."""
    if begin == end:
        stairs.steps.insert(stairs.steps.begin() + <ptrdiff_t>end, step)
        return
    stairs.steps.data()[begin] = step
    stairs.steps.erase(stairs.steps.begin() + <ptrdiff_t>(begin + 1), stairs.steps.begin() + <ptrdiff_t>end)


cdef inline void drop_steps(Stairs* stairs, int64_t least) noexcept nogil:
    """Forget those that started before `least`."""
    while stairs.first < stairs.steps.size() and stairs.steps.data()[stairs.first].youngest < least:
        stairs.first += 1
    if stairs.first >= LEAST_TO_ERASE and stairs.first * 2 > stairs.steps.size():
        stairs.steps.erase(stairs.steps.begin(), stairs.steps.begin() + <ptrdiff_t>stairs.first)
        stairs.first = 0


cdef inline int64_t youngest_below(const Stairs* stairs, int64_t bound, int64_t least) noexcept nogil:
    """The youngest start of the groups below a bound; NEVER: there are none that started at `least` or later."""
    cdef size_t end = stairs.first
    if end < stairs.steps.size():
        end = stairs_below(&stairs.steps.data()[0].value, end, stairs.steps.size(), bound)
    if end == stairs.first or stairs.steps.data()[end - 1].youngest < least:
        return NEVER
    return stairs.steps.data()[end - 1].youngest
