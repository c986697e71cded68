"""Casts of columns are those of pyoxigraph, whatever the values are."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from gpm.algebra import XSD, Operation, Variable
from gpm.expressions import evaluate_columns
from gpm.terms import decode
from nfa_native.terms.dictionary import Terms
from spaseq.sources.mapped.casts import is_cast
from spaseq.sources.mapped.columns import column_words
from spaseq.sources.mapped.solutions import value_of
from spaseq.sources.tables.types import converted

NAMES = [f"<{XSD}{name}>" for name in ("string", "integer", "decimal", "double", "dateTime", "boolean")]
COLUMNS = st.one_of(
    st.lists(st.floats()),
    st.lists(st.integers(-(2**63), 2**63 - 1)),
    st.lists(st.decimals(-(10**9), 10**9, places=3)),
    st.lists(st.one_of(st.text(max_size=4), st.sampled_from(["1", "1.50", "true", "1e5", "2026-01-01T00:00:00Z"]))),
    st.lists(st.booleans()),
)


@pytest.mark.parametrize("name", NAMES)
@given(COLUMNS)
@settings(deadline=None, max_examples=50)
def test_any_column(name: str, values: list[Any]) -> None:
    terms = Terms()
    words = column_words(converted(values, None), terms)
    cast = Operation(name, (Variable("v"),))
    assert is_cast(name)
    found = value_of(cast, {"v": words}, len(words), terms)
    expected = evaluate_columns(cast, ["v"], words.reshape(1, -1), np.zeros(len(words), np.int64), terms)
    shown = [[word and decode(terms, int(word)) for word in some] for some in (found, expected)]
    assert shown[0] == shown[1]


def test_a_double_becomes_the_decimal_that_it_is() -> None:
    terms = Terms()
    words = column_words(converted([35.23, 0.5, float("inf")], None), terms)
    found = value_of(Operation(f"<{XSD}decimal>", (Variable("v"),)), {"v": words}, 3, terms)
    values = [Decimal(decode(terms, int(word)).value) for word in found[:2]]  # type: ignore[union-attr]
    assert values == [Decimal("35.229999999999995904"), Decimal("0.5")]
    assert found[2] == 0
