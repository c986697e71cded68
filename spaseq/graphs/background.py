"""Background knowledge as users give it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

import gpm.background
from gpm.errors import GraphSyntaxError, PatternError
from gpm.evaluator import Mode
from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.rdf.nquads import explain

if TYPE_CHECKING:
    from spaseq.graphs.common import Common
    from spaseq.graphs.prepared import Prepared


BackgroundSources: TypeAlias = Mapping[str, Any]  # graph IRI -> path, rdflib.Graph, quads or bytes
Entail: TypeAlias = "str | Iterable[str]"  # "rdfs", or the IRIs of ontologies


class Background(gpm.background.BackgroundGraphs):
    """Background knowledge that is loaded once, for any number of engines, in any threads; it never changes.

    It keeps what was compiled of prepared queries next to it, as long as these live: see ``Prepared``.
    """

    def __init__(self, sources: BackgroundSources | None = None, entailed: Collection[str] = ()) -> None:
        super().__init__(sources, entailed)
        self._common: WeakKeyDictionary[Prepared, list[Common]] = WeakKeyDictionary()

    @staticmethod
    def load(sources: BackgroundSources, entail: Entail = ()) -> Background:
        """The graphs of ``sources``, IRIs to files, graphs or bytes; both arguments as of ``Engine``.

        StreamError: one cannot be read.  OptionError: a bad IRI, or it is something else.
        """
        return read_background(sources, entail)

    def replaced(self, iri: str, source: Any) -> Background:
        """The background in which one graph, maybe a new one, has other contents; errors as of ``Background.load``."""
        with background_errors():
            changed = super().replaced(iri, source)
        assert isinstance(changed, Background)
        return changed

    def common(self, queries: Sequence[Prepared], mode: Mode) -> Common:
        """What all engines share that run these queries next to this.  QueryError: one cannot be evaluated so."""
        from spaseq.graphs.common import Common

        known = self._common.setdefault(queries[0], [])
        found = next((one for one in known if one.is_of(queries, mode)), None)
        if found is None:
            found = Common(queries, self, mode)
            known.append(found)
        return found


@cache
def nothing() -> Background:
    """No background knowledge."""
    return Background()


def read_background(sources: BackgroundSources | Background | None, entail: Entail = ()) -> Background:
    """Background knowledge from files, graphs or bytes, ``entail`` as of ``Engine``.

    StreamError: one cannot be read.  OptionError: a bad IRI.
    """
    if isinstance(sources, Background):
        if entail:
            raise OptionError(
                "what background knowledge entails is said where it is loaded: Background.load(…, entail=…)"
            )
        return sources
    if sources is None and not entail:
        return nothing()
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
