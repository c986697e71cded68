# Which machines an event can concern: those that need a triple which it has.

cdef enum:
    FEW_MACHINES = 4      # so many are always run: that costs less than to look them up

# A machine is found by the predicate of one triple pattern that every solution needs, and by its object if that is a
# constant, too.
cdef cppclass Routes:
    unordered_map[word_t, vector[uint32_t], NumberHash] by_key
    vector[uint32_t] always        # machines that any event concerns
    vector[uint64_t] runs          # by machine: the last run in which it was concerned
    uint64_t run                   # the number of this run
    vector[uint32_t] concerned     # machines, in this run


cdef inline word_t route_key(word_t predicate, word_t object) noexcept nogil:
    """A number for a triple's predicate and object, 0: any; equal ones of different triples do no harm."""
    return mix(predicate ^ mix(object)) if object else predicate


cdef int add_route(Routes* routes, object plan) except -1:
    """Enter the next machine, whose base has this plan, where the fewest are."""
    cdef uint32_t number = <uint32_t>routes.runs.size()
    cdef size_t fewest = <size_t>-1
    cdef word_t best = UNBOUND
    cdef word_t key
    constants = dict(plan.constants)
    routes.runs.safe_push_back(0)
    for step in plan.chain:
        if isinstance(step, plans.TripleScan) and step.predicate in constants:
            key = route_key(constants[step.predicate], constants.get(step.object, 0))
            if routes.by_key.safe_at(key).size() < fewest:
                fewest = routes.by_key.safe_at(key).size()
                best = key
    if best == UNBOUND:
        routes.always.safe_push_back(number)
    else:
        routes.by_key.safe_at(best).safe_push_back(number)
    return 0


cdef void find_concerned(Routes* routes, const EventTriples* event) noexcept nogil:
    """Set `concerned` to the machines that the event can concern, each once."""
    cdef uint32_t i
    cdef size_t t
    if routes.runs.size() <= FEW_MACHINES:
        if routes.concerned.size() < routes.runs.size():
            for i in range(<uint32_t>routes.runs.size()):
                routes.concerned.push_back(i)
        return
    routes.run += 1
    routes.concerned.assign(routes.always.begin(), routes.always.end())
    for t in range(event.size):
        add_concerned(routes, event.predicates[t])
        add_concerned(routes, route_key(event.predicates[t], event.objects[t]))


cdef void add_concerned(Routes* routes, word_t key) noexcept nogil:
    cdef unordered_map[word_t, vector[uint32_t], NumberHash].iterator found = routes.by_key.find(key)
    cdef uint32_t number
    if found == routes.by_key.end():
        return
    for number in dereference(found).second:
        if routes.runs[number] != routes.run:
            routes.runs[number] = routes.run
            routes.concerned.push_back(number)
