"""CSV and TSV are made natively: byte for byte what Python's ``csv``, and ``to_ntriples``, make of each match."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from gpm.native import delimited
from nfa_native.terms.dictionary import Terms
from spaseq.results.formats import Layout, open_writer
from spaseq.results.table import MatchTable
from spaseq.results.terms import Value
from tests.results.tables import make_table
from tests.results.test_jsonl import TERMS

SPECIAL = st.text('a,;"\\\n\r\t\b\f\x00\x1f\x7f\x80\x9f\xa0 é', max_size=6)


def written(name: str, table: MatchTable) -> str:
    output = io.StringIO(newline="")
    open_writer(name, output, Layout(table.columns)).write(table)
    return output.getvalue()


def csv_by_definition(table: MatchTable) -> str:
    output = io.StringIO(newline="")
    rows = csv.writer(output)
    rows.writerow(table.columns)
    rows.writerows([plain(value) for _, value in table.row(index)] for index in range(len(table)))
    return output.getvalue()


def plain(value: Value | None) -> str:
    if value is None:
        return ""
    return "_:" + value.text if value.kind == "bnode" else value.text


def tsv_by_definition(table: MatchTable) -> str:
    lines = [["?" + name for name in table.columns]]
    lines += [["" if value is None else value.to_ntriples() for _, value in table.row(i)] for i in range(len(table))]
    return "".join("\t".join(line) + "\n" for line in lines)


def check(table: MatchTable) -> None:
    assert written("csv", table) == csv_by_definition(table)
    assert written("tsv", table) == tsv_by_definition(table)


@given(st.integers(0, 3), st.lists(st.tuples(TERMS, TERMS, TERMS), max_size=4))
def test_lines_are_rows(width: int, rows: list[tuple[Any, ...]]) -> None:
    table = make_table(("a", "b", "é")[:width], [row[:width] for row in rows])
    check(table)
    check(table.alone(np.arange(len(table))))


@given(st.sampled_from(["I{}", "B{}", "S{}", "Len\0{}", "Len--rtl\0{}", "Turn:{0}\0{0}"]), SPECIAL)
def test_special_characters(form: str, text: str) -> None:
    table = make_table(("x", "y"), [(None, None)])
    assert isinstance(table.terms, Terms)
    word = table.terms.intern(form.format(text.replace("\0", "")).encode())
    check(replace(table, words=np.array([[word, 0]], np.uint64)))


@given(st.lists(TERMS, max_size=6))
def test_terms_of_ntriples(terms: list[Any]) -> None:
    table = make_table(("x",), [(term,) for term in terms])
    assert isinstance(table.terms, Terms)
    ends, text = delimited.ntriples(table.terms, table.words[:, 0])
    found = [text[start:end].decode() for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    assert found == tsv_by_definition(table).splitlines()[1:]
    with pytest.raises(ValueError, match="no word of this table"):
        delimited.ntriples(table.terms, np.array([1 << 40], np.uint64))


@pytest.mark.parametrize("lines", [delimited.csv, delimited.tsv])
def test_words_of_another_table(lines: Any) -> None:
    words = np.array([[0, Terms().intern(b"Iurn:x")]], np.uint64)
    with pytest.raises(ValueError, match="no word of this table"):
        lines(Terms(), words)
