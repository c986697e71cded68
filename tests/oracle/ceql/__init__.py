"""A brute-force evaluator of CEQL queries, written from the semantics alone, to compare the engine with."""

from .aggregates import Row, rows
from .checker import agrees, disagreement
from .evaluate import ComplexEvent, evaluate
from .model import Event, Query
from .text import to_csv, to_text

__all__ = ["ComplexEvent", "Event", "Query", "Row", "agrees", "disagreement", "evaluate", "rows", "to_csv", "to_text"]
