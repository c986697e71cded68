"""Words of the cells of SPARQL results in TSV, in bulk."""

import numpy
from numpy.typing import NDArray

from nfa_native.terms.dictionary import Terms

def encode_cells(terms: Terms, data: bytes, width: int) -> NDArray[numpy.uint64]:
    """uint64[width, n]: the words, collectable, of n solutions of ``width`` ≥ 1 variables as pyoxigraph writes them in TSV.

    Unbound is 0.
    """
