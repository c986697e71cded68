"""The engine: queries and streams together make matches."""

from spaseq.engine.engine import Engine
from spaseq.engine.run import Run, run

__all__ = ["Engine", "Run", "run"]
