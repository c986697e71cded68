"""The engine: queries and streams together make matches."""

from spaseq.graphs.engine import Engine
from spaseq.graphs.run import Run, run

__all__ = ["Engine", "Run", "run"]
