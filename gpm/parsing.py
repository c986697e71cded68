"""The only door to pyoxigraph's parsers: text from outside that would overflow their stack is a SyntaxError.

``gpm.nesting``, ``gpm.nested_json`` and ``gpm.nested_xml`` say what is too deep and why nothing else is.
"""

from __future__ import annotations

from typing import Protocol

import pyoxigraph
from pyoxigraph import NamedNode, QuadParser, RdfFormat, Store

from gpm.nested_json import check_json
from gpm.nesting import TOO_DEEP, is_too_deep

_NOTHING = (b"", b"")


class BytesReader(Protocol):
    """Something to be read."""

    def read(self, size: int) -> bytes:
        """At most so many bytes; none at the end."""


def parse(
    text: bytes,
    file_format: RdfFormat,
    base_iri: str | None = None,
    lenient: bool = False,
    around: tuple[bytes, bytes] = _NOTHING,
) -> QuadParser:
    """The statements of a text; ``around`` is parsed before and behind it, and was checked before.

    SyntaxError, here or when the statements are taken: the text is not in the format, or too deep.
    """
    check(text, file_format)
    before, behind = around
    return pyoxigraph.parse(before + text + behind, format=file_format, base_iri=base_iri, lenient=lenient)


def parse_file(source: BytesReader, file_format: RdfFormat) -> QuadParser:
    """The statements of something to be read, which stops before what ``gpm.nesting`` calls too deep."""
    return pyoxigraph.parse(source, format=file_format)  # type: ignore[arg-type]


def load(store: Store, text: bytes, file_format: RdfFormat, base_iri: str | None, graph: NamedNode) -> None:
    """Put the statements of a text into a graph of a Store; errors as of ``parse``."""
    check(text, file_format)
    store.load(text, format=file_format, base_iri=base_iri, to_graph=graph)


def check(text: bytes, file_format: RdfFormat) -> None:
    """SyntaxError: the text is too deep."""
    if file_format == RdfFormat.JSON_LD:
        check_json(text)
    elif file_format == RdfFormat.RDF_XML:
        from gpm.nested_xml import check_xml

        check_xml(text)
    elif is_too_deep(text):
        raise SyntaxError(TOO_DEEP)
