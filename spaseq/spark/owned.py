"""Which results of an engine are its own to give: an event with several keys stands in several engines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpm.algebra import Variable
from nfa_native.terms.words import Terms
from spaseq.pattern.sequences import Selection
from spaseq.results.table import MatchTable
from spaseq.spark.parts import Part
from spaseq.spark.routing import bucket_of


def owned(table: MatchTable, part: Part, number: int, terms: Terms) -> MatchTable:
    """The rows of an engine's table whose keys are in the bucket of the engine with this ``number``."""
    if not part.split.shown or part.buckets == 1 or not len(table):
        return table
    (plan,) = part.plans
    columns = [table.words[:, table.columns.index(name)] for name in _columns(plan.query.form, part.split.keys)]
    own = np.flatnonzero(bucket_of(columns, part.buckets, terms) == number - part.first)
    return table if len(own) == len(table) else table.select(own)


def _columns(form: object, keys: tuple[str, ...]) -> Iterator[str]:
    """The names under which SELECT shows the keys."""
    assert isinstance(form, Selection), "a row shows its keys"
    shown = {one.expression.name: one.name for one in form.projections if isinstance(one.expression, Variable)}
    return (shown[key] for key in keys)
