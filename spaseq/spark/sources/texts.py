"""Columns of Arrow as texts of JSON, and of objects made of them."""

from __future__ import annotations

import json

import numpy as np
import pyarrow
from pyarrow import compute
from pyoxigraph import RdfFormat

from gpm.parsing import parse
from gpm.rows import TextColumn
from gpm.terms import term_bytes
from spaseq.results.terms import from_bytes

TEXT = pyarrow.large_string()
_NOT_PLAIN = r'["\\\x00-\x1f]'
# Terms of N-Triples without escapes, and what they are in SPARQL JSON.
_PLAIN_TERMS = (
    (r"^<([^<\\]*)>$", r'{"type": "uri", "value": "\1"}'),
    (r"^_:(.*)$", r'{"type": "bnode", "value": "\1"}'),
    (r'^"([^"\\]*)"$', r'{"type": "literal", "value": "\1"}'),
    (r'^"([^"\\]*)"@([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)$', r'{"type": "literal", "value": "\1", "xml:lang": "\2"}'),
    (r'^"([^"\\]*)"\^\^<([^<\\]*)>$', r'{"type": "literal", "value": "\1", "datatype": "\2"}'),
)


def column(texts: pyarrow.Array) -> TextColumn:
    """The texts for native code; none is NULL."""
    array = texts.cast(TEXT)
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return ends, b"" if data is None else data.to_pybytes()


def json_texts(texts: pyarrow.Array) -> pyarrow.Array:
    """Each text as a string of JSON."""
    return _mended(joined('"', texts, '"'), compute.match_substring_regex(texts, _NOT_PLAIN), texts, _as_json)


def json_terms(terms: pyarrow.Array) -> pyarrow.Array:
    """Each term of N-Triples as an object of SPARQL JSON."""
    distinct = terms.cast(TEXT).dictionary_encode()
    found = distinct.dictionary
    for pattern, text in _PLAIN_TERMS:
        found = compute.replace_substring_regex(found, pattern, text)
    is_left = compute.invert(compute.starts_with(found, "{"))
    return _mended(found, is_left, distinct.dictionary, _term_json).take(distinct.indices)


def json_object(keys: pyarrow.Array, values: pyarrow.Array, offsets: np.ndarray) -> pyarrow.Array:
    """An object for each range of texts of JSON, with these keys."""
    names = keys.cast(TEXT).dictionary_encode()
    entries = joined(json_texts(names.dictionary).take(names.indices), ": ", values)
    return joined("{", gathered(entries, offsets, ", "), "}")


def json_list(values: pyarrow.Array, offsets: np.ndarray) -> pyarrow.Array:
    """A list for each range of texts of JSON."""
    return joined("[", gathered(values, offsets, ", "), "]")


def gathered(texts: pyarrow.Array, offsets: np.ndarray, between: str) -> pyarrow.Array:
    """For each range of texts one text."""
    ranges = pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets, pyarrow.int64()), texts.cast(TEXT))
    return compute.binary_join(ranges, pyarrow.scalar(between, TEXT))


def joined(*parts: pyarrow.Array | str) -> pyarrow.Array:
    """Columns and texts that stand beside each other as one column."""
    columns = [pyarrow.scalar(part, TEXT) if isinstance(part, str) else part.cast(TEXT) for part in parts]
    return compute.binary_join_element_wise(*columns, pyarrow.scalar("", TEXT))


def _mended(texts: pyarrow.Array, which: pyarrow.Array, given: pyarrow.Array, written: object) -> pyarrow.Array:
    """The texts, some of them ``written`` one by one."""
    if not compute.any(which).as_py():
        return texts
    assert callable(written)
    found = pyarrow.array([written(one) for one in given.filter(which).to_pylist()], TEXT)
    return compute.replace_with_mask(texts.cast(TEXT), which, found)


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _term_json(term: str) -> str:
    (quad,) = parse(f"<urn:x> <urn:x> {term} .".encode(), RdfFormat.N_TRIPLES, lenient=True)
    return _as_json(from_bytes(term_bytes(quad.object)).to_json())
