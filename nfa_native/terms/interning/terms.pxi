# Terms to words, and back to text.


cdef inline bint is_name(const char* text, size_t length, const char* name, size_t name_length) noexcept nogil:
    return length == name_length and memcmp(text, name, length) == 0


cdef bint is_derived_integer(const char* name, size_t n) noexcept nogil:
    """Whether the Store reads this XSD datatype as xsd:integer."""
    if n == 3 or n == 4:
        return is_name(name, n, "int", 3) or is_name(name, n, "byte", 4) or is_name(name, n, "long", 4)
    return (
        is_name(name, n, "short", 5) or is_name(name, n, "unsignedInt", 11) or is_name(name, n, "unsignedLong", 12)
        or is_name(name, n, "unsignedByte", 12) or is_name(name, n, "unsignedShort", 13)
        or is_name(name, n, "positiveInteger", 15) or is_name(name, n, "negativeInteger", 15)
        or is_name(name, n, "nonPositiveInteger", 18) or is_name(name, n, "nonNegativeInteger", 18)
    )


cdef bint needs_store(const char* name, size_t n) noexcept nogil:
    """Whether only the Store canonicalises this XSD datatype."""
    return (
        is_name(name, n, "float", 5) or is_name(name, n, "date", 4) or is_name(name, n, "time", 4)
        or is_name(name, n, "duration", 8) or is_name(name, n, "dayTimeDuration", 15)
        or is_name(name, n, "yearMonthDuration", 17) or is_name(name, n, "gYear", 5)
        or is_name(name, n, "gYearMonth", 10) or is_name(name, n, "gMonth", 6) or is_name(name, n, "gMonthDay", 9)
        or is_name(name, n, "gDay", 4)
    )


cdef bint read_boolean(const char* form, size_t n, SideEntry* value) noexcept nogil:
    value.kind = KIND_BOOLEAN
    value.number = is_name(form, n, "true", 4) or is_name(form, n, "1", 1)
    return value.number or is_name(form, n, "false", 5) or is_name(form, n, "0", 1)


cdef bint read_datetime(const char* form, size_t n, SideEntry* value) noexcept nogil:
    value.kind = KIND_DATETIME
    # The Store misprints fractions of seconds before the year 1: such a literal stays opaque, in the form it came in.
    return parse_datetime(form, n, &value.number, &value.zone) and (value.number >= 0 or value.number % DECIMAL_ONE == 0)


cdef bint read_integer(const char* form, size_t n, SideEntry* value) noexcept nogil:
    cdef int64_t whole = 0
    cdef bint valid = parse_integer(form, n, &whole)
    value.kind = KIND_INTEGER
    value.number = whole
    return valid


cdef bint read_double(const char* form, size_t n, SideEntry* value) noexcept nogil:
    cdef double real = 0
    cdef bint valid = parse_double(form, n, &real)
    value.kind = KIND_DOUBLE
    value.number = <int128>double_bits(real)
    return valid


cdef bint read_value(const char* name, size_t n, const char* form, size_t m, SideEntry* value) noexcept nogil:
    """The value of a literal of an XSD datatype that has values here; False for others and ill-formed ones."""
    value.zone = 0
    if n == 7 and memcmp(name, "integer", 7) == 0 or is_derived_integer(name, n):
        return read_integer(form, m, value)
    if is_name(name, n, "decimal", 7):
        value.kind = KIND_DECIMAL
        return parse_decimal(form, m, &value.number)
    if is_name(name, n, "double", 6):
        return read_double(form, m, value)
    if is_name(name, n, "dateTime", 8) or is_name(name, n, "dateTimeStamp", 13):
        return read_datetime(form, m, value)
    return is_name(name, n, "boolean", 7) and read_boolean(form, m, value)


cdef word_t value_word(TermStore* store, const SideEntry* value) noexcept nogil:
    """The word of a value; UNBOUND if no word holds it and there is no store."""
    if value.kind == KIND_INTEGER:
        return integer_word(store, <int64_t>value.number)
    if value.kind == KIND_DECIMAL:
        return decimal_word(store, value.number)
    if value.kind == KIND_DOUBLE:
        return bits_word(store, <uint64_t>value.number)
    if value.kind == KIND_DATETIME:
        return datetime_word(store, value.number, value.zone)
    return boolean_word(value.number != 0)


cdef word_t value_literal(TermStore* store, const char* name, size_t n, const char* form, size_t m) noexcept nogil:
    cdef SideEntry value
    return value_word(store, &value) if read_value(name, n, form, m, &value) else <word_t>UNBOUND


cdef word_t intern_typed(TermStore* store, const char* text, size_t length, const char* nul) noexcept nogil:
    """The word of a typed literal; UNBOUND if the Store must canonicalise it first."""
    cdef size_t n = nul - text - 1
    cdef size_t m = length - n - 2
    cdef const char* name = text + 1 + XSD_LENGTH
    cdef word_t word
    cdef char* copy
    if n <= XSD_LENGTH or memcmp(text + 1, XSD, XSD_LENGTH) != 0:
        return find_or_add(store, text, length, KIND_TYPED, UNBOUND)
    n -= XSD_LENGTH
    word = value_literal(store, name, n, nul + 1, m)
    if word:
        return word
    if is_name(name, n, "string", 6):
        copy = scratch(store, m + 1)
        copy[0] = c'S'
        memcpy(copy + 1, nul + 1, m)
        return find_or_add(store, copy, m + 1, KIND_STRING, UNBOUND)
    if needs_store(name, n):
        return known_bytes(store, text, length)
    return find_or_add(store, text, length, KIND_TYPED, UNBOUND)


cdef word_t intern_language(TermStore* store, const char* text, size_t length, const char* nul) noexcept nogil:
    """The word of a string with a language, whose tag the Store writes in lower case."""
    cdef size_t i
    cdef bint lower = True
    cdef char* copy
    for i in range(1, <size_t>(nul - text)):
        lower = lower and not (c'A' <= text[i] <= c'Z')
    if lower:
        return find_or_add(store, text, length, KIND_LANGUAGE, UNBOUND)
    copy = scratch(store, length)
    memcpy(copy, text, length)
    for i in range(1, <size_t>(nul - text)):
        if c'A' <= text[i] <= c'Z':
            copy[i] = text[i] + 32
    return find_or_add(store, copy, length, KIND_LANGUAGE, UNBOUND)


cdef word_t intern_term(TermStore* store, const char* text, size_t length) noexcept nogil:
    cdef const char* nul
    if text[0] == c'I':
        return find_or_add(store, text, length, KIND_IRI, UNBOUND)
    if text[0] == c'S':
        return find_or_add(store, text, length, KIND_STRING, UNBOUND)
    if text[0] == c'B':
        return find_or_add(store, text, length, KIND_BLANK, UNBOUND)
    nul = <const char*>memchr(text, 0, length)
    if text[0] == c'L':
        return intern_language(store, text, length, nul)
    return intern_typed(store, text, length, nul)


cdef word_t known_bytes(const TermStore* store, const char* text, size_t length) noexcept nogil:
    return known_hashed(store, text, length, hash_text(text, length))


cdef word_t known_value(const TermStore* store, const SideEntry* value) noexcept nogil:
    cdef word_t word = value_word(NULL, value)
    return word if word else known_side(store, value)


cdef word_t known_term(const TermStore* store, const char* text, size_t length) noexcept nogil:
    cdef SideEntry value
    cdef const char* nul = <const char*>memchr(text, 0, length) if text[0] == c'T' else NULL
    cdef const char* name = text + 1 + XSD_LENGTH
    cdef word_t word
    if nul == NULL or nul <= name or memcmp(text + 1, XSD, XSD_LENGTH) != 0:
        return known_bytes(store, text, length)
    if read_value(name, nul - name, nul + 1, text + length - nul - 1, &value):
        return known_value(store, &value)
    word = known_bytes(store, text, length)
    return <word_t>UNDECIDED if word == UNBOUND and needs_store(name, nul - name) else word


cdef size_t print_value(const TermStore* store, word_t word, char* out) noexcept nogil:
    """The canonical lexical form of a word that is no dictionary term; `out` holds LONGEST_FORM bytes."""
    cdef int kind = kind_of(word)
    cdef int32_t zone
    cdef int128 instant
    if kind == KIND_INTEGER:
        return print_integer(integer_value(store, word), out)
    if kind == KIND_DECIMAL and tag_of(word) == TAG_DECIMAL:
        return print_scaled(<int64_t>word >> 9, (word >> 4) & 31, out)
    if kind == KIND_DECIMAL:
        return print_decimal(decimal_value(store, word), out)
    if kind == KIND_DOUBLE:
        return print_double(double_value(store, word), out)
    if kind == KIND_DATETIME:
        instant = datetime_value(store, word, &zone)
        return print_datetime(instant, zone, out)
    if word >> 4:
        memcpy(out, "true", 4)
        return 4
    memcpy(out, "false", 5)
    return 5
