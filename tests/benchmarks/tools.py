"""Programs that stand in for Java and Maven."""

from __future__ import annotations

from pathlib import Path


def tool(folder: Path, name: str, script: str = "") -> None:
    """A program of that name, which does what the script says."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
