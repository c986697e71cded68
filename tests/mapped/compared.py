"""Random mappings and rows: the events that they make, and those that pyoxigraph's CONSTRUCT of each row makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import floor
from random import Random
from typing import Any

import numpy as np
import pyarrow
from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, Literal, NamedNode, Quad, Triple

from gpm.native.assembly import Encoder
from gpm.terms import decode, term_bytes
from nfa_native.terms.dictionary import Terms
from spaseq.languages import mappings
from spaseq.sources.mapped.elements import rows_without
from spaseq.sources.mapped.graphs import MadeEvents, RowMapper
from tests.oracle.mappings import MappingParts, Value, meanings

XSD = "http://www.w3.org/2001/XMLSchema#"
BEGIN = datetime(2026, 1, 1)
TYPES = {
    "i": pyarrow.int64(), "t": pyarrow.string(), "d": pyarrow.decimal128(10, 2), "f": pyarrow.float64(),
    "w": pyarrow.timestamp("us"), "b": pyarrow.bool_(),
}  # fmt: skip
VALUES: dict[str, list[Any]] = {
    "i": [None, 0, 1, 2, -3], "t": [None, "a b", "7", "1.5", "02.01.2026", "ä/?", ""],
    "d": [None, Decimal("1.50"), Decimal(-2)], "f": [None, 0.5, 1e300], "b": [None, True, False],
    "w": [None, *(BEGIN + timedelta(seconds=second) for second in range(3))],
}  # fmt: skip
TERMS = ["?i", "?t", "?d", "?f", "?w", "?b", "?x", "<http://e/i{?i}>", "<http://e/{?t}/{?d}>", "<http://e/c>"]
WHERES = [
    "", "FILTER(?i > 0)", "BIND(?i + 1 AS ?x)", f"BIND(<{XSD}decimal>(?t) AS ?x)", 'BIND(CONCAT(?t, "!") AS ?x)',
    "BIND(UCASE(?t) AS ?x) FILTER(BOUND(?x))", "BIND(IF(?b, ?i, ?d) AS ?x)", "BIND(<http://e/b{?t}> AS ?x)",
    "FILTER(?d < 1 || ?i = 1)", 'BIND(IRI("http://e/x") AS ?x) FILTER(!BOUND(?b))', "BIND(STRLEN(?t) * ?f AS ?x)",
    'FILTER(REGEX(?t, "^a"))',
]  # fmt: skip


def term_of(value: Any) -> Value:
    """The term of a value, in the form of the Store."""
    match value:
        case None:
            return None
        case datetime():
            return Literal(f"{value.isoformat()}Z", datatype=NamedNode(XSD + "dateTime"))
        case Decimal():
            return Literal(f"{value.normalize():f}", datatype=NamedNode(XSD + "decimal"))
        case _:
            return canonical(Literal(value))


def canonical(term: Any) -> Any:
    """A term in the form of the Store."""
    terms = Terms()
    return decode(terms, terms.intern_transient(term_bytes(term))) if isinstance(term, Literal) else term


def random_parts(draw: Random) -> MappingParts:
    objects = [*TERMS, '"k"', "5", "_:a", "[]"]
    triples = (
        f"{draw.choice([*TERMS, '_:a'])} {draw.choice(['<http://e/p>', '<http://e/q>', '?x'])} {draw.choice(objects)}"
        for _ in range(draw.randint(1, 3))
    )
    event = draw.choice(["", "<http://e/e{?i}>", "<http://e/{?t}/e/{?i}>", "?x"])
    return MappingParts(
        event,
        draw.choice(["?w", "?i UNIT ms", "?t FORMAT '%d.%m.%Y'", "?f UNIT s"]),
        " . ".join(triples),
        draw.choice(WHERES),
    )


def random_rows(draw: Random) -> list[dict[str, Any]]:
    return [{name: draw.choice(values) for name, values in VALUES.items()} for _ in range(draw.randint(0, 100))]


# ── what is expected ─────────────────────────────────────────────────────────────────────────────────────
def time_of(time: Value, parts: MappingParts) -> int | None:
    """The microseconds of a time."""
    if time is None or isinstance(time, NamedNode):
        return None
    if "FORMAT" in parts.time:
        try:
            return micros(datetime.strptime(time.value, "%d.%m.%Y"))
        except ValueError:
            return None
    if time.datatype.value == XSD + "dateTime":
        return micros(datetime.fromisoformat(time.value))
    unit = {"ms": 1_000, "s": 1_000_000}[parts.time.split()[-1]]
    microseconds = floor(Fraction(time.value) * unit)
    return microseconds if abs(microseconds) < 1 << 63 else None


def micros(time: datetime) -> int:
    return (time.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


Found = list[tuple[int, int, str, str]]  # of each event its first row, its time, its name and its graph


def expected(parts: MappingParts, rows: Sequence[dict[str, Any]]) -> tuple[Found, list[int], int]:
    """The events, the rows that are malformed, and how many are filtered."""
    found = meanings(parts, [{name: term_of(value) for name, value in row.items()} for row in rows])
    events: list[tuple[int, int | None, Value, list[list[Triple]]]] = []
    for row, meaning in enumerate(found):
        if meaning is None:
            continue
        time = time_of(meaning.time, parts)
        same = parts.event and events and (time or 0, meaning.name) == (events[-1][1] or 0, events[-1][2])
        if same:
            events[-1][3].append(meaning.triples)
        else:
            events.append((row, time, meaning.name, [meaning.triples]))
    whole, bad = [], []
    for row, time, name, graphs in events:
        if time is None or (parts.event and not isinstance(name, NamedNode)) or not any(graphs):
            bad.append(row)
        else:
            whole.append((row, time, name.value if isinstance(name, NamedNode) else "", shown(graphs)))
    return whole, bad, found.count(None)


def shown(graphs: Iterable[Iterable[Triple]]) -> str:
    """Graphs as one, blank nodes by what they are."""
    quads = [
        Quad(*(own(term, number) for term in (one.subject, one.predicate, one.object)))
        for number, graph in enumerate(graphs)
        for one in graph
    ]
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return "\n".join(sorted(map(str, dataset)))


def own(term: Any, number: int) -> Any:
    return BlankNode(f"g{number}x{term.value}") if isinstance(term, BlankNode) else canonical(term)


# ── what comes out ───────────────────────────────────────────────────────────────────────────────────────
def made_of(parts: MappingParts, rows: Sequence[dict[str, Any]], encoder: Encoder) -> MadeEvents:
    mapper = RowMapper(mappings.parse(parts.text).mapping, encoder)
    columns = {name: pyarrow.array([row[name] for row in rows], type_) for name, type_ in TYPES.items()}
    columns["x"] = pyarrow.nulls(len(rows))
    return mapper.made(columns, np.arange(len(rows)), len(rows))


def events_of(made: MadeEvents, terms: Terms) -> Found:
    found = []
    for number, row in enumerate(made.row.tolist()):
        start, stop = made.graphs.offsets[number : number + 2].tolist()
        triples = [
            Triple(*(decode(terms, word) for word in one)) for one in made.graphs.triples[:, start:stop].T.tolist()
        ]  # type: ignore[arg-type]
        name = "" if made.names is None else made.names[number]
        found.append((row, int(made.graphs.times[number]), name, shown([triples])))
    return found


def disagreement(seed: int) -> str | None:
    """What is not as expected of a random mapping on random rows; None: all is."""
    draw = Random(seed)
    parts, rows = random_parts(draw), random_rows(draw)
    encoder = Encoder(Terms())
    encoder.want([(0, 0, 0)])
    made = made_of(parts, rows, encoder)
    found = events_of(made, encoder.terms), [row for row, _ in made.malformed], rows_without(made.solved, len(rows))
    wanted = expected(parts, rows)
    return None if found == wanted else f"{parts.text}\n{found}\n{wanted}"
