"""Laws of what runs together in a job, no Java needed: it finds what each query and row finds by itself."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from unittest.mock import patch

import pyoxigraph
import pytest

import spaseq
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, SnapshotError
from spaseq.sources.rdf.events import Event, Events
from spaseq.spark.job import Job
from spaseq.spark.job_queries import QueryFamily, SingleQuery
from spaseq.spark.log import Meta
from spaseq.spark.matching import job_of
from spaseq.spark.shards import bucket_of, bucket_of_key
from tests.agreement.test_rules import said
from tests.spark.cutting import FOREVER, Engines
from tests.spark.sharing import BUCKETS, SharedCase, case_of, small_families
from tests.spark.test_logged import in_batches

RULE = """PREFIX : <urn:>
SELECT ?p WITHIN 10 SECONDS FROM STREAM s <urn:s> GIVEN_HERE WHERE { SEQ(A ; B)
  DEFINE GPM A ON s { ?a :of COMPANY ; :price ?p . FILTER(?p > LIMIT) }
  DEFINE GPM B ON s { ?b :of COMPANY ; :price ?q . FILTER(?q < LIMIT) } }"""
GIVEN = RULE.replace("GIVEN_HERE", "GIVEN ?company ?limit").replace("COMPANY", "?company").replace("LIMIT", "?limit")
ROWS = [{"company": f":c{number % 20}", "limit": number} for number in range(40)]


def text(company: str, limit: int) -> str:
    return RULE.replace("GIVEN_HERE", "").replace("COMPANY", company).replace("LIMIT", str(limit))


TEXTS = {f"r{number}": text(row["company"], row["limit"]) for number, row in enumerate(ROWS)}


def job(queries: Any, given: Any = None, **options: Any) -> Job:
    return job_of(queries, spaseq.Background.load({}), 4, options.pop("whole", ()), "stop", 2, given=given, **options)


# ── what runs together ───────────────────────────────────────────────────────────────────────────────────
def test_queries_that_differ_in_constants_are_one() -> None:
    one = job(TEXTS)
    (family,) = one.queries
    assert isinstance(family, QueryFamily) and list(family.names) == list(TEXTS)
    assert [part.buckets for part in one.parts] == [4] and one.splits["r0"].keys


def test_each_rule_lies_where_the_events_of_its_company_go() -> None:
    for one in (job(TEXTS), job(GIVEN, ROWS)):
        (part,) = one.parts
        here = [query for number in part.numbers for query in part.queries_of(number)]
        assert sum(len(list(query.terms(part.split.keys))) for query in here) == len(ROWS)
        companies = [set(query.terms(part.split.keys)) for query in here]
        assert sum(map(len, companies)) == 20 == len(set().union(*companies))


def test_events_that_no_rule_is_about_are_not_sent() -> None:
    one = Engines(TEXTS, 4)
    for company, sent in (("c3", 1), ("c77", 0)):
        about = {"of": pyoxigraph.NamedNode(f"urn:{company}"), "price": pyoxigraph.Literal(5)}
        some = Events.of("urn:s", [event(about)], one.reader.kind.encoders["urn:s"])
        assert sum(len(places) for _, places in one.router.route(some)) == sent


def event(about: dict[str, Any]) -> Event:
    subject = pyoxigraph.NamedNode("urn:e")
    triples = [pyoxigraph.Triple(subject, pyoxigraph.NamedNode(f"urn:{name}"), term) for name, term in about.items()]
    return Event("urn:s", 0, "urn:e", triples)


def test_an_event_may_be_about_several_rules() -> None:
    """It goes to the engines of all companies that it has, as each rule looks at one of them."""
    subject, of, price = (pyoxigraph.NamedNode(f"urn:{name}") for name in ("e", "of", "price"))
    about = [pyoxigraph.Triple(subject, of, pyoxigraph.NamedNode(f"urn:c{number}")) for number in range(4)]
    events = [
        Event("urn:s", number, f"urn:e{number}", [*about, pyoxigraph.Triple(subject, price, pyoxigraph.Literal(value))])
        for number, value in enumerate((30, 0))
    ]
    for queries, given in ((TEXTS, {}), ({"q": GIVEN}, {"q": ROWS})):
        case = SharedCase(queries, given, events)
        one = Engines(queries, 4, given=given)
        assert one.job.parts[0].lies_by_key and case.whole == ()
        assert told([*one.push(events), *one.close()]) == matches_alone(case) != Counter()


def test_who_runs_alone() -> None:
    few = dict(list(TEXTS.items())[:7])
    assert all(isinstance(one, SingleQuery) for one in job(few).queries)
    assert len(job(TEXTS, sharing=False).queries) == len(TEXTS)
    prepared = {name: spaseq.prepare(text) for name, text in TEXTS.items()}
    assert len(job(prepared).queries) == len(TEXTS)
    kept = job(TEXTS, whole=("r1", "r2"))
    assert [len(one.names) for one in kept.queries] == [38, 1, 1]


def test_buckets_of_words_and_of_terms() -> None:
    terms = Terms()
    keys = [(b"Iurn:c%d" % number, b"Iurn:d%d" % (number % 3)) for number in range(50)]
    columns = [terms.intern_many(list(column)) for column in zip(*keys, strict=True)]
    assert bucket_of(columns, 7, terms).tolist() == [bucket_of_key(key, 7) for key in keys]


# ── what they find ───────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def families_of_two() -> Iterator[None]:
    with small_families():
        yield


def cut(case: SharedCase) -> int:
    """Cut or whole, a job finds what each finds by itself; how many engines have queries."""
    wanted = matches_alone(case)
    for whole in {case.whole, tuple(case.queries)}:
        one = Engines(case.queries, BUCKETS, kept=whole, given=case.given)
        assert told([*one.push(case.events), *one.close()]) == wanted
    parts = Engines(case.queries, BUCKETS, kept=case.whole, given=case.given).job.parts
    return sum(len(part.queries_of(number)) for part in parts for number in part.numbers)


def matches_alone(case: SharedCase) -> Counter[Any]:
    engine = spaseq.Engine(lateness=FOREVER, sharing=False)
    for name, query in case.queries.items():
        engine.register(query, name, given=case.given.get(name))
    return told([*(match for table in engine.push_events(case.events) for match in table), *engine.close()])


def told(matches: Iterable[spaseq.Match]) -> Counter[Any]:
    return Counter((match.query, said(match)) for match in matches)


@pytest.mark.usefixtures("families_of_two")
def test_cut_or_whole() -> None:
    assert sum(cut(case_of(seed)) for seed in range(24)) > 40


@pytest.mark.usefixtures("families_of_two")
def test_in_microbatches() -> None:
    """Also where logs end in snapshots, and workers die."""
    how = sum((logged(seed) for seed in range(16)), Counter[str]())
    assert min(how[way] for way in ("new", "hit", "catch-up", "rebuilt")) > 10, how


def logged(seed: int) -> Counter[str]:
    case = case_of(seed)
    with patch("spaseq.spark.log.LEAST_SNAPSHOT", 100 if seed % 4 < 2 else 1 << 20):
        found, how = in_batches(case.queries, {}, case.events, BUCKETS, seed, case.whole, case.given)
    assert found == case.alone(), seed
    return how


@pytest.mark.deep
@pytest.mark.usefixtures("families_of_two")
def test_many_cut_or_in_microbatches() -> None:
    for seed in range(24, 120):
        cut(case_of(seed))
        logged(seed)


# ── jobs that go on, and arguments ───────────────────────────────────────────────────────────────────────
def refused(kept: Job, now: Job) -> str:
    with pytest.raises(SnapshotError) as caught:
        Meta.from_bytes(Meta(kept.identity).to_bytes(), now.identity)
    return str(caught.value).removeprefix("the checkpoint is of another job: ")


def test_what_makes_it_another_job() -> None:
    assert job(GIVEN, ROWS).identity == job(GIVEN, [*reversed(ROWS), ROWS[0]]).identity
    assert refused(job({"q": GIVEN}, ROWS), job({"q": GIVEN}, ROWS[1:])) == 'the rows of the query "q" changed'
    assert refused(job(TEXTS), job({**TEXTS, "r3": text(":c3", 99)})) == 'the queries like "r0" changed'
    apart = refused(job(TEXTS, sharing=False), job(TEXTS))
    assert apart == "sharing changed from False to True (--no-sharing)"


def test_queries_are_numbered_in_their_order() -> None:
    """A state of other numbers is none of this job; within a family the order is free."""
    few = list(TEXTS.items())[:3]
    assert refused(job(dict(few)), job(dict(few[::-1]))) == "its queries are in another order"
    assert job(TEXTS).identity == job(dict(reversed(TEXTS.items()))).identity


def test_names_of_queries_that_have_none() -> None:
    texts = [TEXTS["r0"], RULE.replace("GIVEN_HERE", "").replace(":price", ":cost"), *list(TEXTS.values())[1:9]]
    (family, other) = job([one.replace("COMPANY", ":c").replace("LIMIT", "1") for one in texts]).queries
    assert family.names == ("query1", *(f"query{number}" for number in range(3, 11))) and other.names == ("query2",)


def test_a_job_in_which_nothing_is_shared_is_as_before() -> None:
    few = dict(list(TEXTS.items())[:3])
    assert job(few).identity == job(few, sharing=False).identity and "sharing" not in job(few).identity


def test_it_pickles_what_it_was_made_of() -> None:
    for one in (job(TEXTS), job(GIVEN, ROWS)):
        data = pickle.dumps(one)
        again = pickle.loads(data)
        assert (again.splits, again.labels, again.identity) == (one.splits, one.labels, one.identity)
        assert [query.names for query in again.queries] == [query.names for query in one.queries]
        assert len(data) < 20_000


@pytest.mark.parametrize(
    ("queries", "given", "message"),
    [
        ({"q": GIVEN}, None, r'the query "q" needs rows for GIVEN \?company \?limit'),
        ({"q": text(":c", 1)}, ROWS, 'the query "q" has no parameters'),
        ({"q": GIVEN}, {"r": ROWS}, "rows are given for r, but"),
    ],
)
def test_wrong_rows(queries: Any, given: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        job(queries, given)


def test_sharing_is_yes_or_no() -> None:
    with pytest.raises(OptionError, match="sharing is True or False, not 1"):
        job(TEXTS, sharing=1)


def test_a_query_without_rows_finds_nothing() -> None:
    one = Engines({"q": GIVEN}, 4, given={"q": []})
    assert one.close() == [] and not one.job.splits["q"].keys


def test_results_of_many_queries_as_rows() -> None:
    """All together, with the columns that each has."""
    renamed = TEXTS | {"r5": TEXTS["r5"].replace("SELECT ?p", "SELECT (?p AS ?price)")}
    quotes = ((price, company) for price in (50, 0) for company in range(20))
    about = [{"of": pyoxigraph.NamedNode(f"urn:c{one}"), "price": pyoxigraph.Literal(price)} for price, one in quotes]
    events = [event(one)._replace(timestamp=number, name=f"urn:e{number}") for number, one in enumerate(about)]
    case = SharedCase(renamed, {}, events)
    found, _ = in_batches(renamed, {}, events, 2, seed=1)
    assert found == case.alone() and {name for name, *_ in found} >= {"r5", "r6"}


def test_a_table_without_results_has_the_columns_of_its_query() -> None:
    renamed = TEXTS | {"r5": TEXTS["r5"].replace("SELECT ?p", "SELECT (?p AS ?price)")}
    assert job(renamed).empty("r5").columns == ("price",) and job(renamed).empty("r6").columns == ("p",)
