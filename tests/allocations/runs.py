"""The runs in which allocations fail: through the program, and through the interface of Python."""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from click.testing import CliRunner
from pyoxigraph import NamedNode, Triple

from spaseq import Bound, Engine, OutOfMemoryError
from spaseq.cli import main
from spaseq.cli.terminal import FAILED, NO_MEMORY
from spaseq.paths import Graph, StepWeights
from spaseq.tuples import Engine as TupleEngine
from tests.allocations.injection import ERROR, HARMLESS, NOISE, OTHER, USABLE, WRONG

EX = "http://example.org/"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
QUERY = f"""\
PREFIX ex: <{EX}>
SELECT %s
WITHIN 9 SECONDS SLIDING
FROM STREAM s <{EX}s>
WHERE {{
  SEQ(A ; B+ ; C)
  DEFINE GPM A ON s {{ ?x ex:v ?a ; ex:of ?k . FILTER(?a > 2) }}
  DEFINE GPM B ON s {{ ?y ex:v ?b ; ex:of ?k . %s }}
  DEFINE GPM C ON s {{ ?z ex:v ?c ; ex:of ?k . OPTIONAL {{ ?z ex:name ?n }} }}
}} %s
"""
PATHS = """\
QUERY all_ways FROM <ex:n1> ALL TRAIL (<ex:p0>|^<ex:p1>){1,3}
QUERY near FROM <ex:n1>, <ex:n2> ANY SHORTEST WALK (<ex:p0>|<ex:p1>|^<ex:p2>)+
QUERY some FROM <ex:n3> SHORTEST 2 WALK (<ex:p0>|<ex:p2>){1,3}
"""
SEARCHES = f"""\
{PATHS}
QUERY two_steps FROM <ex:n1>, <ex:n2> ALL WALK <ex:p0>/^<ex:p1>
QUERY reached FROM <ex:n1>, <ex:n2>, <ex:n4> (<ex:p0>|<ex:p1>)*/^<ex:p2>
QUERY between FROM <ex:n1> TO <ex:n5> ANY SHORTEST WALK (<ex:p0>|^<ex:p1>)+
QUERY all_shortest FROM <ex:n2> ALL SHORTEST WALK (<ex:p0>|<ex:p1>|<ex:p2>)+
QUERY trails FROM <ex:n2> SHORTEST 2 TRAIL (<ex:p0>|<ex:p2>){{1,4}}
QUERY trails_between FROM <ex:n1> TO <ex:n5> SHORTEST 5 TRAIL (<ex:p0>|^<ex:p0>|<ex:p1>|^<ex:p2>)+
"""
BEST = "QUERY best FROM <ex:n1>, <ex:n2> ACYCLIC (<ex:p0>|^<ex:p1>|<ex:p2>){1,4}"
TRADES = "type,key,price,time\n"
WINDOW = "PARTITION BY [key] WITHIN 30 EVENTS"


class Case(ABC):
    """A run that can be made again and again, with the same result."""

    @abstractmethod
    def go(self) -> Any:
        """All of it; its result."""

    @abstractmethod
    def verdict(self, found: Any, wanted: Any, written: bytes) -> str:
        """What to think of what a run with a failure gave (or raised), and of what it wrote to standard error."""


class Command(Case):
    """A command of the program: its exit code and standard output."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments

    def go(self) -> tuple[int, str]:
        done = CliRunner().invoke(main, self._arguments)
        return done.exit_code, done.stdout

    def verdict(self, found: Any, wanted: tuple[int, str], written: bytes) -> str:
        if found == wanted:
            return NOISE if written else HARMLESS
        if not isinstance(found, tuple) or found[0] != FAILED:
            return WRONG if isinstance(found, tuple) and found[0] == 0 else OTHER
        if not wanted[1].startswith(found[1]):
            return WRONG
        return ERROR if written == NO_MEMORY else NOISE


class EngineCase(Case):
    """An engine that is used from Python; what of it is there when an allocation has failed."""

    _engine: Any = None

    @abstractmethod
    def calls(self, engine: Any) -> list[Callable[[], object]]:
        """What somebody might do who does not mind the error."""

    def verdict(self, found: Any, wanted: list[str], written: bytes) -> str:
        if written:
            return NOISE
        if not isinstance(found, BaseException):
            return HARMLESS if found == wanted else WRONG
        if not isinstance(found, MemoryError):
            return OTHER
        return USABLE if self._goes_on() else ERROR

    def _goes_on(self) -> bool:
        """Whether the engine does something."""
        if self._engine is None:  # it was never there
            return False
        for call in self.calls(self._engine):
            with suppress(OutOfMemoryError):
                call()
                return True
        return False


class Interface(EngineCase):
    """An engine that is pushed to, and goes on from a snapshot half way."""

    def __init__(self, query: str, events: list[tuple[bytes, int]]) -> None:
        self._query = query
        self._events = events

    def go(self) -> list[str]:
        half = len(self._events) // 2
        self._engine = None
        engine = self._engine = Engine(lateness=self.lateness, bound=self.bound)
        engine.register(self._query, "q")
        found = self.push(engine, self._events[:half])
        data = engine.snapshot()
        self._engine = None
        engine = self._engine = Engine.restore(data, {"q": self._query}, bound=self.bound)
        found += self.push(engine, self._events[half:])
        return found + [str(match) for match in engine.close()]

    lateness = 0
    bound: Bound | None = None

    def push(self, engine: Engine, events: list[tuple[bytes, int]]) -> list[str]:
        """What the events give."""
        return [str(match) for event in events for match in engine.push("s", *event)]

    def calls(self, engine: Any) -> list[Callable[[], object]]:
        return [
            lambda: engine.push("s", graph(0).encode(), 1 << 40), lambda: engine.advance(1 << 41), engine.close,
            engine.snapshot, lambda: engine.register(EACH, "again"),
        ]  # fmt: skip


class Rows(Interface):
    """The same with rows of Arrow; some events wait when the snapshot is taken."""

    lateness = 9_000_000

    def push(self, engine: Engine, events: list[tuple[bytes, int]]) -> list[str]:
        graphs, times = zip(*events, strict=True)
        table = pyarrow.table({"stream": ["s"] * len(events), "time": times, "graph": graphs})
        return [str(match) for found in engine.push_arrow(table) for match in found]


class Within(Interface):
    """The same within a bound on work, with a sample."""

    bound = Bound(3, sample=0.3)


class Rules(Interface):
    """The same of a query with parameters, whose rows come and go."""

    def push(self, engine: Engine, events: list[tuple[bytes, int]]) -> list[str]:
        found = []
        for number, event in enumerate(events):
            found += [str(match) for match in engine.push("s", *event)]
            if number % 8 == 3:
                row = [{"limit": number % 5, "length": number % 9 + 1}]
                engine.given("q").add(row)
                engine.given("q").remove([{"limit": number % 3, "length": 9}])
        return found


class PushedTuples(EngineCase):
    """Queries on rows that are pushed, which go on from a snapshot half way."""

    bound: Bound | None = None
    given: Sequence[dict[str, Any]] | None = None
    later: Any = 1 << 50  # a time behind all rows

    def __init__(self, queries: dict[str, str], events: list[dict[str, Any]]) -> None:
        self._queries = queries
        self._events = events

    def go(self) -> list[str]:
        half = len(self._events) // 2
        self._engine = None
        engine = self._engine = TupleEngine(time="time", bound=self.bound)
        for name, query in self._queries.items():
            engine.register(query, name, given=self.given)
        found = self.push(engine, self._events[:half])
        data = engine.snapshot()
        self._engine = None
        engine = self._engine = TupleEngine.restore(data, self._queries, bound=self.bound)
        return [*found, *self.push(engine, self._events[half:]), *self.told(engine.close())]

    def push(self, engine: TupleEngine, events: list[dict[str, Any]]) -> list[str]:
        """What the events give."""
        return [each for at in range(0, len(events), 4) for each in self.told(engine.push(events[at : at + 4]))]

    @staticmethod
    def told(results: Iterable[tuple[str, pyarrow.RecordBatch]]) -> list[str]:
        """Results, as texts."""
        return [f"{name} {table.to_pylist()}" for name, table in results]

    def calls(self, engine: Any) -> list[Callable[[], object]]:
        later = {"type": "BUY", "key": "k0", "price": 1, "time": self.later}
        return [lambda: engine.push([later]), lambda: engine.advance(self.later), engine.snapshot]


class TuplesWithin(PushedTuples):
    """Queries in CEQL within a bound on work."""

    bound = Bound(3)


class RowsOfTuples(PushedTuples):
    """Queries in CEQL with parameters, whose rows come and go while rows are pushed."""

    given = tuple({"limit": number, "length": number + 3} for number in range(4))

    def push(self, engine: TupleEngine, events: list[dict[str, Any]]) -> list[str]:
        """What the events give."""
        found = []
        for number in range(0, len(events), 4):
            found += self.told(engine.push(events[number : number + 4]))
            if number % 16 == 4:
                rows = engine.given(sorted(self._queries)[number // 16 % len(self._queries)])
                rows.add([{"limit": number % 9 + 4, "length": number % 7 + 2}])
                rows.remove([{"limit": number % 5, "length": number % 5 + 3}])
        return found


class StreamedPatterns(PushedTuples):
    """Queries in SQL."""

    later = datetime(2027, 1, 1)

    def push(self, engine: TupleEngine, events: list[dict[str, Any]]) -> list[str]:
        """What rows give, of which an eighth comes one by one, and the others in three pieces; as time passes."""
        found, alone = [], len(events) // 8
        for begin, end in pairwise([*range(alone), *range(alone, len(events), len(events) // 3), len(events)]):
            found += self.told(engine.push(events[begin:end]))
            found += self.told(engine.advance(events[end - 1]["time"]))
        return found


class Searches(Case):
    """Paths of queries on a graph, pairs of their ends, how many there are, and the best ones."""

    def __init__(self, queries: str, triples: list[tuple[str, str, str]]) -> None:
        self._queries = queries
        self._triples = [Triple(*map(NamedNode, one)) for one in triples]

    def go(self) -> list[str]:
        graph = Graph(self._triples)
        compiled = graph.compile(self._queries)
        found = [str(path) for path in compiled.match()] + [str(pair) for pair in compiled.ends()]
        found += [f"{name} {count}" for name, count in compiled.counts().items()]
        weights = StepWeights(np.arange(len(graph.predicates)), np.arange(graph.vertex_count) % 7)
        return found + [str(path) for path in graph.best(BEST, weights, top=20)]

    def verdict(self, found: Any, wanted: list[str], written: bytes) -> str:
        if written:
            return NOISE
        if not isinstance(found, BaseException):
            return HARMLESS if found == wanted else WRONG
        return ERROR if isinstance(found, MemoryError) else OTHER


def statement(number: int, name: str, value: str) -> str:
    """A line of an event."""
    return f"<{EX}x{number}> <{EX}{name}> {value} <{EX}e{number}> .\n"


def graph(number: int) -> str:
    """The lines of an event: three triples, some with a name that no other event has."""
    lines = statement(number, "v", f'"{number * 7 % 11}"^^<{INTEGER}>')
    lines += statement(number, "of", f"<{EX}k{number // 40}{number % 3}>")
    return lines + (statement(number, "name", f'"a rather long name, of event {number}"@en') if number % 2 else "")


def stream(events: int) -> str:
    """N-Quads of so many events, one a second."""
    time = f'<{EX}e{{0}}> <http://www.w3.org/ns/prov#generatedAtTime> "{{1}}"^^<{INTEGER}> .\n'
    return "".join(graph(number) + time.format(number, number * 1_000_000) for number in range(events))


def links(events: int) -> str:
    """N-Quads of so many edges, one a second; each tenth node is none of those that many have."""
    time = f'<{EX}e{{0}}> <http://www.w3.org/ns/prov#generatedAtTime> "{{1}}"^^<{INTEGER}> .\n'
    lines = []
    for number in range(events):
        to = f"a rather long name {number}".replace(" ", "-") if number % 10 == 0 else f"n{number * 5 % 7}"
        lines.append(f"<{EX}n{number * 3 % 11}> <{EX}p{number % 3}> <{EX}{to}> <{EX}e{number}> .\n")
        lines.append(time.format(number, number * 1_000_000))
    return "".join(lines)


def tuples(events: int) -> str:
    """CSV of so many trades."""
    kinds = ("BUY", "SELL", "ASK")
    return TRADES + "".join(f"{kinds[n % 3]},k{n // 60}{n % 2},{n * 7 % 13},{n * 1_000_000}\n" for n in range(events))


def trades(events: int) -> list[dict[str, Any]]:
    """The same as rows."""
    header, *lines = tuples(events).splitlines()
    rows = (dict(zip(header.split(","), line.split(","), strict=True)) for line in lines)
    return [row | {"price": int(row["price"]), "time": int(row["time"])} for row in rows]


def written(name: str, text: str) -> str:
    """A file with a text, in a folder that goes away with the process."""
    path = Path(FOLDER.name) / name
    path.write_text(text)
    return str(path)


FOLDER = tempfile.TemporaryDirectory()
EACH = QUERY % ("?k ?a ?c ?n (AVG(?b) AS ?mean)", "FILTER(?b >= PREV(?b))", "")
GIVEN = (QUERY % ("?limit ?k ?a ?b ?c", "FILTER(?b > ?a - ?limit)", "")).replace("?a > 2", "?a > ?limit").replace(
    "WHERE", "GIVEN (?limit ?length) { (0 4) (2 9) (3 7) (7 9) }\nWHERE"
).replace("9 SECONDS", "?length SECONDS")  # fmt: skip
COUNTED = QUERY % ("?k (COUNT(*) AS ?matches) (SUM(?c) AS ?sum)", "", "GROUP BY ?k")


def sequences(events: int = 300) -> Case:
    """Matches of a query in SPAseq, one by one."""
    return Command("run", written("q.spaseq", EACH), "--stream", "s=" + written("s.nq", stream(events)))


def totals(events: int = 400) -> Case:
    """Totals over matches, which nobody makes."""
    query = written("t.spaseq", COUNTED.replace("{ ?x ex:v ?a ; ex:of ?k . FILTER(?a > 2) }", "{ ?x ex:of ?k }"))
    return Command("run", query, "--stream", "s=" + written("s.nq", stream(events)))


def complex_events(events: int = 600) -> Case:
    """Matches of a query in CEQL."""
    query = "SELECT * FROM Trades WHERE BUY AS a ; SELL AS b ; ASK AS c FILTER b[price > a.price] " + WINDOW
    return Command(
        "tuples", written("q.ceql", query), "--events", written("t.csv", tuples(events)), "--format", "jsonl"
    )


def aggregates(events: int = 600) -> Case:
    """Aggregates over the matches of a query in CEQL."""
    query = "SELECT COUNT(*) AS n, SUM(b.price) AS s FROM Trades WHERE BUY AS a ; SELL AS b " + WINDOW
    return Command(
        "tuples", written("a.ceql", query), "--events", written("t.csv", tuples(events)), "--format", "jsonl"
    )


def snapshot(events: int = 200) -> Case:
    """Pushes, a snapshot, and pushes to the engine that is restored from it."""
    pushed = [(graph(number).encode(), number * 1_000_000) for number in range(events)]
    return Interface(EACH, pushed)


def rows(events: int = 200) -> Case:
    """The same, pushed as rows."""
    return Rows(EACH, [(graph(number).encode(), number * 1_000_000) for number in range(events)])


def rules(events: int = 200) -> Case:
    """Pushes and snapshots with rows of parameters, more or fewer of them while it runs."""
    return Rules(GIVEN, [(graph(number).encode(), number * 1_000_000) for number in range(events)])


def tuple_rows(events: int = 400) -> Case:
    """Rows that are pushed to queries with parameters, whose rows come and go."""
    asked = "GIVEN $limit, $length WHERE BUY AS a ; SELL AS b ; ASK AS c FILTER b[price > $limit]"
    queries = {
        "compared": f"SELECT * FROM Trades {asked} AND c[price > a.price] {WINDOW}",
        "timed": f"SELECT NEXT * FROM Trades {asked} WITHIN $length SECONDS",
    }
    return RowsOfTuples(queries, trades(events))


def within(events: int = 200) -> Case:
    """Pushes and snapshots within a bound on work."""
    pushed = [(graph(number).encode(), number * 1_000_000) for number in range(events)]
    return Within(EACH.replace("(AVG(?b) AS ?mean)", "?b"), pushed)


def tuples_within(events: int = 400) -> Case:
    """The same in CEQL."""
    query = "SELECT * FROM Trades WHERE BUY AS a ; SELL AS b ; ASK AS c FILTER c[price * 2 > a.price + b.price]"
    return TuplesWithin({"q": f"{query} WITHIN 30 SECONDS"}, trades(events))


PATTERNS = {
    "search": "(A+ B) DEFINE B AS B.price > LAST(A.price) + 1 AND B.price < SUM(A.price)",
    "back": "(A+ B+ C) DEFINE B AS B.price < FIRST(A.price) OR B.price = MAX(A.price), C AS C.price > AVG(B.price)",
    "dead": "((A | B)+ C) DEFINE A AS price > 2, C AS C.price > 90 + COUNT(A.*)",
    "permuted": "(PERMUTE(A, B, C, D, E)) DEFINE A AS price > 1, C AS C.price > PREV(C.price)",
    "within": "(A+? B) WITHIN INTERVAL '9' SECOND DEFINE B AS price > 7",
    "both": "(A+ B) WITHIN INTERVAL '9' SECOND DEFINE B AS B.price > LAST(A.price)",
    "many": "((A | B | C){3,9} D) DEFINE A AS price > 3, B AS price < 3, D AS type = 'ASK'",
    "next": "(A B) DEFINE A AS NEXT(price, 2) > price, B AS PREV(price) < price",
}


IN_SQL = """SELECT * FROM Trades MATCH_RECOGNIZE (PARTITION BY key ORDER BY time
    MEASURES FIRST(A.price, 1) AS first, SUM(price) AS total, MAX(A.price) AS most, LAST(B.type) AS kind
    ALL ROWS PER MATCH PATTERN {})"""


def streamed_patterns(events: int = 100) -> Case:
    """Rows that are pushed to the same queries."""
    begin, second = datetime(2026, 1, 1), timedelta(seconds=1)
    timed = [row | {"time": begin + number * second} for number, row in enumerate(trades(events))]
    return StreamedPatterns({name: IN_SQL.format(pattern) for name, pattern in PATTERNS.items()}, timed)


def row_patterns(events: int = 600) -> Case:
    """Rows of queries in SQL: keys that are sorted, searches, navigations and running aggregates."""
    queries = [written(f"{name}.sql", IN_SQL.format(pattern)) for name, pattern in PATTERNS.items()]
    header, *lines = tuples(events).splitlines()
    timed = [
        f"{line.rpartition(',')[0]},2026-01-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}"
        for n, line in enumerate(lines)
    ]
    table = written("timed.csv", "\n".join([header, *timed, ""]))
    return Command("tuples", *queries, "--events", table, "--format", "jsonl")


def edges(events: int = 300) -> Case:
    """Paths that appear in a stream of edges, whose window is full most of the time."""
    query = written("e.paths", PATHS.replace("ex:", EX))
    return Command("paths", query, "--stream", written("e.nq", links(events)), "--window", "40s", "--format", "jsonl")


def searches(edges: int = 60) -> Case:
    """Searches of all kinds in a graph."""
    triples = [(f"ex:n{n * 3 % 11}", f"ex:p{n % 3}", f"ex:n{n * n % 17 + n // 30}") for n in range(edges)]
    return Searches(SEARCHES, triples)


RUNS: dict[str, Callable[..., Case]] = {
    "sequences": sequences, "complex events": complex_events, "aggregates": aggregates, "totals": totals,
    "snapshot": snapshot, "rows": rows, "rules": rules, "tuple rows": tuple_rows,
    "within": within, "tuples within": tuples_within, "row patterns": row_patterns,
    "streamed patterns": streamed_patterns, "edges": edges, "searches": searches,
}  # fmt: skip
LONG: dict[str, int] = {  # events with which a run has some 20,000 allocations
    "sequences": 6_000, "complex events": 40_000, "aggregates": 40_000, "totals": 12_000, "snapshot": 1_300,
    "rows": 2_000, "rules": 1_300, "tuple rows": 4_000, "within": 1_300, "tuples within": 4_000, "row patterns": 60_000,
    "streamed patterns": 1_000, "edges": 6_000, "searches": 400,
}  # fmt: skip


def case(name: str) -> Case:
    """The run of that name, "long " before it: with many allocations."""
    short = name.removeprefix("long ")
    return RUNS[short]() if name == short else RUNS[short](LONG[short])
