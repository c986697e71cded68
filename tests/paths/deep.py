"""The long comparison of an engine with the oracle: ``python -m tests.paths.deep 20000 0 --engine MODULE:FUNCTION``.

``N`` worlds from ``SEED`` on, a tenth of them with starts given by the program; with ``--exhaustive STRIDE`` also all
small expressions on all graphs of two nodes, or every so manieth.  It ends with status 1 if there was a difference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, islice

from tests.oracle.paths.exhaustive import one_predicate, two_predicates
from tests.oracle.paths.generate import World, operators, random_world
from tests.paths.agreement import PathEngine, difference, in_all_modes, reference

Engines = Callable[[World], PathEngine]


@dataclass
class Compared:
    """What was compared, and what differed."""

    worlds: int = 0
    paths: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def compare(self, worlds: Iterable[World], engines: Engines) -> None:
        for world in worlds:
            self.worlds += 1
            self.note(world)
            if found := difference(world, engines(world)):
                self.differences.append(found)

    def note(self, world: World) -> None:
        """Count what the world has."""
        for answers in world.answers.values():
            query = answers.query
            self.paths += sum(due.number for due in answers.due.values())
            self.labels.update([f"{query.selects} {query.restricts}", *set(operators(query.expression))])
            self.labels.update(["answered"] * bool(answers.due) + ["NOT BACK"] * query.not_back)
            self.labels.update(["TO"] * (query.targets is not None) + ["given starts"] * (query.starts is None))


def random_worlds(number: int, seed: int) -> Iterator[World]:
    return (random_world(one, given_starts=one % 10 == 9) for one in range(seed, seed + number))


def exhaustive_worlds(stride: int) -> Iterator[World]:
    pairs = islice(chain(one_predicate(), two_predicates()), 0, None, stride)
    return (in_all_modes(pair, number) for number, pair in enumerate(pairs))


def engines_of(name: str) -> Engines:
    """The function that is named; `oracle` is the oracle itself."""
    if name == "oracle":
        return reference
    module, _, function = name.partition(":")
    engine: PathEngine = getattr(import_module(module), function)
    return lambda _: engine


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.paths.deep", description=__doc__)
    parser.add_argument("worlds", type=int, metavar="N")
    parser.add_argument("seed", type=int, metavar="SEED")
    parser.add_argument("--engine", default="oracle", help="MODULE:FUNCTION, or oracle")
    parser.add_argument("--exhaustive", type=int, metavar="STRIDE")
    parser.add_argument("--show", type=int, default=3, help="so many differences are printed")
    options = parser.parse_args(arguments)
    started, compared, engines = time.monotonic(), Compared(), engines_of(options.engine)
    compared.compare(random_worlds(options.worlds, options.seed), engines)
    if options.exhaustive:
        compared.compare(exhaustive_worlds(options.exhaustive), engines)
    report(compared, options.show, time.monotonic() - started)
    return bool(compared.differences)


def report(compared: Compared, shown: int, seconds: float) -> None:
    for found in compared.differences[:shown]:
        print(found, end="\n\n")
    print(", ".join(f"{label} {number}" for label, number in sorted(compared.labels.items())))
    print(f"{compared.worlds} worlds, {compared.paths} paths, {len(compared.differences)} differences, {seconds:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
