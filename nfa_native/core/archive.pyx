# distutils: language = c++
# cython: language_level=3
"""Archives (``core/archive.hpp``) as arrays, for stores that Python keeps; and the way of native ones through Python.

A column whose name ends in ``words`` is one of words: they have other values in another process.
"""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE

from nfa_native.core.containers cimport string, take_bytes
from nfa_native.core.guard cimport attempted


def pack(stores):
    """Stores as bytes: by name their version and their columns, arrays of integers (n) or (n, m) by name.

    The same bytes for the same stores.
    """
    cdef Archive archive
    cdef ArchiveColumn* column
    cdef bytes called
    for name, (version, columns) in stores.items():
        called = name.encode()
        attempted(begin_store, &archive, <const char*>PyBytes_AS_STRING(called), <unsigned int>version)
        for title, array in columns.items():
            check_column(title, array)
            width = stored_width(array, title)
            stored = array.astype(f"<{array.dtype.kind}{width}").tobytes()
            column = add_column(&archive, title, array)
            column.stored = width
            take_bytes(&column.own, stored)
    return close_archive(&archive)


def unpack(bytes data not None):
    """The stores of ``pack``: ``{name: (version, {name: array})}``.  ValueError: the data are damaged."""
    cdef Archive archive
    cdef size_t i, j
    open_archive(&archive, data)
    stores = {}
    for i in range(archive.stores.size()):
        columns = {}
        for j in range(archive.stores[i].columns.size()):
            columns[text(archive.stores[i].columns[j].name)] = array_of(&archive.stores[i].columns[j])
        stores[text(archive.stores[i].name)] = archive.stores[i].version, columns
    return stores


def check_column(title, array):
    """TypeError: it cannot be a column."""
    if array.dtype.kind not in "ui" or array.ndim not in (1, 2) or is_words(title) and array.dtype != np.uint64:
        raise TypeError(f"no column of an archive: {title}, {array.dtype}, {array.ndim} axes")


cdef void begin_store(Archive* archive, const char* name, unsigned int version) noexcept nogil:
    archive.store(name, version)


cdef void next_column(Archive* archive, const char* name, char kind, unsigned int width, size_t rows) noexcept nogil:
    archive.add(name, kind, width, rows)


cdef ArchiveColumn* add_column(Archive* archive, object title, object array) except NULL:
    cdef ArchiveColumn* column
    cdef bytes called = title.encode()
    cdef char kind = ord("w" if is_words(title) else array.dtype.kind)
    attempted(
        next_column, archive, <const char*>PyBytes_AS_STRING(called), kind, <unsigned int>array.dtype.itemsize,
        <size_t>len(array),
    )
    column = &archive.stores.back().columns.back()
    column.axes = array.ndim
    column.per = 1 if array.ndim == 1 else array.shape[1]
    return column


def stored_width(array, title):
    """Bytes of the widest number of a column."""
    if is_words(title):
        return 8
    if not array.size:
        return 1
    least, most = array.min(), array.max()
    for width in (1, 2, 4):
        range_of = np.iinfo(f"{array.dtype.kind}{width}")
        if range_of.min <= least and most <= range_of.max:
            return width
    return 8


def is_words(title):
    """Whether a column of this name has words."""
    return title.endswith("words")


cdef object text(const string& name):
    return PyBytes_FromStringAndSize(name.data(), name.size()).decode("utf-8", "backslashreplace")


cdef object array_of(const ArchiveColumn* column):
    """A column as an array that can be changed."""
    cdef ArchiveColumn* one = <ArchiveColumn*>column
    kind = "i" if one.kind == b"i" else "u"
    data = PyBytes_FromStringAndSize(one.begin(), one.size())
    numbers = np.frombuffer(data, f"<{kind}{one.stored}").astype(f"{kind}{one.width}")
    return numbers if one.axes == 1 else numbers.reshape(one.rows, one.per)


cdef int open_archive(Archive* archive, bytes data) except -1:
    attempted(read_archive, archive, <const char*>PyBytes_AS_STRING(data), <size_t>PyBytes_GET_SIZE(data))
    return 0


cdef void read_archive(Archive* archive, const char* data, size_t size) noexcept nogil:
    archive.open(data, size)


cdef bytes close_archive(Archive* archive):
    cdef string out
    attempted(write_archive, archive, &out)
    return PyBytes_FromStringAndSize(out.data(), out.size())


cdef void write_archive(Archive* archive, string* out) noexcept nogil:
    archive.close(out[0])


cdef object held_words(Archive* archive):
    cdef size_t i, j
    found = [np.zeros(0, np.uint64)]
    for i in range(archive.stores.size()):
        for j in range(archive.stores[i].columns.size()):
            if archive.stores[i].columns[j].kind == b"w":
                found.append(array_of(&archive.stores[i].columns[j]).reshape(-1))
    return np.concatenate(found)


cdef object renumber(Archive* archive, object word_map):
    cdef size_t i, j, at = 0
    cdef ArchiveColumn* column
    cdef bytes mapped = np.ascontiguousarray(word_map(held_words(archive)), "<u8").tobytes()
    for i in range(archive.stores.size()):
        for j in range(archive.stores[i].columns.size()):
            column = &archive.stores[i].columns[j]
            if column.kind == b"w":
                column.data = PyBytes_AS_STRING(mapped) + at
                at += column.size()
    return mapped
