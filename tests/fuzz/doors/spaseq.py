"""Queries in SPAseq: read, printed and read again, planned, explained, and run on a few small events in both ways."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from pyoxigraph import RdfFormat, Triple, parse

import spaseq
from spaseq.languages.spaseq import format_query
from spaseq.plan.sequences import compile_plan
from spaseq.sources.rdf.events import Event
from tests.agreement.any_order import random_case
from tests.agreement.lazy_steps import lazy_pairs
from tests.fuzz.door import ROOT, Door, same
from tests.oracle.generate import random_pair
from tests.oracle.negated import negated_pair
from tests.oracle.text import to_text

SHORT = 4_000  # characters of a query that is run
MOST_FORKS = 12  # what may multiply solutions or matches, in a query that is run
MOST_RESULTS = 500
_FORK = re.compile(r"UNION|[+*}]|OPTIONAL|VALUES|\?\w+\s+\?\w+\s+\?\w+|/", re.IGNORECASE)
WORDS = tuple(b"""
?x ?s ?p1 ?_ $x { } ( ) [ ] ; , : | & ! + * {2,3} {0,} {99999999999} ? ^ / . <urn:a> <> ex:p ex: : _:b a SELECT
CONSTRUCT INTO STREAM WITHIN SECONDS EVENTS SLIDING TUMBLING FROM WHERE SEQ DEFINE GPM ON FILTER BIND AS OPTIONAL
UNION MINUS GRAPH VALUES UNDEF SERVICE EXISTS NOT IN DISTINCT REDUCED PARTITION BY USING GROUP HAVING ORDER LIMIT
OFFSET PREFIX BASE COUNT(*) SUM(?x) AVG(?x) MIN(?x) MAX(?x) STDEV(?x) MEDIAN(?x) PREV(?x) FIRST(?x) NOW()
CONCAT(?x,?x) REGEX(?x,'(a+)+$') REPLACE(?x,'a','b') STRLEN(?x) SUBSTR(?x,2) IF(?x,1,2) COALESCE(?x)
xsd:integer('1') STR(?x) LANG(?x) DATATYPE(?x) BOUND(?x) sameTerm(?x,?x) isIRI(?x) RAND() UUID() BNODE()
STRDT('1',<urn:t>) TRIPLE(?x,?x,?x) <<( ?a ?b ?c )>> && || = != < > <= >= - 1 1.5 1e5 true 'x' 'x'@en '''long'''
\"\"\"long\"\"\" \\u0041 # /* A B C D E F SEQ(A:+) SEQ(A;B!) 10 0 -1
""".split())  # fmt: skip


def enter(data: bytes) -> str:
    """All that is done with a query before its streams come, and some of what is done then."""
    text = data.decode("utf-8", "surrogateescape")
    parsed = spaseq.parse(text)
    for warning in parsed.warnings:
        warning.render()
    printed = format_query(parsed.tree)
    same(spaseq.parse(printed).query, parsed.query, "printed and read again")
    plan = compile_plan(parsed.query)
    explained = len(plan.explain("text")) + len(plan.explain("json")) + len(plan.explain("mermaid"))
    if len(printed) > SHORT or len(_FORK.findall(printed)) > MOST_FORKS:
        return f"not run {explained.bit_length()}"
    found = _results(parsed, "auto")
    same(found, _results(parsed, "pyoxigraph"), "results natively and by pyoxigraph")
    same(found, _results(parsed, "auto", "lazy"), "results of steps that wait")
    return f"{len(found).bit_length()} {explained.bit_length()}"


def _results(query: object, gpm: str, evaluation: str = "eager") -> list[str]:
    """The results on the events, in an order of their own; none if they are too many."""
    known = {"http://example.org/kb": b"<urn:a> <http://example.org/p> 1 ."}
    engine = spaseq.Engine(known, gpm=gpm, evaluation=evaluation)
    engine.register(query, "q")  # type: ignore[arg-type]
    iris = [stream.iri for stream in engine.queries["q"].streams]
    events = [one._replace(stream=iris[number % len(iris)]) for number, one in enumerate(_events())]
    found = []
    for tables in (engine.push_events(events), engine.close_tables()):
        found += [repr(sorted(match.to_dict().items())) for table in tables for match in islice(table, MOST_RESULTS)]
    return [] if len(found) > MOST_RESULTS else sorted(found)


@cache
def _events() -> list[Event]:
    """A few small events over the words of the oracle's queries."""
    triples = [one.triples for seed in range(30) for one in random_pair(seed).events if 1 <= len(one.triples) <= 2]
    return [Event("", 1_000_000 * time, f"urn:e{time}", _parsed(some)) for time, some in enumerate(triples[:7])]


def _parsed(triples: tuple[tuple[str, str, str], ...]) -> list[Triple]:
    text = "".join(f"{s} {p} {o} .\n" for s, p, o in triples)
    return [quad.triple for quad in parse(text, RdfFormat.N_TRIPLES)]


def seeds() -> list[bytes]:
    """The examples, the queries with mistakes of the tests, and random ones."""
    examples = sorted((ROOT / "examples").glob("*/*.spaseq"))
    mistakes = sorted((ROOT / "tests" / "language").glob("*/*.txt"))
    of_files = [path.read_bytes().partition(b"\n=====")[0] for path in (*examples, *mistakes)]
    pairs = [*map(random_pair, range(80)), *map(random_case, range(20)), *map(negated_pair, range(20))]
    pairs += islice(lazy_pairs(range(100)), 20)
    return [*of_files, *(to_text(pair.query).encode() for pair in pairs)]


DOOR = Door("spaseq", enter, seeds, WORDS)
