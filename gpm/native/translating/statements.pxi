# Statements: subjects, lists of predicates and objects, brackets.

cdef const char* RDF_TYPE = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
cdef const char* RDF_FIRST = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
cdef const char* RDF_REST = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"
cdef const char* RDF_NIL = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"


cdef void begin_line(Translation* t) noexcept nogil:
    put(&t.out, t.subject.data(), t.subject.size())
    t.out.push_back(c' ')
    put(&t.out, t.predicate.data(), t.predicate.size())
    t.out.push_back(c' ')


cdef void end_line(Translation* t) noexcept nogil:
    put(&t.out, t.graph.data(), t.graph.size())
    put(&t.out, b" .\n", 3)
    t.places.push_back(t.at - t.text)


cdef void put_line(Translation* t, const string& object_) noexcept nogil:
    begin_line(t)
    put(&t.out, object_.data(), object_.size())
    end_line(t)


cdef bint read_term(Translation* t) noexcept nogil:
    """An object without brackets."""
    cdef uint8_t byte = t.at[0]
    if byte == c'"' or byte == c"'":
        return read_literal(t)
    if is_kind(byte, DIGIT) or byte == c'+' or byte == c'-' or byte == c'.':
        return read_number(t)
    if byte == c't' or byte == c'f':
        return read_boolean(t)
    return read_node(t, &t.out)


cdef bint read_object(Translation* t) noexcept nogil:
    cdef string node
    cdef size_t size
    if not skip(t):
        return False
    if t.at[0] == c'[':
        node = new_node(t)
        put_line(t, node)
        return read_properties(t, node)
    if t.at[0] == c'(':
        return read_collection(t)
    begin_line(t)
    size = t.out.size()
    if not read_term(t) or t.out.size() - size > LONGEST_TERM and not stop(t, UNSURE):
        return False
    end_line(t)
    return t.out.size() - t.kept <= LONGEST_UNIT or stop(t, UNSURE)


cdef bint enter(Translation* t) noexcept nogil:
    """Go behind an opening bracket."""
    t.at += 1
    t.depth += 1
    return t.depth <= DEEPEST or stop(t, UNSURE)


cdef bint read_properties(Translation* t, const string& node) noexcept nogil:
    """What stands in square brackets, about `node`."""
    cdef string subject = t.subject
    cdef string predicate = t.predicate
    if not enter(t) or not skip(t):
        return False
    if t.at[0] != c']':
        t.subject = node
        if not read_predicates(t):
            return False
    t.subject = subject
    t.predicate = predicate
    t.depth -= 1
    return expect(t, c']')


cdef bint read_collection(Translation* t) noexcept nogil:
    """What stands in round brackets: a node for each item, which knows it and the next one."""
    cdef string subject = t.subject
    cdef string predicate = t.predicate
    cdef string node
    if not enter(t) or not skip(t):
        return False
    while t.at[0] != c')':
        node = new_node(t)
        put_line(t, node)
        t.subject = node
        t.predicate.assign(RDF_FIRST)
        if not read_object(t) or not skip(t):
            return False
        t.predicate.assign(RDF_REST)
    t.at += 1
    t.depth -= 1
    put_line(t, string(RDF_NIL))
    t.subject = subject
    t.predicate = predicate
    return True


cdef bint read_objects(Translation* t) noexcept nogil:
    while read_object(t) and skip(t):
        if t.at[0] != c',':
            return True
        t.at += 1
    return False


cdef bint read_verb(Translation* t) noexcept nogil:
    cdef const uint8_t* behind
    if not skip(t):
        return False
    if t.at[0] == c'a':
        behind = over_word(t.at)
        if behind == t.at + 1 and behind[0] != c':':
            t.predicate.assign(RDF_TYPE)
            return advance(t, behind)
    if t.at[0] == c'_':
        return give_up(t)
    return read_node_into(t, &t.predicate)


cdef bint read_predicates(Translation* t) noexcept nogil:
    """Predicates with their objects, up to what ends them."""
    while read_verb(t) and read_objects(t):
        if t.at[0] != c';':
            return True
        while t.at[0] == c';':
            t.at += 1
            if not skip(t):
                return False
        if t.at[0] == c'.' or t.at[0] == c']' or t.at[0] == c'}':
            return True
    return False


cdef bint read_triples(Translation* t) noexcept nogil:
    """A subject and what is said of it."""
    cdef string node
    cdef size_t lines = t.places.size()
    if t.at[0] != c'[':
        return read_node_into(t, &t.subject) and read_predicates(t)
    node = new_node(t)
    if not read_properties(t, node) or not skip(t):
        return False
    t.subject = node
    if t.places.size() > lines and (t.at[0] == c'.' or t.at[0] == c'}'):
        return True  # what stands in brackets is a statement by itself
    return read_predicates(t)
