"""Graphs in files that are used where they lie: nothing of them is read before somebody looks at it.

The outer form is a front, a header of JSON with its checksum, and arrays one after the other.  All numbers are
little-endian.  Each array begins at a multiple of ``ALIGNED`` bytes; the header says how many elements each has, and
where they lie follows from that, so that none lies in another.  Rows of all labels lie one behind the other: of each
label along its edges, then against them.  Terms are texts, which are looked up where they lie.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpm.background import GZIP, unpacked
from gpm.errors import GraphSyntaxError
from gpm.rows import Words
from nfa_native.terms.dictionary import Terms
from spaseq.errors import Location, OptionError, StreamError
from spaseq.paths.edges import EdgeRows, GraphEdges, LabelRows, NodeNames, are_among
from spaseq.paths.terms import GraphTerms, canonical
from spaseq.whole_file import remove_leftovers, write_whole

MAGIC = b"\x89SPASEQ graph\r\n\x1a"
VERSION = 1
ALIGNED = 64
TYPES = {  # of all arrays, in their order
    "text_ends": "<u8",
    "texts": "<u1",
    "text_order": "<u4",
    "predicate_ends": "<u8",
    "predicates": "<u1",
    "row_counts": "<u4",
    "edge_counts": "<u4",
    "are_sparse": "<u1",
    "sparse_vertices": "<u4",
    "offsets": "<u4",
    "targets": "<u4",
    "idle": "<u4",
    "named_nodes": "<u4",
    "name_labels": "<u4",
}
_FRONT = struct.Struct("<16sIIQ")  # magic, version, checksum and length of the header

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


class DamagedError(Exception):
    """What is wrong with the bytes of a saved graph."""


@dataclass(frozen=True, slots=True)
class SavedContent:
    """What a saved graph holds: ``header`` is whatever JSON can say, ``arrays`` are those of ``TYPES``."""

    header: Mapping[str, Any]
    arrays: Arrays

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the file, the same for the same content."""
        counts = [len(self.arrays[name]) for name in TYPES]
        text = json.dumps({"header": self.header, "counts": counts}, sort_keys=True, separators=(",", ":")).encode()
        yield _FRONT.pack(MAGIC, VERSION, zlib.crc32(text), len(text))
        yield text
        size = _FRONT.size + len(text)
        for name, kind in TYPES.items():
            yield bytes(-size % ALIGNED)
            array = self.arrays[name].astype(kind, copy=False).tobytes()
            yield array
            size += -size % ALIGNED + len(array)

    @staticmethod
    def of(data: Any) -> SavedContent:
        """The content of a buffer, in which the arrays stay.  DamagedError: it is none, or not all of it."""
        view = memoryview(data)
        if len(view) < _FRONT.size or bytes(view[: len(MAGIC)]) != MAGIC:
            raise DamagedError("this is no saved graph")
        _, version, checksum, length = _FRONT.unpack_from(view)
        if version != VERSION:
            raise DamagedError(f"the saved graph has version {version}; this program reads version {VERSION}")
        text = bytes(view[_FRONT.size : _FRONT.size + length]) if length < len(view) else b""
        if zlib.crc32(text) != checksum:
            raise broken("its header is not what was written")
        try:
            given = json.loads(text)
            if not isinstance(given["header"], dict):
                raise ValueError("its header is no object")
            return SavedContent(given["header"], _arrays(view, given["counts"], _FRONT.size + length))
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise broken(str(error)) from error


def broken(what: str) -> DamagedError:
    """An error that says what is wrong."""
    return DamagedError(f"the saved graph is damaged: {what}")


def _arrays(view: memoryview, counts: list[int], at: int) -> Arrays:
    """The arrays, which lie behind byte ``at``.  ValueError: they are not just what is there."""
    found = {}
    for (name, kind), count in zip(TYPES.items(), counts, strict=True):
        at += -at % ALIGNED
        size = count * np.dtype(kind).itemsize
        if type(count) is not int or not 0 <= size <= len(view) - at:
            raise ValueError(f"it has {len(view):,} bytes, and should have more")
        found[name] = np.ndarray(count, kind, view, at)
        at += size
    if at != len(view):
        raise ValueError(f"it has {len(view):,} bytes, and should have {at:,}")
    return found


# ── texts, and terms as such texts ───────────────────────────────────────────────────────────────────────
ASCII = 128  # bytes below are characters
BEGINS_TERM = np.zeros(256, np.bool_)  # of each byte whether canonical bytes of terms begin so
BEGINS_TERM[list(b"BILST")] = True


class MappedTexts:
    """Texts one after the other: text i is in ``data`` from ``ends[i]`` to ``ends[i + 1]``."""

    def __init__(self, ends: NDArray[np.uint64], data: NDArray[np.uint8]) -> None:
        """DamagedError: they do not fit each other."""
        if not len(ends) or ends[0] != 0 or ends[-1] != len(data) or (ends[1:] < ends[:-1]).any():
            raise broken("its texts have no order")
        self._ends = ends
        self._data = data
        self._places, self._bytes = (
            ends.data,
            data.data,
        )  # an array is several times slower where one element is asked for

    @staticmethod
    def of(texts: Sequence[bytes]) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """``ends`` and ``data`` of these texts."""
        ends = np.zeros(len(texts) + 1, np.uint64)
        np.cumsum(np.fromiter(map(len, texts), np.uint64, len(texts)), out=ends[1:])
        return ends, np.frombuffer(b"".join(texts), np.uint8)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> bytes:
        return self._bytes[self._places[place] : self._places[place + 1]].tobytes()

    def check_terms(self) -> None:
        """DamagedError: one of them is no UTF-8, or does not begin as terms do."""
        starts, stops = self._ends[:-1], self._ends[1:]
        try:
            if self._data.max(initial=0) >= ASCII:  # to look for these first takes a tenth of the time
                str(self._data.data, "utf-8")
        except UnicodeDecodeError as error:
            raise broken(f"{error.reason} in a text") from None
        # a text that begins with a letter does not begin in the middle of a character, and so all are UTF-8
        if (starts == stops).any() or not BEGINS_TERM[self._data[starts]].all():
            raise broken("a term is none")


class MappedTerms(GraphTerms):
    """The canonical bytes of vertices, and the vertices in their ``order``."""

    def __init__(self, texts: MappedTexts, order: NDArray[np.uint32]) -> None:
        """DamagedError: there are other vertices in the order."""
        if len(order) != len(texts) or (len(order) and int(order.max()) >= len(texts)):
            raise broken("the order of its terms is none")
        texts.check_terms()
        self._texts = texts
        self._order: memoryview[int] = order.data

    def __len__(self) -> int:
        return len(self._texts)

    def bytes_of(self, vertex: int) -> bytes:
        """See ``GraphTerms``."""
        return self._texts[vertex]

    def vertex_of(self, text: bytes) -> int | None:
        """See ``GraphTerms``."""
        wanted = canonical(text)
        place = bisect_left(self._order, wanted, key=self._texts.__getitem__)
        vertex = self._order[place] if place < len(self) else None
        return vertex if vertex is not None and self._texts[vertex] == wanted else None

    def in_words(self) -> tuple[Words, Terms]:
        """See ``GraphTerms``.  StreamError: a term is damaged."""
        words, terms = self._interned
        return words, Terms(terms)

    @cached_property
    def _interned(self) -> tuple[Words, Terms]:
        terms = Terms()
        try:
            words = terms.intern_many([self._texts[vertex] for vertex in range(len(self))])
        except ValueError as error:
            raise StreamError(str(broken(str(error)))) from None
        terms.freeze()
        return words, terms


def text_order(texts: Sequence[bytes]) -> NDArray[np.uint32]:
    """The places of texts, in their order."""
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), np.uint32)


# ── compressed sparse rows ───────────────────────────────────────────────────────────────────────────────
Places = NDArray[np.int64]
PIECE = 1 << 16  # numbers that are looked at together
NONE = np.empty(0, np.uint32)


def serialised_rows(labels: Sequence[LabelRows]) -> dict[str, NDArray[Any]]:
    """The arrays of these rows."""
    every = list(chain.from_iterable(labels))
    return {
        "row_counts": np.array([len(rows.offsets) - 1 for rows in every], np.uint32),
        "edge_counts": np.array([len(rows.targets) for rows in every], np.uint32),
        "are_sparse": np.array([rows.vertices is not None for rows in every], np.uint8),
        "sparse_vertices": np.concatenate([NONE, *(rows.vertices for rows in every if rows.vertices is not None)]),
        "offsets": np.concatenate([NONE, *(rows.offsets for rows in every)]),
        "targets": np.concatenate([NONE, *(rows.targets for rows in every)]),
    }


def opened_rows(arrays: Arrays, vertices: int) -> tuple[LabelRows, ...]:
    """The rows of each label, whose arrays are parts of these.

    DamagedError: an offset or a vertex is not in what it points into, or has not the place that its order gives it.
    """
    sparse = arrays["are_sparse"] != 0
    rows, edges = arrays["row_counts"].astype(np.int64), arrays["edge_counts"].astype(np.int64)
    if not len(sparse) == len(rows) == len(edges) or len(rows) % 2:
        raise broken("its labels do not have two ways each")
    if (rows[~sparse] != vertices).any() or (edges[::2] != edges[1::2]).any():
        raise broken("a label does not have the same edges both ways")
    offset_ends = _ends(rows + 1, arrays["offsets"])
    target_ends = _ends(edges, arrays["targets"])
    vertex_ends = _ends(np.where(sparse, rows, 0), arrays["sparse_vertices"])
    _check_offsets(arrays["offsets"], offset_ends, edges)
    check_vertices(arrays["targets"], vertices)
    check_vertices(arrays["sparse_vertices"], vertices)
    _check_rise(arrays["sparse_vertices"], vertex_ends)
    parts = zip(
        _parts(arrays["sparse_vertices"], vertex_ends), _parts(arrays["offsets"], offset_ends),
        _parts(arrays["targets"], target_ends), sparse.tolist(), strict=True,
    )  # fmt: skip
    ways = [EdgeRows(named if is_sparse else None, *rest) for named, *rest, is_sparse in parts]
    return tuple(LabelRows(*both) for both in zip(ways[::2], ways[1::2], strict=True))


def check_vertices(some: NDArray[np.uint32], vertices: int) -> None:
    """DamagedError: one of them is no vertex."""
    if len(some) and int(some.max()) >= vertices:
        raise broken("it has an edge to a node that is not there")


def _ends(counts: Places, array: NDArray[Any]) -> Places:
    """Where each of several parts of an array ends, with the start.  DamagedError: it is shorter or longer."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    if ends[-1] != len(array):
        raise broken("it does not have as many edges as it says")
    return ends


def _check_offsets(offsets: NDArray[np.uint32], ends: Places, edges: Places) -> None:
    """DamagedError: those of a way do not go from 0 to its number of edges, or fall."""
    starts, last = ends[:-1], ends[1:] - 1
    if (offsets[starts] != 0).any() or (offsets[last] != edges).any():
        raise broken("rows do not begin and end where their edges do")
    if not are_among(_falls(offsets), starts).all():
        raise broken("rows are not in their order")


def _falls(offsets: NDArray[np.uint32]) -> Places:
    """The places whose number is less than the one before; piece by piece, which saves memory that must be cleared."""
    found = [np.empty(0, np.int64)]
    for start in range(0, len(offsets), PIECE):
        piece = offsets[start : start + PIECE + 1]
        found.append(np.flatnonzero(piece[1:] < piece[:-1]) + start + 1)
    return np.concatenate(found)


def _check_rise(vertices: NDArray[np.uint32], ends: Places) -> None:
    """DamagedError: those of a way do not rise."""
    stays = np.flatnonzero(vertices[1:] <= vertices[:-1]) + 1
    if not are_among(stays, ends).all():
        raise broken("nodes with rows are not in their order")


def _parts(array: NDArray[np.uint32], ends: Places) -> list[NDArray[np.uint32]]:
    return [array[start:stop] for start, stop in pairwise(ends.tolist())]


# ── graphs and files ─────────────────────────────────────────────────────────────────────────────────────
ENDING = ".spaseqgraph"


def serialised(graph: GraphEdges) -> SavedContent:
    """What is saved of a graph."""
    terms = [graph.terms.bytes_of(vertex) for vertex in range(graph.vertex_count)]
    text_ends, texts = MappedTexts.of(terms)
    predicate_ends, predicates = MappedTexts.of([iri.encode() for iri in graph.predicates])
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
    return SavedContent({"label_property": graph.label_property}, arrays | serialised_rows(graph.rows))


def restore(graph: GraphEdges, content: SavedContent, label_property: str | None) -> None:
    """Let a new graph be what was saved; ``label_property`` None: that which it had.

    DamagedError: an array points to what is not there.  OptionError: nodes of the graph have no labels.
    """
    arrays, saved = content.arrays, content.header.get("label_property")
    if saved is None and label_property is not None:
        raise OptionError("the saved graph is one of a table: its nodes are called by what they are")
    terms = MappedTerms(MappedTexts(arrays["text_ends"], arrays["texts"]), arrays["text_order"])
    predicates = _predicates(MappedTexts(arrays["predicate_ends"], arrays["predicates"]))
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


def _predicates(texts: MappedTexts) -> list[str]:
    try:
        return [texts[place].decode() for place in range(len(texts))]
    except UnicodeDecodeError as error:
        raise broken(f"{error.reason} in a predicate") from None


def _names(terms: MappedTerms, arrays: Arrays) -> NodeNames:
    nodes, labels = arrays["named_nodes"], arrays["name_labels"]
    if len(nodes) != len(labels):
        raise broken("its names are not all there")
    check_vertices(nodes, len(terms))
    check_vertices(labels, len(terms))
    return NodeNames(terms, nodes, labels)
