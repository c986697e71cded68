"""The N-Quads and N-Triples tokenizer: where the terms of a statement lie, and whether the statement is valid."""

def statements(block: bytes) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """Subject, predicate, object and graph of each statement as they are written; an empty graph is the default graph.

    ValueError: the number of the first line, from 0, that is not valid.
    """

def count_statements(block: bytes) -> int:
    """How many statements there are; ValueError as `statements`."""
