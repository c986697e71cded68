# Objects.  The words of IRIs are looked up some at a time: until then their place in the column is empty.


cdef void add_object(Assembly* a, const uint8_t* text, uint32_t size) noexcept nogil:
    """Encode the object of the newest triple, or put it aside."""
    if text[0] == c'<' and text[1] != c'<':
        put_aside(a, text, size)
    else:
        a.columns.objects.push_back(encode(a, text, size))


cdef void put_aside(Assembly* a, const uint8_t* text, uint32_t size) noexcept nogil:
    """Note the canonical bytes of an IRI, and begin to look them up."""
    cdef Lookup lookup
    cdef uint8_t* out
    lookup.start = a.iri_texts.size()
    lookup.word = UNBOUND
    a.iri_texts.resize(lookup.start + size)
    out = a.iri_texts.data() + lookup.start
    out[0] = c'I'
    lookup.size = 1 + unescape(text + 1, size - 2, out + 1)
    begin_lookup(a.store, <const char*>a.iri_texts.data(), &lookup)
    a.iris.push_back(lookup)
    a.iri_places.push_back(<uint32_t>a.columns.objects.size())
    a.columns.objects.push_back(UNBOUND)
    if a.iris.size() == MOST_ASIDE:
        encode_iris(a)


cdef void encode_iris(Assembly* a) noexcept nogil:
    """Give the IRIs that were put aside their words."""
    cdef size_t i
    finish_lookups(a.store, <const char*>a.iri_texts.data(), a.iris.data(), a.iris.size())
    for i in range(a.iris.size()):
        a.columns.objects[a.iri_places[i]] = a.iris[i].word
    a.iris.clear()
    a.iri_places.clear()
    a.iri_texts.clear()


cdef void forget_iris(Assembly* a, size_t triples) noexcept nogil:
    """Triples from that number on are dropped."""
    while not a.iri_places.empty() and a.iri_places.back() >= triples:
        a.iri_places.pop_back()
        a.iris.pop_back()
