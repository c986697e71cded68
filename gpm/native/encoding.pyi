"""Terms as N-Quads writes them → words."""

import numpy
from numpy.typing import NDArray

from nfa_native.terms.dictionary import Terms

def encode_text(terms: Terms, text: bytes, scope: int) -> int:
    """The word of a valid term in N-Quads, a blank node's label in the scope of an event."""

def find_text(terms: Terms, text: bytes, scope: int) -> int | None:
    """As `encode_text`, but adds nothing: 0 if no word stands for the term, None if that is hard to tell."""

def time_of(text: bytes, unit: int = 1) -> int | None:
    """The microseconds of an object that is a time; None if it is none."""

def encode_lines(terms: Terms, block: bytes, scope: int) -> NDArray[numpy.uint64]:
    """uint64[3, n]: subjects, predicates and objects of the statements, all in one scope.

    ValueError: the number of the first line, from 0, that is not valid.
    """
