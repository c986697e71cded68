"""Columns of a table as words of terms, and the IRIs that are made of such words; the words are not pinned."""

import numpy
from numpy.typing import NDArray

from nfa_native.terms.dictionary import Terms

Words = NDArray[numpy.uint64]

def integer_words(terms: Terms, values: NDArray[numpy.int64]) -> Words:
    """uint64[n]: xsd:integer.  ValueError: the table is frozen, here and below."""

def double_words(terms: Terms, values: NDArray[numpy.float64]) -> Words:
    """uint64[n]: xsd:double."""

def decimal_words(terms: Terms, halves: NDArray[numpy.uint64], scale: int) -> Words:
    """uint64[n]: xsd:decimal, of numbers of 128 bits that count 10**-scale; 0 where it is too large for one word.

    ``halves`` (n, 2) are the lower and the upper half of each.  ValueError: the scale is not between 0 and 18.
    """

def time_words(terms: Terms, microseconds: NDArray[numpy.int64]) -> Words:
    """uint64[n]: xsd:dateTime, of microseconds since 1970-01-01T00:00:00Z; 0 for fractions of seconds before the year 1."""

def string_words(terms: Terms, offsets: NDArray[numpy.int64], text: NDArray[numpy.uint8]) -> Words:
    """uint64[n]: strings; number i is the bytes ``offsets[i]`` to ``offsets[i + 1]`` of ``text``, in UTF-8.

    ValueError: the offsets do not fit the text.
    """

def iri_words(terms: Terms, pieces: tuple[bytes, ...], values: Words) -> Words:
    """uint64[n]: the IRIs of a template, 0 where a value is unbound or a blank node.

    ``pieces`` are what stands before, between and behind the ``values`` (k, n), of which each stands percent-encoded in
    its place: ENCODE_FOR_URI(STR(value)) of SPARQL 1.1.  ValueError: there are not k + 1 pieces, the first is empty, or
    a value is no word of the table.
    """

def iri_texts(terms: Terms, pieces: tuple[bytes, ...], values: Words) -> tuple[NDArray[numpy.int64], bytes]:
    """(int64[n + 1], bytes): where the first of these IRIs begins and where each ends, and their text; they get no words.

    One is empty where a value is unbound or a blank node.  Arguments and errors are as above.
    """
