"""Columns of texts in JSON (see ``gpm.native.texts``)."""

from collections.abc import Callable, Sequence

import numpy
from numpy.typing import NDArray

from gpm.rows import TextColumn
from nfa_native.terms.dictionary import Terms

def solutions(
    terms: Terms, words: NDArray[numpy.uint64], names: Sequence[bytes], triple: Callable[[int], str]
) -> TextColumn:
    """An object for each row of ``words``, uint64[n, k]: the terms of SPARQL JSON under these k names, JSON strings.

    Unbound ones are missing.  ``triple`` gives the terms of words that are triple terms.  ValueError: a word is not of
    the table, or there are not k names.
    """

def lists(
    offsets: NDArray[numpy.int64], keys: NDArray[numpy.uint16], names: Sequence[bytes], items: TextColumn
) -> TextColumn:
    """An object for each of n ranges of m items: lists of its items by key, in the order in which keys come.

    Key k has the name ``names[k]``, a JSON string.  ValueError: offsets, int64[n + 1], or keys, uint16[m], are out of
    range.
    """
