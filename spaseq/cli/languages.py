"""In which language a query is: by the ending of its file, else by what can be read, else by what it looks like.

A language is imported when a query may be in it: that takes as long as checking the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING

from spaseq.errors import QueryError, QuerySyntaxError

if TYPE_CHECKING:
    from spaseq.languages import ceql
    from spaseq.plan.formulas.automaton import RecognitionPlan

_WHERE_OF_CEQL = re.compile(r"\bWHERE\b(?!\s*\{)", re.IGNORECASE)  # in SPAseq a brace follows
_QUERY_OF_PATHS = re.compile(
    r"(?:\s++|#[^\n]*+\n|(?:PREFIX\s++[^\s<]*+\s*+|BASE\s*+)<[^>\n]*+>)*+QUERY\b", re.IGNORECASE
)  # the first word behind the declarations


def is_paths(text: str, path: str) -> bool:
    """Whether a text, from a file of that name, has path queries."""
    ending = PurePath(path).suffix.lower()
    if ending in (".ceql", ".spaseq", ".paths"):
        return ending == ".paths"
    return _QUERY_OF_PATHS.match(text) is not None


def is_ceql(text: str, path: str) -> bool:
    """Whether a query, from a file of that name, is in CEQL and not in SPAseq."""
    ending = PurePath(path).suffix.lower()
    if ending in (".ceql", ".spaseq"):
        return ending == ".ceql"
    from spaseq.languages import ceql, spaseq

    if reads_as(spaseq.parse, text):
        return False
    return reads_as(ceql.parse, text) or _WHERE_OF_CEQL.search(text) is not None


def reads_as(parse: Callable[[str], object], text: str) -> bool:
    """Whether the text is a query without error of the language that ``parse`` reads."""
    try:
        parse(text)
    except (QuerySyntaxError, QueryError):
        return False
    return True


def recognized(parsed: ceql.ParsedFormulaQuery) -> RecognitionPlan:
    """What recognizes the matches of a query in CEQL; QueryError for a GROUP BY without one value for each match."""
    from spaseq.plan.formulas.aggregation import check_groups
    from spaseq.plan.formulas.automaton import planned

    query = parsed.query
    found = planned(query, parsed.normal_form)
    check_groups(query, found)
    return found
