"""The bundled graph of films, and questions about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spaseq.paths import Graph

FILMS = Graph.load(Path(__file__).parents[3] / "examples" / "paths" / "films.txt")
TITLES = ("Kismet", "Vertigo", "Lost Horizon")
DIRECTED = "Who directed Kismet?"
STARRED = "Which actors starred in Vertigo?"
DIRECTOR = "Kismet -> directed_by -> William Dieterle"


def resolve(question: str) -> Iterator[tuple[str, str]]:
    """All facts about the films that a question names."""
    for title in TITLES:
        if title in question:
            yield title, ":directed_by|:starred_actors|:release_year"
