"""Names in edge tables as words of terms, many at once."""

import numpy
from numpy.typing import NDArray

from nfa_native.terms.dictionary import Terms

def name_words(
    terms: Terms, offsets: NDArray[numpy.int32], text: NDArray[numpy.uint8]
) -> NDArray[numpy.uint64]:
    """uint64[n]: the words of n names, which are not pinned: of an IRI if the name is one, else of a string.

    Name i is the bytes ``offsets[i]`` to ``offsets[i + 1]`` of ``text``, in UTF-8; an empty one has the word 0.
    ValueError: the offsets do not fit the text, or the table is frozen.
    """
