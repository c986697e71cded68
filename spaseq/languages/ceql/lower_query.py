"""Syntax tree to algebra: names, numbers and clauses are checked on the way."""

from __future__ import annotations

import re

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.lower_expression import lower_filter, number
from spaseq.languages.ceql.lower_select import lower_select
from spaseq.languages.ceql.scope import Variables
from spaseq.languages.problem import Problem
from spaseq.pattern.formulas import query as algebra
from spaseq.pattern.times import LONGEST, MICROSECONDS
from spaseq.suggestion import did_you_mean


def lower_query(node: tree.Query) -> algebra.FormulaQuery:
    """The meaning of a query; Problem for the first thing in it that has none."""
    streams = _distinct(node.streams, "stream")
    formula = lower_formula(node.formula, streams)
    selection = lower_select(node, Variables(formula))
    return algebra.FormulaQuery(
        formula,
        streams,
        algebra.SelectionStrategy(node.select.strategy or "ALL"),
        selection.variables,
        selection.aggregates,
        selection.group_by,
        _distinct(node.partition, "attribute"),
        lower_window(node.window) if node.window else None,
        _whole(node.limit, "LIMIT") if node.limit else None,
        algebra.Consumption(node.consume.policy if node.consume else "NONE"),
        selection.columns,
    )


def lower_formula(node: tree.Formula, streams: tuple[str, ...]) -> algebra.Formula:
    """The formula; Problem for an unknown stream, an unknown variable, or a misplaced condition."""
    match node:
        case tree.Reference(name, stream):
            if stream is not None and streams and stream not in streams:
                raise Problem(f"unknown stream {stream}", node.span, did_you_mean(stream, streams))
            return algebra.Relation(name, stream)
        case tree.Named(body, name):
            return algebra.Named(lower_formula(body, streams), name.text)
        case tree.Filtered(body, condition):
            lowered = lower_formula(body, streams)
            return algebra.Filtered(lowered, lower_filter(condition, Variables(lowered)))
        case tree.Alternatives(left, right):
            return algebra.Alternation(lower_formula(left, streams), lower_formula(right, streams))
        case tree.Steps(left, contiguous, right):
            return algebra.Sequencing(lower_formula(left, streams), lower_formula(right, streams), contiguous)
        case tree.Repeated(body, contiguous):
            return algebra.Iteration(lower_formula(body, streams), contiguous)


def lower_window(node: tree.Window) -> algebra.Window:
    """The window; Problem if its length is not positive, or longer than time itself."""
    match node:
        case tree.EventWindow(length):
            return algebra.EventWindow(_whole(length, "WITHIN"))
        case tree.AttributeWindow(length, attribute):
            found = number(length)
            if found <= 0:
                raise Problem("WITHIN 0 is no window", length.span, "the length is positive")
            return algebra.AttributeWindow(found, attribute.text)
        case tree.TimeWindow(durations):
            whole = sum(_whole(each.length, "WITHIN") * MICROSECONDS[each.unit] for each in durations)
            if whole > LONGEST:
                raise Problem("WITHIN is longer than time itself", node.span, "leave WITHIN out")
            return algebra.TimeWindow(whole)


def _whole(node: tree.Number, clause: str) -> int:
    if not re.fullmatch(r"0*[1-9][0-9]*", node.text):
        hint = "take a smaller unit, as in WITHIN 1500 MILLISECONDS" if "." in node.text and clause == "WITHIN" else ""
        raise Problem(f"{clause} {node.text[:30]}: a positive whole number is needed", node.span, hint)
    if len(node.text.lstrip("0")) > 18:
        raise Problem(f"{clause} {node.text[:30]}… is too large", node.span, f"leave {clause} out")
    return int(node.text)


def _distinct(names: tuple[tree.Name, ...], kind: str) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name.text in seen:
            raise Problem(f"{kind} {name.text} is named twice", name.span)
        seen.add(name.text)
    return tuple(name.text for name in names)
