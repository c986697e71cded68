# cython: language_level=3
"""Words of the cells of SPARQL results in TSV, in bulk."""

from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp

import numpy

from nfa_native.core.containers cimport string, vector
from nfa_native.core.guard cimport guarded
from nfa_native.terms.dictionary cimport UNBOUND, Terms, TermStore, clear_scratch, intern_term, word_t

cdef const char* INTEGER = "Thttp://www.w3.org/2001/XMLSchema#integer"
cdef const char* DECIMAL = "Thttp://www.w3.org/2001/XMLSchema#decimal"
cdef const char* DOUBLE = "Thttp://www.w3.org/2001/XMLSchema#double"
cdef const char* BOOLEAN = "Thttp://www.w3.org/2001/XMLSchema#boolean"

# A cell of the text.
cdef struct Cell:
    const char* begin
    const char* end


cdef inline bint same_cell(const Cell* a, const Cell* b) noexcept nogil:
    return a.end - a.begin == b.end - b.begin and memcmp(a.begin, b.begin, a.end - a.begin) == 0


cdef inline char unescaped(char letter) noexcept nogil:
    """The character that stands for a backslash and a letter."""
    if letter == c't':
        return c'\t'
    if letter == c'n':
        return c'\n'
    if letter == c'r':
        return c'\r'
    if letter == c'b':
        return c'\b'
    if letter == c'f':
        return c'\f'
    return letter


cdef void append_string(string& term, const char* at, const char* end) noexcept nogil:
    """Append what stands between two quotes, without its escapes."""
    cdef const char* escape
    while True:
        escape = <const char*>memchr(at, c'\\', end - at)
        if escape == NULL:
            term.append(at, end - at)
            return
        term.append(at, escape - at)
        term.push_back(unescaped(escape[1]))
        at = escape + 2


cdef void literal_term(string& term, const Cell* cell) noexcept nogil:
    """The bytes of a literal in quotes."""
    cdef const char* quote = cell.end - 1
    while quote[0] != c'"':
        quote -= 1
    if quote + 1 == cell.end:
        term.push_back(c'S')
    elif quote[1] == c'@':
        term.push_back(c'L')
        term.append(quote + 2, cell.end - quote - 2)
        term.push_back(0)
    else:  # ^^<datatype>
        term.push_back(c'T')
        term.append(quote + 4, cell.end - quote - 5)
        term.push_back(0)
    append_string(term, cell.begin + 1, quote)


cdef void bare_term(string& term, const Cell* cell) noexcept nogil:
    """The bytes of a number or boolean, which stands without quotes."""
    cdef size_t size = cell.end - cell.begin
    if cell.begin[0] == c't' or cell.begin[0] == c'f':
        term.append(BOOLEAN)
    elif memchr(cell.begin, c'e', size) != NULL or memchr(cell.begin, c'E', size) != NULL:
        term.append(DOUBLE)
    else:
        term.append(DECIMAL if memchr(cell.begin, c'.', size) != NULL else INTEGER)
    term.push_back(0)
    term.append(cell.begin, size)


cdef bint is_triple_term(const Cell* cell) noexcept nogil:
    return cell.end - cell.begin > 2 and cell.begin[0] == c'<' and cell.begin[1] == c'<'


cdef word_t cell_word(TermStore* store, string& term, const Cell* cell) noexcept nogil:
    """The word of a cell that is not empty; UNBOUND if only Python can make it."""
    if is_triple_term(cell):
        return UNBOUND
    term.clear()
    if cell.begin[0] == c'<':
        term.push_back(c'I')
        term.append(cell.begin + 1, cell.end - cell.begin - 2)
    elif cell.begin[0] == c'_':
        term.push_back(c'B')
        term.append(cell.begin + 2, cell.end - cell.begin - 2)
    elif cell.begin[0] == c'"':
        literal_term(term, cell)
    else:
        bare_term(term, cell)
    clear_scratch(store)
    return intern_term(store, term.data(), term.size())


def encode_cells(Terms terms not None, bytes data not None, Py_ssize_t width):
    """uint64[width, n]: the words, collectable, of n solutions of ``width`` ≥ 1 variables as pyoxigraph writes them in TSV.

    Unbound is 0.
    """
    cdef const char* at = data
    cdef const char* end = at + len(data)
    cdef Py_ssize_t count = data.count(b"\n") - 1  # the first line has the names
    cdef Py_ssize_t number, column = 0
    words = numpy.empty((width, count), dtype=numpy.uint64)
    cdef uint64_t[:, ::1] out = words
    cdef vector[Cell] last
    cdef Py_ssize_t done = 0
    last.safe_resize(width)
    at = <const char*>memchr(at, c'\n', end - at) + 1
    while done < width * count:
        with nogil:
            guarded(
                &terms.store.broken, encode_some, terms.store, &at, &out[0, 0], <size_t>width, <size_t>count, &done, last
            )
        if done < width * count:
            number, column = done // width, done % width
            out[column, number] = python_word(terms, last[column])
            at, done = last[column].end + 1, done + 1
    return words


cdef void encode_some(
    TermStore* store, const char** place, uint64_t* out, size_t width, size_t rows, Py_ssize_t* done, vector[Cell]& last
) noexcept nogil:
    """Encode the cells from number `done` on, up to the first that only Python can encode: that is `last` of its column.

    `out` has the rows of each column; `place` moves on."""
    cdef const char* at = place[0]
    cdef size_t column = <size_t>done[0] % width
    cdef size_t row = <size_t>done[0] // width
    cdef uint64_t* word
    cdef Cell cell
    cdef string term
    while row < rows:
        word = out + column * rows + row
        cell.begin = at
        while at[0] != c'\t' and at[0] != c'\n':
            at += 1
        cell.end = at
        if cell.begin == cell.end:
            word[0] = UNBOUND
        elif row > 0 and same_cell(&cell, &last[column]):
            word[0] = (word - 1)[0]
        else:
            word[0] = cell_word(store, term, &cell)
        last[column] = cell
        if cell.begin != cell.end and word[0] == UNBOUND:
            break
        at += 1
        column += 1
        if column == width:
            column = 0
            row += 1
    done[0] = row * width + column
    place[0] = at


cdef word_t python_word(Terms terms, Cell cell) except? 0:
    """The word of a cell that Python must look at."""
    from gpm.cell_text import cell_bytes

    return terms.transient_word(cell_bytes(cell.begin[:cell.end - cell.begin]))
