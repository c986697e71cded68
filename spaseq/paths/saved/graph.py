"""Graphs as what is saved of them, and back; and the files."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.background import GZIP, unpacked
from gpm.errors import GraphSyntaxError
from spaseq.errors import Location, OptionError, StreamError
from spaseq.paths.edges import GraphEdges
from spaseq.paths.node_names import NodeNames
from spaseq.paths.saved.container import Arrays, DamagedError, SavedContent, broken
from spaseq.paths.saved.rows import check_vertices, opened_rows, stored_rows
from spaseq.paths.saved.texts import StoredTerms, StoredTexts, text_order
from spaseq.whole_file import remove_leftovers, write_whole

ENDING = ".spaseqgraph"


def stored(graph: GraphEdges) -> SavedContent:
    """What is saved of a graph."""
    terms = [graph.terms.bytes_of(vertex) for vertex in range(graph.vertex_count)]
    text_ends, texts = StoredTexts.of(terms)
    predicate_ends, predicates = StoredTexts.of([iri.encode() for iri in graph.predicates])
    names = None if graph.label_property is None else graph.names
    none = np.empty(0, np.uint32)
    arrays: dict[str, NDArray[Any]] = {
        "text_ends": text_ends,
        "texts": texts,
        "text_order": text_order(terms),
        "predicate_ends": predicate_ends,
        "predicates": predicates,
        "idle": graph.idle,
        "named_nodes": none if names is None else names.nodes,
        "name_labels": none if names is None else names.labels,
    }
    return SavedContent({"label_property": graph.label_property}, arrays | stored_rows(graph.rows))


def restore(graph: GraphEdges, content: SavedContent, label_property: str | None) -> None:
    """Let a new graph be what was saved; ``label_property`` None: that which it had.

    DamagedError: an array points to what is not there.  OptionError: nodes of the graph have no labels.
    """
    arrays, saved = content.arrays, content.header.get("label_property")
    if saved is None and label_property is not None:
        raise OptionError("the saved graph is one of a table: its nodes are called by what they are")
    terms = StoredTerms(StoredTexts(arrays["text_ends"], arrays["texts"]), arrays["text_order"])
    predicates = _predicates(StoredTexts(arrays["predicate_ends"], arrays["predicates"]))
    rows = opened_rows(arrays, len(terms))
    names = _names(terms, arrays)
    check_vertices(arrays["idle"], len(terms))
    if not len(rows) == len(predicates) == len(set(predicates)) or not isinstance(saved, str | None):
        raise broken("its edges have other predicates")
    is_same = label_property in (None, saved)
    GraphEdges.__init__(
        graph, terms, predicates, rows, saved if is_same else label_property, arrays["idle"],
        names if is_same and saved is not None else None,
    )  # fmt: skip


def write_file(path: Path, pieces: Iterable[Any]) -> None:
    """Write a file such that after any end there is a whole one or none.  OptionError: it cannot be written."""
    try:
        remove_leftovers(path)
        write_whole(path, pieces)
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror}") from None


def open_file(graph: GraphEdges, path: Path, label_property: str | None) -> None:
    """Let a new graph be that in a file, whose arrays stay there.

    StreamError: it cannot be read, or is damaged.  OptionError: as of ``restore``.
    """
    try:
        open_buffer(graph, _mapped(path), label_property, str(path))
    except OSError as error:
        raise StreamError(f"cannot be read: {error.strerror}", Location(str(path))) from None
    except GraphSyntaxError as error:
        raise StreamError(error.message, Location(str(path))) from None


def open_buffer(graph: GraphEdges, data: Any, label_property: str | None = None, path: str = "<graph>") -> None:
    """The same with what is in a file; ``path`` is what errors call it."""
    try:
        restore(graph, SavedContent.of(data), label_property)
    except DamagedError as error:
        raise StreamError(str(error), Location(path)) from None


def _mapped(path: Path) -> Any:
    """The bytes of a file: mapped into memory, if it is none that has to be read."""
    with path.open("rb") as file:
        if not file.seekable() or file.peek(len(GZIP)).startswith(GZIP):
            return unpacked(path, file.read())
        if not os.fstat(file.fileno()).st_size:  # nothing to map
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _predicates(texts: StoredTexts) -> list[str]:
    try:
        return [texts[place].decode() for place in range(len(texts))]
    except UnicodeDecodeError as error:
        raise broken(f"{error.reason} in a predicate") from None


def _names(terms: StoredTerms, arrays: Arrays) -> NodeNames:
    nodes, labels = arrays["named_nodes"], arrays["name_labels"]
    if len(nodes) != len(labels):
        raise broken("its names are not all there")
    check_vertices(nodes, len(terms))
    check_vertices(labels, len(terms))
    return NodeNames(terms, nodes, labels)
