# Which triples are wanted, by the summary graph of all registered patterns.


cdef bint add_use(Demand* demand, word_t predicate, Use use):
    """Demand more; False if it was contained in what is demanded already."""
    cdef vector[Use]* uses = &demand.any_predicate
    cdef size_t i
    if predicate:
        uses = &demand.by_predicate.safe_at(predicate)
    for i in range(uses.size()):
        if (uses.data()[i].subject in (UNBOUND, use.subject)) and (uses.data()[i].object in (UNBOUND, use.object)):
            return False
    uses.safe_push_back(use)
    if predicate == UNBOUND and use.subject == UNBOUND and use.object == UNBOUND:
        demand.everything = True
    return True


cdef void clear_demand(Demand* demand) noexcept:
    """Nothing is wanted."""
    demand.everything = demand.subjects = False
    demand.by_predicate.clear()
    demand.any_predicate.clear()


cdef bint is_open_use(const vector[Use]* uses) noexcept nogil:
    """Whether some constraint fits every triple."""
    cdef size_t i
    for i in range(uses.size()):
        if uses.data()[i].subject == UNBOUND and uses.data()[i].object == UNBOUND:
            return True
    return False


cdef const vector[Use]* uses_of(const Demand* demand, word_t predicate) noexcept nogil:
    """The constraints of a predicate, or NULL."""
    if predicate == UNBOUND or not demand.by_predicate.count(predicate):
        return NULL
    return &(<Demand*>demand).by_predicate[predicate]


cdef bint is_time_property(Assembly* a, const uint8_t* text, size_t size) noexcept nogil:
    """Whether an IRI is one of those that tell times, also where it is written with escapes."""
    cdef string name, plain
    cdef size_t i
    if memchr(text, c'\\', size) == NULL:
        plain.assign(<const char*>text, size)
    else:
        name_of(a, text, size, &name)
        plain = shown_name(&name)
    for i in range(a.time_properties.size()):
        if a.time_properties[i] == plain:
            return True
    return False


cdef void look_up(Assembly* a, const uint8_t* text, size_t size, PredicateFacts* facts) noexcept nogil:
    """What the demand says about a predicate; its word is valid until terms are forgotten (`forget_words`)."""
    cdef const vector[Use]* uses
    facts.version = a.demand.version + 1
    facts.is_time = is_time_property(a, text, size)
    facts.word = find_term(a.store, text, <uint32_t>size, NULL, 0)
    uses = uses_of(a.demand, facts.word)
    facts.wanted = uses != NULL or not a.demand.any_predicate.empty()
    facts.always = a.demand.everything or (uses != NULL and is_open_use(uses))
    if facts.wanted:
        facts.word = encode_term(a.store, text, <uint32_t>size, NULL, 0)


cdef PredicateFacts* facts_of(Assembly* a, const Statement* st) noexcept nogil:
    """The facts of the statement's predicate, which are looked up when the demand has changed."""
    cdef PredicateFacts none
    cdef PredicateFacts* facts = &a.unnumbered
    if st.number >= 0:
        if <size_t>st.number >= a.facts.size():
            none.version = 0
            none.word = UNBOUND
            none.is_time = none.wanted = none.always = False
            a.facts.resize(st.number + 64, none)
        facts = &a.facts.data()[st.number]
    if st.number < 0 or facts.version != a.demand.version + 1:
        look_up(a, st.predicate, st.predicate_size, facts)
    return facts


cdef bint is_constant(Assembly* a, word_t constant, const uint8_t* text, size_t size) noexcept nogil:
    """Whether a term may be this constant of a pattern, or there is none; nothing is added to the dictionary."""
    cdef word_t word
    if constant == UNBOUND:
        return True
    word = find_term(a.store, text, <uint32_t>size, NULL, 0)
    return word == constant or word == UNDECIDED


cdef bint any_fits(Assembly* a, const vector[Use]* uses, const Statement* st) noexcept nogil:
    cdef const Use* use
    cdef size_t i
    if uses != NULL:
        for i in range(uses.size()):
            use = &uses.data()[i]
            if is_constant(a, use.subject, st.subject, st.subject_size):
                if is_constant(a, use.object, st.object, st.object_size):
                    return True
    return False


cdef bint is_wanted(Assembly* a, const Statement* st, const PredicateFacts* facts) noexcept nogil:
    """Whether the statement's triple fits the demand."""
    if facts.always:
        return True
    return any_fits(a, uses_of(a.demand, facts.word), st) or any_fits(a, &a.demand.any_predicate, st)


cdef bint is_told(Assembly* a, const PredicateFacts* facts) noexcept nogil:
    """Whether a pattern that reads texts looks at triples with this predicate."""
    return a.texts.everything or facts.word != UNBOUND and a.texts.by_predicate.count(facts.word)
