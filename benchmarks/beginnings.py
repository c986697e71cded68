"""Eight kinds of rules that begin alike: each kind as a family, and all as one query of their common beginning.

The one query is what sharing beginnings would run: ``A ; B ; (C | D | …)``, the kind of a rule being one more parameter
that the last steps ask for.  Steps of the beginning are then taken once, but the sets of rules that wait are split by
kind where rules end.  Rules have thresholds in A; *never*: no last step is ever taken.  Counted, CPU time from bytes.

Run: ``python -m benchmarks.beginnings [events]``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.many import from_bytes, limits
from spaseq.datasets import workloads

LAST = {
    "C": "?p3 < ?p2", "D": "?p3 > ?p2 + 1", "E": "?p3 < ?p2 - 1", "F": "?p3 > ?p2 + 2",
    "G": "?p3 < ?p2 - 2", "H": "?p3 > ?p2 + 3", "I": "?p3 < ?p2 - 3", "J": "?p3 > ?p2 + 4",
}  # fmt: skip
QUERY = """
PREFIX stock: <https://spaseq.org/ontology/stock#>
SELECT ?company ?p1 ?p2
WITHIN 20 SECONDS SLIDING
FROM STREAM stock <https://spaseq.org/stream/stock>
{given}
WHERE {{
  SEQ(A ; B ; ({last}))
  DEFINE GPM A ON stock {{ ?q1 stock:company ?company ; stock:price ?p1 . FILTER(?p1 > {threshold}) }}
  DEFINE GPM B ON stock {{ ?q2 stock:company ?company ; stock:price ?p2 . FILTER(?p2 > ?p1) }}
  {gpms}
}}
"""


def gpm(name: str, *conditions: str) -> str:
    """The GPM of a last step."""
    condition = " && ".join((LAST[name], *conditions)).replace("?p3", f"?p{name}")
    return (
        f"DEFINE GPM {name} ON stock {{ ?q{name} stock:company ?company ; stock:price ?p{name} . FILTER({condition}) }}"
    )


def families(rules: int, more: tuple[str, ...]) -> dict[str, str]:
    """A query for each rule of each kind."""
    return {
        f"{name}{row['limit']}": QUERY.format(given="", last=name, threshold=row["limit"], gpms=gpm(name, *more))
        for name in LAST
        for row in limits(rules)
    }


def one_query(rules: int, more: tuple[str, ...]) -> str:
    """All of them as rows of one."""
    rows = " ".join(f"({kind} {row['limit']})" for kind in range(len(LAST)) for row in limits(rules))
    gpms = "\n  ".join(gpm(name, *more, f"?kind = {kind}") for kind, name in enumerate(LAST))
    return QUERY.format(
        given=f"GIVEN (?kind ?limit) {{ {rows} }}", last=" | ".join(LAST), threshold="?limit", gpms=gpms
    )


def main() -> None:
    """A line for each number of rules."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        stream = workloads()["stocks"].write(Path(folder), events, 1)["stock"]
        for rules in (1, 25, 125):
            for more in (("?p3 > 100000",), ()):
                apart = min(from_bytes(families(rules, more), None, stream, True, True) for _ in range(3))
                whole = min(from_bytes({"all": one_query(rules, more)}, None, stream, True, True) for _ in range(3))
                assert apart[1] == whole[1]
                each, one = apart[0] / events * 1e6, whole[0] / events * 1e6
                title = f"8 kinds of {rules:>3} rules, {'never' if more else 'often'}"
                print(f"{title}: families {each:6.2f} µs an event, one query {one:6.2f}, {each / one:.2f} times")


if __name__ == "__main__":
    main()
