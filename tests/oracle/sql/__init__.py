"""A brute-force evaluator of MATCH_RECOGNIZE, written from its meaning alone, to compare the engine with."""

from __future__ import annotations

from .evaluate import GroupOutput, SqlOutput, evaluate, evaluate_groups, group_key
from .faults import MatchFault, PlanFault, SearchFault, ValueFault
from .model import SqlQuery, SqlTable, SqlType
from .streaming import certain, in_arrival_order
from .text import expression_text, query_text
from .values import same_row, same_value

__all__ = [
    "GroupOutput",
    "MatchFault",
    "PlanFault",
    "SearchFault",
    "SqlOutput",
    "SqlQuery",
    "SqlTable",
    "SqlType",
    "ValueFault",
    "certain",
    "evaluate",
    "evaluate_groups",
    "expression_text",
    "group_key",
    "in_arrival_order",
    "query_text",
    "same_row",
    "same_value",
]
