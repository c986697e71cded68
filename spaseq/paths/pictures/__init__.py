"""Pictures of paths that were found: the part of the graph that they go through, with the first of them highlighted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from spaseq.errors import OptionError
from spaseq.paths.pictures.forms import as_dot, as_mermaid, as_svg
from spaseq.paths.pictures.subgraph import Drawing, Route, drawing
from spaseq.paths.terms import NamedGraph
from spaseq.text import did_you_mean

MOST_NODES = 60
FORMS: Mapping[str, Callable[[Drawing], str]] = {"mermaid": as_mermaid, "dot": as_dot, "svg": as_svg}


def picture(graph: NamedGraph, routes: Iterable[Route], form: str, most_nodes: int) -> str:
    """A picture of paths in one of FORMS, with at most so many nodes.  OptionError: there is no such form or number."""
    if form not in FORMS:
        raise OptionError(f"there are no pictures of the form {form!r:.80}; {did_you_mean(str(form), FORMS)}")
    if type(most_nodes) is not int or most_nodes < 1:
        raise OptionError(f"most_nodes is a number from 1 on, not {most_nodes!r:.80}")
    return FORMS[form](drawing(graph, routes, most_nodes))
