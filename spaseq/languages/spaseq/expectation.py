"""Syntax errors in human words: what stands there, what may stand there, and which slip it probably is."""

from __future__ import annotations

from lark import UnexpectedInput

from spaseq.languages.spaseq.problem import Problem
from spaseq.languages.spaseq.tree import Span


def explain(error: UnexpectedInput, text: str) -> Problem:
    return Problem(str(error), Span(error.pos_in_stream or 0, 0), syntax=True)
