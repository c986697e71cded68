"""Steps that wait (``nfa_native/joins/segments.hpp``) against the oracle: chains under ``:`` with filters over several
events, evaluated eagerly, lazily, or so and so from tick to tick, in batches of random sizes, with snapshots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random

import spaseq
from nfa_native.automata.kinds import Evaluating
from nfa_native.terms.dictionary import Terms
from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.graphs.graph_query import GraphQuery
from spaseq.graphs.queries import prepare
from tests.agreement.any_order import PreparedRun
from tests.agreement.engines import fed, ordered
from tests.oracle.chooser import Seeded
from tests.oracle.evaluate import Result, evaluate
from tests.oracle.expressions import Binary, Const, Expression, Negated, Var
from tests.oracle.generate import SECOND, Maker, Pair, Size, random_pair
from tests.oracle.model import Atom, Event, Gpm, Node, Query, Select, Seq, Window
from tests.oracle.text import to_text
from tests.oracle.values import XSD

WAYS = (Evaluating.EAGER, Evaluating.LAZY, Evaluating.ALTERNATING, Evaluating.AUTO)
SIZE = Size(operators=4, events=10, least_operators=2, least_events=6)
INTEGERS, DECIMALS = (*range(-3, 8), 30_011), ("0.5", "2.50", "-1.25")
VALUES = tuple(
    f'"{value}"^^<{XSD}{kind}>' for kind, values in (("integer", INTEGERS), ("decimal", DECIMALS)) for value in values
)
COMPARISONS = ("<", "<=", ">", ">=", "=", "!=")


# ── pairs ────────────────────────────────────────────────────────────────────────────────────────────────
def lazy_pairs(seeds: Sequence[int]) -> Iterator[Pair]:
    """Pairs of seeds in whose plans some steps may wait; their queries may be read."""
    for seed in seeds:
        pair = chain(seed)
        if pair is not None and has_segments(pair.query):
            yield pair


def has_segments(query: Query) -> bool:
    """Whether it is valid, and some steps may wait."""
    try:
        return bool(prepare(to_text(query)).plan.automaton(Terms()).lazy)
    except (QueryError, QuerySyntaxError):
        return False


def chain(seed: int) -> Pair | None:
    """GPMs of a random pair in a row, under ``:`` mostly; None: these are too few."""
    chance, pair = Random(seed), random_pair(seed, SIZE)
    names = [gpm.name for gpm in pair.query.gpms][: chance.choice((3, 3, 4))]
    if len(names) < 3:
        return None
    gpms = [gpm for gpm in pair.query.gpms if gpm.name in names]
    gpms = [replace(gpm, filters=filters(gpm, gpms[:number], chance)) for number, gpm in enumerate(gpms)]
    select = Select() if chance.random() < 0.7 else pair.query.select
    made = replace(pair, query=replace(pair.query, sequence=row(names, chance), gpms=tuple(gpms), select=select))
    return with_plenty(made, seed, chance) if seed % 2 else made


def with_plenty(pair: Pair, seed: int, chance: Random) -> Pair:
    """The pair with more events, whose values differ more, and a window for most of them: most have matches then."""
    maker, names = Maker(Seeded(seed), SIZE), [gpm.name for gpm in pair.query.gpms]
    maker.values = VALUES
    window = pair.query.window and Window(chance.choice((8, 12)), "SECONDS", chance.random() < 0.8)
    query = replace(pair.query, window=window)
    times = sorted(chance.randrange(14) * SECOND for _ in range(chance.randint(16, 22)))
    return replace(pair, query=query, events=tuple(plentiful(maker, query, names, times)))


def plentiful(maker: Maker, query: Query, names: Sequence[str], times: Sequence[int]) -> Iterator[Event]:
    """An event of any GPM, or of several, at each of the times."""
    for number, time in enumerate(times):
        step = [maker.chooser.pick(names) for _ in range(maker.chooser.pick((1, 1, 1, 2)))]
        yield maker.event(query, maker.split(query, step)[0], time, number)


def row(names: Sequence[str], chance: Random) -> Node:
    """One after the other."""
    found: Node = Atom(names[0])
    for name in names[1:]:
        found = Seq(found, ":" if chance.random() < 0.85 else chance.choice(";,"), Atom(name))
    return found


def filters(gpm: Gpm, earlier: Sequence[Gpm], chance: Random) -> tuple[Expression, ...]:
    """Comparisons with what earlier ones have, alone or computed of several."""
    known = [name for one in earlier for name in values(one)]
    if not known or (len(earlier) < 2 and chance.random() < 0.7):
        return gpm.filters if chance.random() < 0.2 and not known else ()
    return tuple(comparison(known, values(gpm), chance) for _ in range(chance.choice((1, 1, 2))))


def values(gpm: Gpm) -> list[str]:
    """Its variables but keys, if it has others."""
    return [name for name in gpm.variables if not name.startswith("k")] or list(gpm.variables)


def comparison(known: Sequence[str], own: Sequence[str], chance: Random) -> Expression:
    """One of the kinds that columns can decide, or cannot."""
    left = Var(chance.choice(known)) if chance.random() < 0.25 else computed(known, chance)
    right = Var(chance.choice(own)) if chance.random() < 0.8 else computed([*own, *known], chance)
    found: Expression = Binary(chance.choice(COMPARISONS), left, right)
    if chance.random() < 0.15:
        found = Binary("||", found, Binary("<", Var(chance.choice(own)), Const(2)))
    return Negated(found) if chance.random() < 0.1 else found


def computed(names: Sequence[str], chance: Random) -> Expression:
    """A sum, a difference or a product, maybe squared."""
    found: Expression = Binary(chance.choice("+-*"), Var(chance.choice(names)), Var(chance.choice(names)))
    if chance.random() < 0.3:
        found = Binary(chance.choice("+-"), found, Const(chance.choice((1, 2, Decimal("0.5")))))
    return Binary("*", found, found) if chance.random() < 0.2 else found


# ── ways ─────────────────────────────────────────────────────────────────────────────────────────────────
class LazyRun(PreparedRun):
    """A query on engines that evaluate in one of the ways."""

    def __init__(self, pair: Pair, way: Evaluating) -> None:
        self.way = way
        super().__init__(pair)

    def _use(self, engine: spaseq.Engine) -> None:
        engine.kind.evaluation = self.way
        for query in engine.kind.core.running.values():  # of an engine that was restored
            assert isinstance(query, GraphQuery)
            engine.kind.as_asked(query.matcher)
        super()._use(engine)


def singly(pair: Pair, way: Evaluating) -> list[Result]:
    """The results of events that are pushed one by one."""
    one = LazyRun(pair, way)
    for event in ordered(pair.query, pair.events):
        one.push_single(event)
    return one.finish()


def anyhow(pair: Pair, way: Evaluating) -> list[Result]:
    """The results of batches of random sizes, with promises and snapshots after some."""
    return fed(LazyRun(pair, way), ordered(pair.query, pair.events), Random(f"{way} {pair.events}"))


def counted(pair: Pair, way: Evaluating) -> int:
    """How many results there are, of an engine that only counts them."""
    one = LazyRun(pair, way)
    one.engine.kind.count_only()
    for event in ordered(pair.query, pair.events):
        one.push([event])
    one.close()
    return one.engine.kind.core.running["query"].named("query").found


def differing(pair: Pair) -> str:
    """Empty if all ways find what the oracle does; else how to repeat it."""
    wanted = Counter(evaluate(pair.query, ordered(pair.query, pair.events)))
    for way in WAYS:
        if (number := counted(pair, way)) != wanted.total():
            return _told(pair, f"{way.name} counted {number}", wanted, Counter())
        for how in (singly, anyhow):
            found = Counter(how(pair, way))
            if found != wanted:
                return _told(pair, f"{way.name} {how.__name__}", wanted - found, found - wanted)
    return ""


def _told(pair: Pair, how: str, missing: Counter[Result], extra: Counter[Result]) -> str:
    lines = [how, to_text(pair.query), *(f"{e.time:>12} {e.stream} {e.name} {e.triples}" for e in pair.events)]
    lines += [f"missing {one}" for one in missing.elements()]
    return "\n".join([*lines, *(f"extra   {one}" for one in extra.elements())])
