"""A brute-force evaluator of SPAseq queries, written from the semantics alone, to compare the engine with."""

from .evaluate import Result, columns, evaluate
from .model import Event, Query
from .text import to_text

__all__ = ["Event", "Query", "Result", "columns", "evaluate", "to_text"]
