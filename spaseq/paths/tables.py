"""Edge tables: a row is an edge, from the node of one column along the relation of another to the node of a third.

Needs pyarrow.  Names of nodes are strings, names of relations IRIs (``urn:relation:`` and the name), unless they are
absolute IRIs themselves.  Columns are found by the usual names of such columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from gpm.rows import Words
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.names import name_words
from spaseq.errors import OptionError, StreamError
from spaseq.paths.terms import relation_bytes
from spaseq.sources.files import IPC, JSON_LINES, PARQUET, ending_of
from spaseq.sources.tables.csv import CsvSource
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.opening import open_source
from spaseq.sources.tables.parquet import ParquetSource
from spaseq.sources.tables.source import CsvFormat, TableSource
from spaseq.text import did_you_mean

Columns = tuple[str, str, str]

LETTERS = (("s", "p", "o"), ("h", "r", "t"))  # in this order alone, as letters may well be names of nodes
SUBJECTS = "subject subj source src head from start subjectid sourceid headid fromid startid sourcenode fromnode node1"
RELATIONS = (
    "relation rel relationship predicate pred property label type edge relationid relationtype edgetype edgelabel"
)
OBJECTS = (
    "object obj target tgt tail to end objectid targetid tailid toid endid targetnode tonode node2 destination dest dst"
)
KINDS = tuple(frozenset(names.split()) for names in (SUBJECTS, RELATIONS, OBJECTS))


def edge_columns(names: Sequence[str]) -> Columns | None:
    """The columns of subjects, relations and objects among ``names``.

    None: not each of them has one usual name, in any case and with any marks, or one has several.
    """
    plain = ["".join(filter(str.isalnum, name)).casefold() for name in names]
    for letters in LETTERS:
        places = [place for place, one in enumerate(plain) if one in letters]
        if tuple(plain[place] for place in places) == letters:
            return _columns_at(names, places)
    found = [[place for place, one in enumerate(plain) if one in kind] for kind in KINDS]
    return _columns_at(names, [place for (place,) in found]) if all(len(some) == 1 for some in found) else None


def _columns_at(names: Sequence[str], places: Sequence[int]) -> Columns:
    subject, relation, object_ = (names[place] for place in places)
    return subject, relation, object_


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────
COLUMNS = ("subject", "relation", "object")
DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "|"}


@dataclass(frozen=True, slots=True)
class TableForm:
    """How a table has edges: the names of the three ``columns``, and what separates values.

    None: those that the file has, and by its name.
    """

    columns: tuple[str, str, str] | None = None
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of some rows of a table, the first of which is the row ``first`` of all."""

    values: Any
    name: str
    first: int
    source: TableSource

    @property
    def is_short_dictionary(self) -> bool:
        """Whether it has codes of values that are fewer than its rows, and nothing is missing."""
        if not pyarrow.types.is_dictionary(self.values.type) or len(self.values.dictionary) > len(self.values):
            return False
        return not self.values.null_count and not self.values.dictionary.null_count

    def texts(self) -> Any:
        """Its values as strings."""
        values = self.values
        if pyarrow.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        return values.cast(pyarrow.string())

    def present(self) -> Any:
        """Its values as strings.  StreamError: one is missing or empty."""
        texts = self.texts()
        is_missing = pyarrow.compute.or_kleene(texts.is_null(), pyarrow.compute.equal(texts, ""))
        missing = is_missing.to_numpy(zero_copy_only=False)
        if missing.any():
            row = self.first + int(np.flatnonzero(missing)[0])
            raise StreamError(f"the edge has no {self.name}", self.source.place(row))
        return texts


def edge_table(terms: Terms, data: Any, form: TableForm) -> Words:
    """uint64[3, n]: the edges of a table, as of ``gpm.edges.edge_words``.

    ``data`` is whatever ``spaseq.tuples.open_source`` opens.  A CSV file either names its columns in the first line, so
    or as is usual (``edge_columns``), or has just these three.  StreamError: a row is no edge, or cannot be read;
    OptionError: a column is not there.
    """
    words = pushed_table(terms, data, form)
    pyarrow.default_memory_pool().release_unused()  # what the batches took: making the graph takes as much
    terms.pin(words)
    return words


def pushed_table(terms: Terms, data: Any, form: TableForm) -> Words:
    """As ``edge_table``, but terms are not pinned: a few rows of many, as they come in a stream."""
    found = [np.empty((3, 0), np.uint64)]
    for subjects, relations, objects in _columns(data, form):
        begin = _node_words(terms, subjects)
        along = _relation_words(terms, relations)
        found.append(np.stack([begin, along, _node_words(terms, objects)]))
    return found[1] if len(found) == 2 else np.concatenate(found, axis=1)


def _columns(data: Any, form: TableForm) -> Iterator[tuple[TableColumn, TableColumn, TableColumn]]:
    """Subjects, relations and objects, some rows after the other."""
    columns, source = _opened(data, form)
    schema = source.choose(columns)
    places, first = [schema.get_field_index(name) for name in columns], 0
    for batch in source.batches():
        subject, relation, object_ = (
            TableColumn(batch.column(place), name, first, source) for place, name in zip(places, columns, strict=True)
        )
        yield subject, relation, object_
        first += batch.num_rows


def _opened(data: Any, form: TableForm) -> tuple[Sequence[str], TableSource]:
    """The names of the columns of edges, and the source."""
    wanted = form.columns or COLUMNS
    is_file = isinstance(data, str | Path) and ending_of(data) not in (*PARQUET, *IPC, *JSON_LINES)
    delimiter = form.separator or DELIMITERS.get(ending_of(data) if is_file else "", ",")
    source = _source(data, wanted, CsvFormat(delimiter, nulls=()) if is_file else None)
    missing = [name for name in wanted if name not in source.names]
    if not missing:
        return wanted, source
    if form.columns is None and (usual := edge_columns(source.names)):
        return usual, source
    if is_file and isinstance(source, CsvSource) and len(source.names) == len(wanted) == len(missing) == len(wanted):
        return wanted, _source(data, wanted, CsvFormat(delimiter, wanted, ()))
    if form.columns is None and len(source.names) == len(wanted):
        return source.names, source
    hint = did_you_mean(missing[0], source.names)
    raise OptionError(f"the table of edges has no column {missing[0]}: {hint or 'it has no columns'}")


def _source(data: Any, wanted: Sequence[str], form: CsvFormat | None) -> TableSource:
    types = dict.fromkeys(wanted, "string") if form is not None and form.names else None
    source = open_source(data, types, form)
    if isinstance(source, CsvSource | JsonSource):
        for name in source.names:
            source.as_text(name)  # 1944 is a name
    elif isinstance(source, ParquetSource):
        source.without_codes()  # of nodes there are too many
    return source


def _node_words(terms: Terms, column: TableColumn) -> Words:
    """The words of nodes, natively.  StreamError: one is missing or empty."""
    if column.is_short_dictionary:
        values = column.values
        words: Words = _name_words(terms, values.dictionary.cast(pyarrow.string()))[np.from_dlpack(values.indices)]
    else:
        texts = column.texts()
        words = _name_words(terms, column.present() if texts.null_count else texts)
    if not words.all():
        column.present()
    return words


def _relation_words(terms: Terms, column: TableColumn) -> Words:
    """The words of relations, which are few.  StreamError: one is missing or empty."""
    coded = column.texts().dictionary_encode()
    names = coded.dictionary.to_pylist()
    if coded.null_count or "" in names:
        column.present()
    words: Words = terms.intern_many_transient(list(map(relation_bytes, names)))[np.from_dlpack(coded.indices)]
    return words


def _name_words(terms: Terms, names: Any) -> Words:
    """The words of names of nodes; 0: it is empty."""
    if not len(names):
        return np.empty(0, np.uint64)
    _, offsets, text = names.buffers()
    bounds = np.frombuffer(offsets, np.int32, len(names) + 1, 4 * names.offset)
    return name_words(terms, bounds, np.frombuffer(text or b"", np.uint8))
