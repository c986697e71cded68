"""The command line: ``spaseq run``, ``check``, ``explain`` and ``generate``."""

from spaseq.cli.main import main

__all__ = ["main"]
