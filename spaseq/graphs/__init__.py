"""The engine: queries and streams together make matches."""

from spaseq.graphs.graph_engine import Engine
from spaseq.graphs.graph_run import Run, run

__all__ = ["Engine", "Run", "run"]
