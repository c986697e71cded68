"""Edge tables: a row is an edge, from the node of one column along the relation of another to the node of a third.

Needs pyarrow.  Names of nodes are strings, names of relations IRIs (``urn:relation:`` and the name), unless they are
absolute IRIs themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from gpm.rows import Words
from nfa_native.terms.words import Terms
from spaseq.errors import OptionError, StreamError
from spaseq.paths.names import IRI_STARTS, node_bytes, relation_bytes
from spaseq.suggestion import did_you_mean
from spaseq.tuples import CsvFormat, Source, open_source
from spaseq.tuples.sources.csv import CsvSource

COLUMNS = ("subject", "relation", "object")
DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "|"}


@dataclass(frozen=True, slots=True)
class TableForm:
    """How a table has edges: the names of the three ``columns``, and what separates values.

    None: those that the file has, and by its name.
    """

    columns: tuple[str, str, str] | None = None
    separator: str | None = None


def edge_table(terms: Terms, data: Any, form: TableForm, transient: bool = False) -> Words:
    """uint64[3, n]: the edges of a table, as of ``gpm.edges.edge_words``.

    ``data`` is whatever ``spaseq.tuples.open_source`` opens.  A CSV file either names its columns in the first line, or
    has just these three.  ``transient``: terms are not pinned.
    StreamError: a row is no edge, or cannot be read; OptionError: a column is not there.
    """
    columns, source = _opened(data, form)
    schema = source.choose(columns)
    first: int = 0
    texts: list[list[Any]] = [[], [], []]
    for batch in source.batches():
        for each, name in zip(texts, columns, strict=True):
            each.append(_texts(batch.column(schema.get_field_index(name)), name, first, source))
        first += batch.num_rows
    subjects, relations, objects = texts
    interned = terms.intern_many_transient if transient else terms.intern_many
    nodes = _words(interned, subjects + objects, _nodes_bytes)
    return np.stack([nodes[:first], _words(interned, relations, _relations_bytes), nodes[first:]])


def _opened(data: Any, form: TableForm) -> tuple[Sequence[str], Source]:
    """The names of the columns of edges, and the source."""
    wanted = form.columns or COLUMNS
    is_file = isinstance(data, str | Path) and Path(data).suffix.lower() not in (".parquet", ".pq")
    delimiter = form.separator or DELIMITERS.get(_suffix(data) if is_file else "", ",")
    source = _source(data, wanted, CsvFormat(delimiter, nulls=()) if is_file else None)
    missing = [name for name in wanted if name not in source.names]
    if not missing:
        return wanted, source
    if is_file and len(source.names) == len(wanted) and len(missing) == len(wanted):
        return wanted, _source(data, wanted, CsvFormat(delimiter, wanted, ()))
    if form.columns is None and len(source.names) == len(wanted):
        return source.names, source
    hint = did_you_mean(missing[0], source.names)
    raise OptionError(f"the table of edges has no column {missing[0]}: {hint or 'it has no columns'}")


def _source(data: Any, wanted: Sequence[str], form: CsvFormat | None) -> Source:
    types = dict.fromkeys(wanted, "string") if form is not None and form.names else None
    source = open_source(data, types, form)
    if isinstance(source, CsvSource):
        for name in source.names:
            source.as_text(name)  # 1944 is a name
    return source


def _suffix(path: str | Path) -> str:
    found = [one.lower() for one in Path(path).suffixes]
    return (found[:-1] if found[-1:] == [".gz"] else found)[-1:][0] if found else ""


def _texts(column: Any, name: str, first: int, source: Source) -> Any:
    """A column as strings.  StreamError: one is missing or empty."""
    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    texts = column.cast(pyarrow.string())
    missing = pyarrow.compute.or_kleene(texts.is_null(), pyarrow.compute.equal(texts, "")).to_numpy(
        zero_copy_only=False
    )
    if missing.any():
        row = first + int(np.flatnonzero(missing)[0])
        raise StreamError(f"the edge has no {name}", source.place(row))
    return texts


def _words(interned: Callable[[list[bytes]], Words], texts: Sequence[Any], form: Callable[[Any], list[bytes]]) -> Words:
    """The words of texts, each of them made of its text once."""
    coded = pyarrow.chunked_array(texts, pyarrow.string()).dictionary_encode().combine_chunks()
    found: Words = interned(form(coded.dictionary))[coded.indices.to_numpy()]
    return found


def _nodes_bytes(names: Any) -> list[bytes]:
    """``node_bytes`` of each name, at once where none may be an IRI."""
    if any(pyarrow.compute.any(pyarrow.compute.starts_with(names, start)).as_py() for start in IRI_STARTS):
        return list(map(node_bytes, names.to_pylist()))
    texts = pyarrow.compute.binary_join_element_wise("S", names, "")
    found: list[bytes] = texts.cast(pyarrow.binary()).to_pylist()
    return found


def _relations_bytes(names: Any) -> list[bytes]:
    return list(map(relation_bytes, names.to_pylist()))
