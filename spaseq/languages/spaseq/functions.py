"""The functions of the language: how many arguments each takes, and why some are refused."""

from __future__ import annotations

NO_LIMIT = 1 << 30


def _all(names: str, least: int, most: int | None = None) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(names.split(), (least, least if most is None else most))


# Built-in functions of SPARQL 1.1 with their least and greatest number of arguments.
BUILT_INS: dict[str, tuple[int, int]] = {
    **_all("NOW", 0),
    **_all("BNODE", 0, 1),
    **_all("CONCAT COALESCE", 0, NO_LIMIT),
    **_all("STR LANG DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND STRLEN UCASE LCASE ENCODE_FOR_URI", 1),
    **_all("YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512", 1),
    **_all("ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC", 1),
    **_all("LANGMATCHES CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER STRLANG STRDT SAMETERM", 2),
    **_all("REGEX SUBSTR", 2, 3),
    **_all("IF", 3),
    **_all("REPLACE", 3, 4),
}
SYNONYMS = {"URI": "IRI", "ISURI": "ISIRI"}
OF_SPARQL = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
AGGREGATES = (*OF_SPARQL, "FIRST", "LAST", "STDEV", "VARIANCE", "MEDIAN")
DISTINCT_OF_ITERATIONS = ("COUNT", "MIN", "MAX", "STDEV", "VARIANCE", "MEDIAN")
OF_ONE_EVENT = ("NOW", "BNODE")  # what they give depends on when they are asked
NOT_REPEATABLE = ("RAND", "UUID", "STRUUID")
