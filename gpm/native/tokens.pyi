"""The N-Quads and N-Triples tokenizer: where the terms of a statement lie, and whether the statement is valid."""

from typing import NamedTuple

class Line(NamedTuple):
    """What is on a line: kind 1 a statement, 0 nothing but a comment, −1 something that is not valid.

    Terms are as they are written; an empty graph is the default graph.  ``number`` is that of the predicate among those
    read before, −1 if there were too many.
    """

    kind: int
    subject: bytes
    predicate: bytes
    object: bytes
    graph: bytes
    number: int
    same_subject: bool
    same_graph: bool

def read_lines(block: bytes) -> list[Line]:
    """What each line says; one memory has read them all, and forgets each line before it reads the next."""

def count_statements(block: bytes) -> int:
    """How many statements there are.  ValueError: the number of the first line, from 0, that is not valid."""
