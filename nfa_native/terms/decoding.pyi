"""Columns of words as columns of plain values: numbers, times, truth values and texts of many words at once.

A column is uint64[n], 0 where a variable is unbound.  The state of a row is 0 if it is unbound, 1 if its term is a value
of the type, else 2 (the value is then 0).  ValueError: a word is not of the table.
"""

import numpy as np
from numpy.typing import NDArray

from nfa_native.terms.dictionary import Terms

Words = NDArray[np.uint64]
States = NDArray[np.uint8]

def kinds(terms: Terms, words: Words) -> NDArray[np.uint8]:
    """uint8[n]: the kind of each word (the KINDs of words.pxd), 0 where it is unbound."""

def integers(terms: Terms, words: Words) -> tuple[NDArray[np.int64], States]:
    """int64[n], uint8[n]: numbers without a fraction, and the states of the rows."""

def doubles(terms: Terms, words: Words) -> tuple[NDArray[np.float64], States]:
    """float64[n], uint8[n]: numbers, rounded to the next double, and the states of the rows."""

def decimals(terms: Terms, words: Words, precision: int, scale: int) -> tuple[NDArray[np.uint64], States]:
    """uint64[n, 2], uint8[n]: integers and decimals in units of 10**-scale, as 128 bits each, and the states of the rows.

    Those with more than ``precision`` digits, or more than ``scale`` behind the point, do not fit.  ValueError unless
    0 ≤ scale ≤ precision ≤ 38.
    """

def instants(terms: Terms, words: Words) -> tuple[NDArray[np.int64], States]:
    """int64[n], uint8[n]: dateTimes in microseconds since 1970 (UTC, also without a zone), and the states of the rows."""

def truths(terms: Terms, words: Words) -> tuple[NDArray[np.uint8], States]:
    """uint8[n], uint8[n]: truth values as 0 and 1, and the states of the rows."""

def texts(terms: Terms, words: Words) -> tuple[NDArray[np.int64], bytes]:
    """int64[n + 1], bytes: where the text of each word begins and ends, and the texts in UTF-8; none of unbound.

    That is an IRI, a label of a blank node or the lexical form of a literal, without language and datatype.
    """
