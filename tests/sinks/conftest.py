"""The command line in this process, with a query and its stream."""

from __future__ import annotations

from tests.cli.conftest import folder, invoke

__all__ = ["folder", "invoke"]
