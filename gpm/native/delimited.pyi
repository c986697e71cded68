"""Rows of words as lines of CSV and TSV, and words as terms of N-Triples, in bulk.

``words`` is uint64[n, k], 0 where a variable is unbound: an empty field.  The lines are in UTF-8, in the fields' order.
ValueError: a word is not of the table.
"""

import numpy
from numpy.typing import NDArray

from gpm.rows import TextColumn
from nfa_native.terms.dictionary import Terms

def csv(terms: Terms, words: NDArray[numpy.uint64]) -> bytes:
    """Lines of SPARQL 1.1 Query Results CSV: plain values, quoted where RFC 4180 wants it; each ends in CR LF."""

def tsv(terms: Terms, words: NDArray[numpy.uint64]) -> bytes:
    """Lines of SPARQL 1.1 Query Results TSV: terms in the syntax of N-Triples; each ends in LF."""

def ntriples(terms: Terms, words: NDArray[numpy.uint64]) -> TextColumn:
    """The words (n) as terms in the syntax of N-Triples; an empty text for an unbound one."""
