"""Regular path queries, what the language of paths compiles to: an expression over relations, where it starts and ends,
and which of its paths are results.  No text positions here.
"""

from spaseq.pattern.paths.expression import (
    EMPTY_PATH,
    EdgeStep,
    NegatedStep,
    NodeCondition,
    PathAlternatives,
    PathExpression,
    PathRepetition,
    PathSequence,
    has_step,
    inverted,
    is_unbounded,
)
from spaseq.pattern.paths.query import (
    RELATION,
    LabelledNodes,
    NodeName,
    PathQuery,
    PathSelector,
    Restrictor,
    SelectorKind,
)

__all__ = [
    "EMPTY_PATH",
    "RELATION",
    "EdgeStep",
    "LabelledNodes",
    "NegatedStep",
    "NodeCondition",
    "NodeName",
    "PathAlternatives",
    "PathExpression",
    "PathQuery",
    "PathRepetition",
    "PathSelector",
    "PathSequence",
    "Restrictor",
    "SelectorKind",
    "has_step",
    "inverted",
    "is_unbounded",
]
