"""Graphs that are walked: their triples as columns of words."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from pyoxigraph import Quad, RdfFormat, Triple

from gpm.background import GZIP, graph_format, located, triples_of_rdflib, unpacked
from gpm.errors import PatternError
from gpm.native.assembly import Assembler, Encoder
from gpm.nesting import TOO_DEEP, is_deep_term
from gpm.parsing import parse
from gpm.rows import Words
from gpm.terms import is_rdflib_graph, term_bytes, to_oxigraph
from nfa_native.terms.dictionary import Terms

EdgeSource: TypeAlias = "str | os.PathLike[str] | Any"  # a file, an rdflib graph, a Store, quads or triples
SCOPE = 1  # of the blank nodes of a graph
BLOCK = 1 << 20  # bytes of N-Triples that are read at once: as many stay in the cache of a core
AT_ONCE = 10_000  # terms


def edge_words(terms: Terms, source: EdgeSource) -> Words:
    """uint64[3, n]: subjects, predicates and objects of the triples of a source, whatever graphs they are in.

    A triple that is there twice may come twice.  GraphSyntaxError: a file is not RDF; OSError: it cannot be read;
    PatternError: something is no source.
    """
    if isinstance(source, str | os.PathLike):
        return _words_of_file(terms, Path(source))
    if is_rdflib_graph(source):
        return _words(terms, triples_of_rdflib(source))
    return _words(terms, triples_of(source))


def _words_of_file(terms: Terms, path: Path) -> Words:
    file_format = graph_format(path)
    try:
        with path.open("rb") as file:
            if file_format == RdfFormat.N_TRIPLES:
                return _words_of_lines(terms, _unpacked_file(path, file))
            return _words(terms, parse(unpacked(path, file.read()), file_format, path.absolute().as_uri()))
    except SyntaxError as error:
        raise located(str(path), path, error) from None


def _unpacked_file(path: Path, file: BufferedReader) -> BinaryIO:
    """The file itself, if it may be read piece by piece and again, else its contents."""
    is_packed = file.peek(len(GZIP)).startswith(GZIP)
    return io.BytesIO(unpacked(path, file.read())) if is_packed or not file.seekable() else file


def _words_of_lines(terms: Terms, file: BinaryIO) -> Words:
    """The triples of N-Triples, natively.  SyntaxError: a line is no triple."""
    encoder = Encoder(terms)
    encoder.want([(0, 0, 0)])
    assembler, found = Assembler(encoder, ()), [np.empty((3, 0), np.uint64)]
    while block := file.read(BLOCK):
        encoder.next_scope = SCOPE
        if not assembler.add(0, b"", block + file.readline()):
            file.seek(0)
            return _words(terms, parse(file.read(), RdfFormat.N_TRIPLES))
        found.append(assembler.take()["triples"])
    words = np.concatenate(found, axis=1)
    terms.pin(words)
    return words


def _words(terms: Terms, triples: Iterable[Any]) -> Words:
    """The words of triples one by one."""
    found = [np.empty((3, 0), np.uint64)]
    parts = iter(triples)
    while some := list(islice(parts, AT_ONCE)):
        texts = [term_bytes(term, SCOPE) for one in some for term in (one.subject, one.predicate, one.object)]
        found.append(terms.intern_many(texts).reshape(-1, 3).T)
    return np.concatenate(found, axis=1)


def triples_of(source: Any) -> Iterator[Quad | Triple]:
    """The triples of an iterable of such, of quads or of tuples of three terms.  PatternError: something is none."""
    if isinstance(source, bytes) or not isinstance(source, Iterable):
        raise PatternError(f"a graph is a file, a graph, or triples, not {source!r:.80}")
    for part in source:
        triple = Triple(*map(to_oxigraph, part)) if isinstance(part, tuple) and len(part) == 3 else part  # type: ignore[arg-type]
        if not isinstance(triple, Quad | Triple):
            raise PatternError(f"a graph is a file, a graph, or triples; this is none: {part!r:.80}")
        if is_deep_term(triple.object):
            raise PatternError(TOO_DEEP)
        yield triple
