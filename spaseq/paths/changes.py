"""A graph with some edges more and some less, which shares with it whatever they do not touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nfa_native.terms.words import Terms
from spaseq.errors import StreamError
from spaseq.paths.adjacency import NO_EDGES, NO_KEYS, LabelRows, Numbers, are_among, ends_of
from spaseq.paths.edges import GraphEdges, check_size
from spaseq.paths.given import given_words
from spaseq.paths.numbering import EdgeNumbering, KeysByLabel
from spaseq.paths.row_changes import LabelChange, all_grown, have_rows
from spaseq.paths.terms import MoreTerms


@dataclass(frozen=True, slots=True)
class EdgeChange:
    """How many edges came and went, and how many of those that were given made no difference.

    These are edges to be added that were ``there`` already, and edges to be removed that were ``unknown``.
    """

    added: int
    removed: int
    there: int
    unknown: int


def change_edges(graph: GraphEdges, old: GraphEdges, added: Any, removed: Any) -> EdgeChange:
    """Let a new graph be an old one with some edges more and some less, as of ``given_words``.

    Nodes and predicates keep their numbers, new ones get the next.  StreamError: a damaged file had the old graph.
    """
    numbering, terms = EdgeNumbering(old), Terms()
    are_names = old.label_property is None
    to_come = numbering.new_edges(terms, given_words(terms, added, are_names))
    to_go, strangers = numbering.known_edges(terms, given_words(terms, removed, are_names))
    count = len(numbering.labels)
    rows = [*old.rows, *[LabelRows(NO_EDGES, NO_EDGES)] * (count - len(old.rows))]
    changes = {
        label: LabelChange.of(rows[label], to_come.get(label, NO_KEYS), to_go.get(label, NO_KEYS))
        for label in sorted({*to_come, *to_go})
    }
    try:
        _apply(graph, old, numbering, rows, changes)
    except (IndexError, ValueError) as error:  # only a saved graph that was damaged has rows without order
        raise StreamError(f"the rows of the graph are damaged: {error}") from None
    return _counted(to_come, to_go, strangers, changes)


def _apply(
    graph: GraphEdges,
    old: GraphEdges,
    numbering: EdgeNumbering,
    rows: Sequence[LabelRows],
    changes: Mapping[int, LabelChange],
) -> None:
    terms = MoreTerms(old.terms, tuple(numbering.texts)) if numbering.texts else old.terms
    vertices = len(terms)
    check_size(vertices, len(old) + sum(len(each.fresh) for each in changes.values()))
    changed = [
        changes[label].applied(each, vertices) if label in changes else all_grown(each, vertices)
        for label, each in enumerate(rows)
    ]
    names, change = old.known_names, changes.get(numbering.labels.get(old.label_property or "", -1))
    if names is not None and change is not None:
        names = names.changed(terms, change.fresh, change.gone)
    idle = _idle(old.idle, changes, changed)
    GraphEdges.__init__(graph, terms, tuple(numbering.labels), changed, old.label_property, idle, names)


def _idle(before: Numbers, changes: Mapping[int, LabelChange], rows: Sequence[LabelRows]) -> Numbers:
    """The vertices without edges: some of those that were so before, and of those that lost some."""
    some = np.unique(np.concatenate([before, *(ends_of(each.gone) for each in changes.values())]))
    for way in (way for each in rows for way in each):
        if len(some):
            some = some[~have_rows(way, some)]
    return some


def _counted(
    to_come: KeysByLabel, to_go: KeysByLabel, strangers: int, changes: Mapping[int, LabelChange]
) -> EdgeChange:
    fresh = sum(len(each.fresh) for each in changes.values())
    gone = sum(len(each.gone) for each in changes.values())
    stay = sum(int(are_among(keys, to_come.get(label, NO_KEYS)).sum()) for label, keys in to_go.items())
    there = sum(map(len, to_come.values())) - fresh
    return EdgeChange(fresh, gone, there, sum(map(len, to_go.values())) + strangers - stay - gone)
