"""What can go wrong with graphs and graph patterns; the engine gives these errors to users in its own form."""

from __future__ import annotations


class GraphSyntaxError(ValueError):
    """A text is not the RDF that it should be.

    ``path`` is the file or the name of the graph, ``line`` and ``column`` count from 1 (0: unknown).
    """

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}" if line else f"{path}: {message}")
        self.path = path
        self.line = line
        self.column = column
        self.message = message


class PatternError(ValueError):
    """A graph pattern or expression that cannot be evaluated; the text names the construct."""
