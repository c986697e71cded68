"""Where Trino and SPAseq are known to differ: lines of a table in ``docs/sql.md``, each by its first cell."""

from __future__ import annotations

import re
from enum import StrEnum


class Difference(StrEnum):
    """What the results of a query differ in."""

    NO_ROW = "a row that is not there"
    RUNNING_FIRST = "FIRST, running"
    COMING_LABEL = "CLASSIFIER in NEXT"
    SKIP_TO_FIRST = "SKIP TO the first row"
    COLUMN_TWICE = "a column twice"
    DOUBLE_TEXT = "DOUBLE to VARCHAR"
    NAN = "NaN in MAX and GREATEST"
    INTERVAL = "INTERVAL"
    EMPTY_ITERATION = "an iteration without a row"
    ONE_PART = "PERMUTE of one part"
    QUOTED_NAME = "names in quotes"
    T_IN_TIMES = "times with T"
    OPERANDS_OF_IN = "values in IN"
    PLUS = "+ before a DECIMAL"
    DECIMAL_CHOICE = "CASE and NULLIF of decimals"
    NOT_HERE = "not here"


TRINO_FAILS = (
    (Difference.COLUMN_TWICE, re.compile(r"Column '.*' is ambiguous")),
    (Difference.PLUS, re.compile(r"Unary '\+' operator .* decimal")),
    (Difference.DECIMAL_CHOICE, re.compile(r"^java\.lang\.IllegalArgumentException(: Expected operator: EQUAL)?$")),
)
"""What Trino says where it refuses, or fails at, what SPAseq answers."""

CASES = {
    "aggregates/doubles": Difference.NAN,
    "classifier_number/next_of_classifier_running": Difference.COMING_LABEL,
    "errors/array_agg_in_define": Difference.NOT_HERE,
    "errors/average_of_intervals": Difference.NOT_HERE,
    "errors/cast_of_an_interval_to_text": Difference.NOT_HERE,
    "errors/cast_to_an_unsupported_type": Difference.NOT_HERE,
    "errors/match_number_within_a_navigation": Difference.NOT_HERE,
    "errors/match_number_within_an_aggregate": Difference.NOT_HERE,
    "errors/quoted_column_must_be_exact": Difference.QUOTED_NAME,
    "errors/subquery": Difference.NOT_HERE,
    "errors/sum_of_intervals": Difference.NOT_HERE,
    "expressions/casts_between_dates_and_timestamps": Difference.T_IN_TIMES,
    "expressions/casts_to_text": Difference.DOUBLE_TEXT,
    "expressions/doubles_with_infinity_and_nan": Difference.NAN,
    "expressions/guards": Difference.OPERANDS_OF_IN,
    "navigation/first_of_a_label_running_and_final": Difference.RUNNING_FIRST,
    "navigation/first_with_an_offset_running": Difference.RUNNING_FIRST,
    "navigation/no_row_gives_null_whatever_the_expression": Difference.NO_ROW,
    "navigation/prev_off_the_group_gives_null_whatever_the_expression": Difference.NO_ROW,
    "permute/one_part": Difference.ONE_PART,
}
"""Case files that are no random queries, so that nothing but their names tells what they differ in."""
