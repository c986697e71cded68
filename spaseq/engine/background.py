"""Background knowledge as users give it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from gpm.background import Background
from gpm.errors import GraphSyntaxError, PatternError
from spaseq.errors import Location, OptionError, StreamError
from spaseq.streams.nquads import explain

BackgroundSources: TypeAlias = Mapping[str, Any]  # graph IRI -> path, rdflib.Graph, quads or bytes
Entail: TypeAlias = "str | Iterable[str]"  # "rdfs", or the IRIs of ontologies


def read_background(sources: BackgroundSources | Background | None, entail: Entail = ()) -> Background:
    """Background knowledge from files, graphs or bytes, ``entail`` as of ``Engine``.

    StreamError: one cannot be read.  OptionError: a bad IRI.
    """
    if isinstance(sources, Background):
        return sources
    if isinstance(entail, str) and entail != "rdfs":
        raise OptionError(f'entail is "rdfs" or IRIs of background graphs, not {entail!r:.80}')
    if isinstance(entail, bytes) or not isinstance(entail, Iterable):
        raise OptionError(f'entail is "rdfs" or IRIs of background graphs, not {entail!r:.80}')
    with background_errors():
        known = sources if isinstance(sources, Mapping) else {}
        return Background(sources, list(known) if isinstance(entail, str) else list(entail))


@contextmanager
def background_errors() -> Iterator[None]:
    """Errors in reading background knowledge become StreamError and OptionError."""
    try:
        yield
    except GraphSyntaxError as error:
        raise StreamError(explain(SyntaxError(error.message)), Location(error.path, error.line, error.column)) from None
    except PatternError as error:
        raise OptionError(str(error)) from None
    except OSError as error:
        place = Location(str(error.filename or "background"))
        raise StreamError(f"cannot read: {error.strerror or error}", place) from None
