"""Many random patterns on many random graphs, natively and by pyoxigraph.

``python -m tests.gpm.native.deep 200000 1``: so many pairs of a pattern and a graph, with that seed.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpm.algebra import XSD_DATETIME, Group, Literal, Operation
from gpm.core import lexical_time
from gpm.native.solver import PatternSet
from gpm.native_plan import compile_native
from gpm.native_steps import Reason
from gpm.printing import print_group
from gpm.rewrite import rewrite, walk
from gpm.rows import EventGraph
from gpm.scope import in_scope, uses
from nfa_native.terms.dictionary import Terms
from tests.gpm.native.encoded import answers, arrays
from tests.gpm.native.random_patterns import Maker
from tests.gpm.worlds import Row, plain

GRAPHS = 20  # of each pattern


@dataclass
class Report:
    """What has been compared: pairs of a pattern and a graph."""

    agreed: int = 0
    undecided: int = 0
    wrong: int = 0
    solved: int = 0  # pairs with solutions
    solutions: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    disagreements: dict[str, str] = field(default_factory=dict)  # by pattern

    def count(self, group: Group, event: EventGraph, right: set[Row], mine: set[Row] | None) -> None:
        """Add one pair; None is undecided."""
        if mine is None:
            self.undecided += 1
        elif mine == right:
            self.agreed += 1
            self.solved += bool(right)
            self.solutions += len(right)
        else:
            self.wrong += 1
            self.disagree(group, event, mine, right)

    def disagree(self, group: Group, event: EventGraph, mine: set[Row], right: set[Row]) -> None:
        """Add a pair with different answers."""
        text = f"{print_group(group)}\n  on {list(map(str, event.triples))}: {mine} not {right}"
        self.disagreements.setdefault(print_group(group), text)

    @property
    def pairs(self) -> int:
        """Pairs that the native solver was asked about."""
        return self.agreed + self.undecided + self.wrong

    def __str__(self) -> str:
        lines = [
            f"{self.pairs} pairs: {self.agreed} agree ({self.solved} have {self.solutions} solutions), "
            f"{self.undecided} undecided, {len(self.disagreements)} patterns disagree",
            "operators: " + ", ".join(f"{name} {count}" for name, count in sorted(self.operators.items())),
            "not native: " + ", ".join(f"{name} {count}" for name, count in sorted(self.reasons.items())),
            *self.disagreements.values(),
        ]
        return "\n".join(lines)


def expected(group: Group, events: list[EventGraph], columns: tuple[str, ...], terms: Terms) -> list[set[Row]]:
    """pyoxigraph's answer on each event by itself."""
    if not uses(group, "NOW"):
        return plain(print_group(group), events, columns, terms)
    return [plain(print_group(_at(group, event.timestamp)), [event], columns, terms)[0] for event in events]


def _at(group: Group, time: int) -> Group:
    """The group in which NOW() is that time."""
    now = Literal(lexical_time(time), XSD_DATETIME)
    return rewrite(group, lambda part: now if part == Operation("NOW") else None)


def compare(group: Group, events: list[EventGraph], report: Report) -> None:
    """Add one pattern to the report."""
    terms = Terms()
    columns = tuple(sorted(in_scope(group)))
    pattern = compile_native(group, columns, terms)
    if isinstance(pattern, Reason):
        report.reasons[pattern.text] += 1
        return
    report.operators.update(_operators(group))
    theirs = expected(group, events, columns, terms)
    world = arrays(events, terms)
    alone = answers(PatternSet([pattern]).solve(*world)[0], GRAPHS)
    shared = answers(PatternSet([pattern, pattern]).solve(*world)[1], GRAPHS)
    for event, right, mine, other in zip(events, theirs, alone, shared, strict=True):
        report.count(group, event, right, mine)
        if other is not None and other != right:
            report.disagree(group, event, other, right)


def _operators(group: Group) -> Iterator[str]:
    for part in walk(group):
        yield part.name if isinstance(part, Operation) else type(part).__name__


def run(pairs: int, seed: int = 0) -> Report:
    """Compares so many pairs."""
    report = Report()
    while report.pairs < pairs:
        maker = Maker(random.Random(f"{seed} {sum(report.reasons.values())} {report.pairs}"))
        compare(maker.group(2), maker.events(GRAPHS), report)
    return report


if __name__ == "__main__":
    print(run(int(sys.argv[1]), *map(int, sys.argv[2:])))
