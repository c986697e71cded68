"""Sequences of graph patterns, what SPAseq compiles to: queries, and how their events follow each other.

Names of GPMs, streams and variables are strings; graph patterns are ``gpm.algebra`` trees.  No text positions here.
"""

from spaseq.pattern.sequences.expression import (
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Negation,
    Optional,
    Sequence,
    SequenceExpression,
    Strategy,
)
from spaseq.pattern.sequences.query import (
    AtomDefinition,
    Construction,
    Partition,
    Query,
    Selection,
    Stream,
    Window,
)

__all__ = [
    "Atom",
    "AtomDefinition",
    "Conjunction",
    "Construction",
    "Disjunction",
    "Kleene",
    "Negation",
    "Optional",
    "Partition",
    "Query",
    "Selection",
    "Sequence",
    "SequenceExpression",
    "Strategy",
    "Stream",
    "Window",
]  # fmt: skip
