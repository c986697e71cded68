"""The ontologies of the workloads, as Turtle."""

from __future__ import annotations

from pathlib import Path

__all__ = ["names", "turtle"]

_FOLDER = Path(__file__).resolve().parent


def names() -> tuple[str, ...]:
    """The names of the ontologies, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.ttl")))


def turtle(name: str) -> str:
    """The text of the ontology called ``name``; KeyError if there is none."""
    if name not in names():
        raise KeyError(name)
    return (_FOLDER / f"{name}.ttl").read_text(encoding="utf-8")
