"""Linked Data Event Streams, of a server of the test's own on loopback: trees of pages, growth, outages, errors."""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import spaseq
from spaseq.errors import OptionError, SpaseqWarning, StreamError
from spaseq.graphs.graph_run import Run

pytest.importorskip("httpx")

import httpx

from spaseq.sources.rdf.wire import WireOptions
from spaseq.sources.transports import delivered_members, ldes
from spaseq.sources.transports.ldes import LinkedDataEventStream
from spaseq.sources.transports.transport import Message
from tests.transports.event_pages import PREFIXES, EventPages, ServedPage, member, node, relation, root

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
FAST = pytest.mark.usefixtures("fast")
PROV = "http://www.w3.org/ns/prov#generatedAtTime"


@pytest.fixture(scope="module")
def server() -> Iterator[EventPages]:
    one = EventPages()
    yield one
    one.close()


@pytest.fixture(scope="module", autouse=True)
def one_context() -> Iterator[None]:
    """Trusted authorities are loaded once, which takes longer than all else of a short stream."""
    context = ssl.create_default_context()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ldes, "client_of", lambda _: httpx.Client(verify=context, timeout=10))
        yield


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.transports.receiving.SHORTEST", 0.02)
    monkeypatch.setattr(ldes, "SHORTEST_POLL", 0.01)


def drained(source: LinkedDataEventStream) -> list[Message]:
    """All messages, to the end."""
    found = list[Message]()
    while (some := source.take()) is not None:
        found += some
        if not some:
            source.wait(5)
    source.close()
    return found


def names(messages: Sequence[Message]) -> list[str]:
    return [(one.key or b"").decode().removeprefix("urn:") for one in messages]


def run_names(run: Run) -> list[str]:
    return [str(one.bindings["a"]).removeprefix("urn:") for one in run]


def until(server: EventPages, condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < limit, server.asked
        time.sleep(0.002)


# ── members ──────────────────────────────────────────────────────────────────────────────────────────────
def only(server: EventPages, *parts: str, kind: str = "text/turtle", settings: str = "") -> str:
    """The message of the only member of a page."""
    server.serve({"/r": ServedPage("".join(parts), kind)})
    (message,) = drained(LinkedDataEventStream(f"{server.url}/r#end=now{settings}"))
    return message.data.decode()


def test_a_member_has_its_statements_its_blank_nodes_and_its_graph(server: EventPages) -> None:
    body = """<urn:stream> tree:member <urn:m>, <urn:n> .
        <urn:m> <urn:time> "2026-01-01T00:00:01Z"^^xsd:dateTime ; <urn:at> [ <urn:lat> 1 ; <urn:next> _:x ] .
        _:x <urn:of> <urn:elsewhere> . <urn:elsewhere> <urn:not> <urn:this> .
        <urn:m> { <urn:sensor> <urn:reads> 7 } <urn:n> { <urn:m> <urn:not> <urn:mine> }
        <urn:n> <urn:time> "2026-01-01T00:00:02Z"^^xsd:dateTime ."""
    server.serve({"/r": ServedPage(root(body), "application/trig")})
    first, second = drained(LinkedDataEventStream(f"{server.url}/r#end=now"))
    zoned, integer = '"2026-01-01T00:00:01Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>', "XMLSchema#integer>"
    assert first.data.decode().splitlines() == [
        f"<urn:m> <urn:time> {zoned} <urn:m> .",
        "<urn:m> <urn:at> _:b0 <urn:m> .",
        f'_:b0 <urn:lat> "1"^^<http://www.w3.org/2001/{integer} <urn:m> .',
        "_:b0 <urn:next> _:b1 <urn:m> .",
        "_:b1 <urn:of> <urn:elsewhere> <urn:m> .",
        f'<urn:sensor> <urn:reads> "7"^^<http://www.w3.org/2001/{integer} <urn:m> .',
        f"<urn:m> <{PROV}> {zoned} .",
    ]
    assert (first.key, first.position, first.time) == (b"urn:m", 1, 1_767_225_601_000_000)
    assert names([second]) == ["n"] and b"<urn:not> <urn:mine> <urn:n>" in second.data


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("<urn:p>", "<urn:m> <urn:p> {}"),
        ("( <urn:p> )", "<urn:m> <urn:p> {}"),
        ("( <urn:q> <urn:p> )", "<urn:m> <urn:q> [ <urn:p> {} ]"),
        ("( [ sh:inversePath <urn:q> ] <urn:p> )", "<urn:m> <urn:z> _:a . _:a <urn:q> <urn:m> ; <urn:p> {}"),
        ("[ sh:alternativePath ( <urn:no> <urn:p> ) ]", "<urn:m> <urn:p> {}"),
        ("[ sh:inversePath [ sh:inversePath <urn:p> ] ]", "<urn:m> <urn:p> {}"),
    ],
)
def test_paths_to_the_time(server: EventPages, path: str, said: str) -> None:
    value = '"2026-01-01T00:00:05Z"^^xsd:dateTime'
    stream = f"{PREFIXES}<urn:c> tree:view <> ; tree:member <urn:m> ; ldes:timestampPath {path} ."
    assert f'<urn:m> <{PROV}> "2026-01-01T00:00:05Z"^^' in only(server, f"{stream} {said.format(value)} .")


@pytest.mark.parametrize("kind", ["application/n-quads", "application/n-triples", "application/ld+json", "text/plain"])
def test_formats(server: EventPages, kind: str) -> None:
    tree, time = "https://w3id.org/tree#", "2026-01-01T00:00:05Z"
    xsd = "http://www.w3.org/2001/XMLSchema#dateTime"
    lines = f"""<urn:c> <{tree}member> <urn:m> .
        <urn:c> <https://w3id.org/ldes#timestampPath> <urn:time> .\n<urn:m> <urn:time> "{time}"^^<{xsd}> .\n"""
    document = f"""{{"@id": "urn:c", "{tree}member": {{"@id": "urn:m",
        "urn:time": {{"@value": "{time}", "@type": "{xsd}"}}}},
        "https://w3id.org/ldes#timestampPath": {{"@id": "urn:time"}}}}"""
    path = "/r.nq" if kind == "text/plain" else "/r"
    server.serve({path: ServedPage(document if kind.endswith("json") else lines, f"{kind}; charset=utf-8")})
    found = drained(LinkedDataEventStream(f"{server.url}{path}#end=now"))
    assert names(found) == ["m"]
    assert "application/trig" in server.asked[0][2]["accept"]


def test_a_stream_leads_to_its_view_and_the_time_may_be_told(server: EventPages) -> None:
    page = node("<urn:c> tree:view </view> . ", member("a", 3).replace("urn:stream", "urn:c"))
    server.serve({"/r": ServedPage(node("<urn:c> tree:view </view> .")), "/view": ServedPage(page)})
    assert names(drained(LinkedDataEventStream(f"{server.url}/r#end=now&time=urn:time"))) == ["a"]


def test_a_malformed_member_costs_itself_alone(server: EventPages) -> None:
    without = member("b", 2).replace("<urn:time>", "<urn:other>")
    twice = member("c", 3) + '<urn:c> <urn:time> "2026-01-01T01:00:00Z"^^xsd:dateTime .'
    never = member("d", 4).replace("2026-01-01", "2026-02-30")
    server.serve({"/r": ServedPage(root(member("a", 1), without, twice, never, member("e", 5)))})
    url = f"{server.url}/r#end=now"
    run = Run(ALL, {"s": url}, options=WireOptions(skip=True))
    with pytest.warns(SpaseqWarning, match="3 malformed events of <urn:s> were skipped"):
        assert run_names(run) == ["a", "e"]
    with pytest.raises(StreamError, match=re.escape(f"{server.url}/r@urn:b")):
        list(spaseq.run(ALL, {"s": url}))


# ── order ────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass
class RandomPage:
    """A page: names and seconds of members, and links with the bounds that they tell."""

    members: list[tuple[str, int]] = field(default_factory=list)
    links: list[tuple[str, int | None, int | None]] = field(default_factory=list)
    stop: int = 0  # the second from which on nothing is added to it, or to pages behind it
    is_final: bool = False  # it says so


@dataclass
class RandomTree:
    """Pages by path, and the second of each member."""

    pages: dict[str, RandomPage] = field(default_factory=dict)
    seconds: dict[str, int] = field(default_factory=dict)

    def served(self, now: int = 1000) -> dict[str, ServedPage]:
        """The pages as they are at a second: with what came before it."""
        return {path: self._served(path, page, now) for path, page in self.pages.items()}

    def _served(self, path: str, page: RandomPage, now: int) -> ServedPage:
        members = [member(*one) for one in page.members if one[1] < now]
        links = [relation(*one) for one in page.links if one[1] is None or one[1] < now]
        caching = "public, max-age=1000, immutable" if page.is_final and page.stop <= now else ""
        return ServedPage((root if path == "/r" else node)(*links, *members), caching=caching)


@st.composite
def trees(draw: st.DrawFn) -> RandomTree:
    """Members in leaves and inner pages; relations with both bounds, the lower one, or none; some members twice."""
    tree, number = RandomTree(), iter(range(1000))
    says = st.sampled_from([(True, True), (True, False), (draw(st.booleans()), True)])

    def grow(path: str, low: int, high: int, depth: int) -> None:
        page = tree.pages[path] = RandomPage(stop=high, is_final=draw(st.booleans()))
        for second in draw(st.lists(st.integers(low, high - 1), max_size=4)):
            page.members.append((f"m{next(number)}", second))
            tree.seconds |= [page.members[-1]]
        again = [one for one in tree.seconds.items() if low <= one[1] < high]
        page.members += draw(st.lists(st.sampled_from(again), max_size=2)) if again else []
        page.members = draw(st.permutations(page.members))
        for _ in range(draw(st.integers(0, 3)) if depth < 3 and high - low > 2 else 0):
            start = draw(st.integers(low, high - 2))
            stop, to, (says_low, says_high) = draw(st.integers(start + 1, high)), f"/p{next(number)}", draw(says)
            page.links.append((to, start if says_low else None, stop if says_high else None))
            grow(to, start, stop, depth + 1)

    grow("/r", 0, draw(st.integers(1, 100)), 0)
    return tree


RANDOM = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@RANDOM
@given(tree=trees(), start=st.sampled_from([0, 0, 30]))
def test_every_member_comes_once_in_order_of_time(server: EventPages, tree: RandomTree, start: int) -> None:
    server.serve(tree.served())
    begin = f"&start=2026-01-01T00:00:{start:02}Z" if start else ""
    found = drained(LinkedDataEventStream(f"{server.url}/r#end=now{begin}"))
    expected = sorted(second for second in tree.seconds.values() if second >= start)
    assert [tree.seconds[name] for name in names(found)] == expected
    assert len(set(names(found))) == len(found)
    assert set(server.counts().values()) <= {1}


@RANDOM
@given(tree=trees(), stops=st.lists(st.tuples(st.integers(0, 100), st.integers(0, 20)), max_size=3))
def test_a_run_goes_on_behind_any_member(server: EventPages, tree: RandomTree, stops: list[tuple[int, int]]) -> None:
    """It was stopped at some seconds, behind so many members; the pages have grown since."""
    found, state = list[str](), None
    for now, count in [*sorted(stops), (1000, 1000)]:
        server.serve(tree.served(now))
        source = LinkedDataEventStream(f"{server.url}/r#end=now")
        if state is not None:
            source.go_on(state)
        messages = drained(source)[:count]
        state = source.state(messages[-1].position if messages else source.position)
        found += names(messages)
    assert [tree.seconds[name] for name in found] == sorted(tree.seconds.values())
    assert sorted(found) == sorted(tree.seconds)


def test_pages_that_are_wholly_before_the_start_are_not_read(server: EventPages) -> None:
    links = [relation("/old", 0, 10), relation("/new", 10, 20)]
    pages = {"/old": ServedPage(node(member("a", 5))), "/new": ServedPage(node(member("b", 15), member("c", 12)))}
    server.serve({"/r": ServedPage(root(*links)), **pages})
    found = drained(LinkedDataEventStream(f"{server.url}/r#end=now&start=2026-01-01T00:00:13Z"))
    assert names(found) == ["b"]
    assert server.counts() == {"/new": 1, "/r": 1}


def test_members_are_given_before_later_pages_are_read(server: EventPages) -> None:
    links = [relation("/a", 0, 10), relation("/b", 10, 20)]
    broken = ServedPage("no Turtle")
    server.serve({"/r": ServedPage(root(*links)), "/a": ServedPage(node(member("a", 5))), "/b": broken})
    run = spaseq.run(ALL, {"s": f"{server.url}/r"})
    assert str(next(run).bindings["a"]) == "urn:a"
    with pytest.raises(StreamError, match=re.escape(f"{server.url}/b:1:1: error")):
        next(run)


def test_relations_of_something_else_say_nothing_of_time(server: EventPages) -> None:
    links = [relation("/a", 50, 60, path="<urn:price>"), relation("/b", 10, 20)]
    pages = {"/a": ServedPage(node(member("a", 5))), "/b": ServedPage(node(member("b", 15)))}
    server.serve({"/r": ServedPage(root(*links)), **pages})
    assert names(drained(LinkedDataEventStream(f"{server.url}/r#end=now&start=2026-01-01T00:00:01Z"))) == ["a", "b"]


def test_links_backwards(server: EventPages) -> None:
    newest = root(member("c", 30), relation("/b", high=30))
    pages = {"/b": ServedPage(node(member("b", 20), relation("/a", high=20))), "/a": ServedPage(node(member("a", 10)))}
    server.serve({"/r": ServedPage(newest), **pages})
    assert names(drained(LinkedDataEventStream(f"{server.url}/r#end=now"))) == ["a", "b", "c"]


def test_what_waits_is_bounded(server: EventPages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ldes.Traversal.__init__, "__defaults__", (ldes.LEAST, 2000))
    pages = {f"/{n}": ServedPage(node(member(f"m{n}", n), relation(f"/{n + 1}"))) for n in range(1, 30)}
    server.serve({"/r": ServedPage(root(relation("/1"))), **pages, "/30": ServedPage("no Turtle")})
    source, found = LinkedDataEventStream(f"{server.url}/r#end=now"), list[Message]()
    with pytest.raises(StreamError, match="/30"):
        while (some := source.take()) is not None:
            found += some
            source.wait(5)
    assert names(found) == [f"m{n}" for n in range(1, len(found) + 1)] and 20 < len(found) < 29


# ── growth ───────────────────────────────────────────────────────────────────────────────────────────────
class Read:
    """Takes what comes, in the thread of the test."""

    def __init__(self, source: LinkedDataEventStream) -> None:
        self.source = source
        self.found: list[str] = []

    def wait_for(self, count: int) -> list[str]:
        limit = time.monotonic() + 10
        while len(self.found) < count and time.monotonic() < limit:
            self.source.wait(1)
            self.found += names(self.source.take() or [])
        return self.found


@FAST
def test_what_is_added_comes_once(server: EventPages) -> None:
    server.serve({"/r": ServedPage(root(member("a", 1))), "/old": ServedPage("", status=500)})
    read = Read(LinkedDataEventStream(f"{server.url}/r#poll=10ms"))
    assert read.wait_for(1) == ["a"]
    until(server, lambda: server.counts(304).get("/r", 0) > 2)
    server.pages["/r"] = ServedPage(root(member("c", 3), member("a", 1), member("b", 2)))
    assert read.wait_for(3) == ["a", "b", "c"]
    server.pages |= {"/new": ServedPage(node(member("d", 4), member("b", 2)))}
    server.pages["/r"] = ServedPage(root(member("c", 3), relation("/new", 4)))
    assert read.wait_for(4) == ["a", "b", "c", "d"]
    read.source.close()
    assert server.counts()["/new"] == 1 and server.counts()["/r"] <= 4  # else it was as before


@FAST
@pytest.mark.parametrize("caching", ["immutable", ""])
def test_what_is_final_is_not_asked_for_again(server: EventPages, caching: str) -> None:
    said = "" if caching else "<> ldes:immutable true ."
    pages = {"/old": ServedPage(node(member("a", 1), said), caching=caching), "/new": ServedPage(node(member("b", 2)))}
    server.serve({"/r": ServedPage(root(relation("/old", 1, 2), relation("/new", 2), said), caching=caching), **pages})
    read = Read(LinkedDataEventStream(f"{server.url}/r#poll=10ms"))
    assert read.wait_for(2) == ["a", "b"]
    until(server, lambda: server.counts(304).get("/new", 0) > 2)
    state = read.source.state(2)
    read.source.close()
    assert server.counts() == {"/new": 1, "/old": 1, "/r": 1}
    server.asked.clear()
    again = LinkedDataEventStream(f"{server.url}/r#end=now")
    again.go_on(state)
    assert drained(again) == []
    assert [(path, status) for path, status, _ in server.asked] == [("/new", 304)]


@FAST
@pytest.mark.parametrize("settings", ["", "#poll=10ms"])
def test_how_often_pages_are_asked_for(server: EventPages, settings: str) -> None:
    server.serve({"/r": ServedPage(root(member("a", 1)), caching="max-age=3600")})
    source = LinkedDataEventStream(f"{server.url}/r{settings}")
    read = Read(source)
    assert read.wait_for(1) == ["a"]
    until(server, lambda: len(server.asked) > (3 if settings else 0))
    looks = source._traversal.next_look() - time.monotonic()
    source.close()
    assert looks < 1 if settings else 3500 < looks <= 3600


def test_a_stream_of_final_pages_ends(server: EventPages) -> None:
    server.serve({"/r": ServedPage(root(member("a", 1)), caching="immutable")})
    assert run_names(spaseq.run(ALL, {"s": f"{server.url}/r"})) == ["a"]


def test_members_of_closed_pages_are_forgotten(server: EventPages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivered_members, "REMEMBERED", 5)
    pages = {
        f"/{n}": ServedPage(node(member(f"m{n}", n), relation(f"/{n + 1}", n + 1)), caching="immutable")
        for n in range(1, 30)
    }
    server.serve({"/r": ServedPage(root(relation("/1", 1))), **pages, "/30": ServedPage(node(member("m30", 30)))})
    source = LinkedDataEventStream(f"{server.url}/r#poll=1h")
    source._traversal.released = 1000  # all, as soon as they are given
    assert len(Read(source).wait_for(30)) == 30
    state = source.state(30)
    source.close()
    assert len(source._traversal._given._numbers) < 9
    assert len(state) < 1200


@FAST
def test_a_page_that_is_not_there_for_a_while(server: EventPages, caplog: pytest.LogCaptureFixture) -> None:
    server.serve({"/r": ServedPage(root(member("a", 1)))})
    read = Read(LinkedDataEventStream(f"{server.url}/r#poll=10ms"))
    assert read.wait_for(1) == ["a"]
    server.pages = {}
    until(server, lambda: server.counts(404).get("/r", 0) > 2)
    server.pages = {"/r": ServedPage(root(member("a", 1), member("b", 2)))}
    assert read.wait_for(2) == ["a", "b"]
    read.source.close()
    assert caplog.messages == [f"warning: {server.url}/r: the server answers 404 Not Found; what it had was read"]


@FAST
def test_a_page_that_is_removed(server: EventPages) -> None:
    server.serve({"/r": ServedPage(root(relation("/a", 1))), "/a": ServedPage(node(member("a", 1)))})
    read = Read(LinkedDataEventStream(f"{server.url}/r#poll=10ms"))
    assert read.wait_for(1) == ["a"]
    state = read.source.state(0)
    server.pages["/a"] = ServedPage("", status=410)
    until(server, lambda: server.counts(410).get("/a", 0) > 0)
    server.pages["/r"] = ServedPage(root(member("b", 2)))
    assert read.wait_for(2) == ["a", "b"]
    read.source.close()
    assert server.counts(410) == {"/a": 1}
    again = LinkedDataEventStream(f"{server.url}/r#end=now")
    again.go_on(state)  # before its member was given
    with pytest.raises(StreamError, match="/a: error: the server answers 410 Gone\nhint: what it had was not read"):
        drained(again)


# ── outages, and what is wrong ───────────────────────────────────────────────────────────────────────────
@FAST
def test_outages(server: EventPages, caplog: pytest.LogCaptureFixture) -> None:
    body = node(member("a", 1))
    server.serve({"/r": ServedPage(root(relation("/a", 1))), "/a": ServedPage(body, status=503)})
    read = Read(LinkedDataEventStream(f"{server.url}/r#end=now"))
    read.source.take()
    until(server, lambda: server.counts(503).get("/a", 0) > 1)
    server.pages["/a"] = ServedPage(body, cut=20)
    until(server, lambda: server.counts().get("/a", 0) > 0)
    server.pages["/a"] = ServedPage(body)
    assert read.wait_for(1) == ["a"]
    lost, back = caplog.messages
    assert "the server answers 503 Service Unavailable; trying again" in lost and "connected again" in back


@FAST
def test_an_outage_ends(server: EventPages) -> None:
    server.serve({"/r": ServedPage("", status=503)})
    for patience in ("", "#retry=100ms"):
        with pytest.raises(StreamError, match="/r: error: cannot read: the server answers 503"):
            list(spaseq.run(ALL, {"s": f"{server.url}/r{patience}"}))
    assert len(server.asked) > 3


def test_redirections_stay_on_the_origin(server: EventPages) -> None:
    moved = ServedPage("", status=302, location="/here")
    server.serve({"/r": moved, "/here": ServedPage(root(member("a", 1), relation("#x"), relation("/r#y")))})
    assert names(drained(LinkedDataEventStream(f"{server.url}/r#end=now"))) == ["a"]
    server.serve({"/r": ServedPage("", status=302, location="/r")})
    with pytest.raises(StreamError, match="from page to page without end"):
        drained(LinkedDataEventStream(f"{server.url}/r"))


@pytest.mark.parametrize("page", [
    ServedPage(root(relation("http://me:word@other.example/b?page=2&token=word"))),
    ServedPage(root(relation("https://127.0.0.1/b"))),
    ServedPage(root(relation("file:///etc/passwd"))),
    ServedPage("", status=301, location="http://other.example/b"),
    ServedPage(node("<urn:c> tree:view <http://other.example/b> .")),
])  # fmt: skip
def test_other_origins_are_refused(server: EventPages, page: ServedPage) -> None:
    server.serve({"/r": page})
    with pytest.raises(StreamError, match=r"/r: error: it leads to another origin: ldes\+(http|https|file)://") as told:
        list(spaseq.run(ALL, {"s": f"{server.url}/r"}))
    assert "word" not in str(told.value)


@pytest.mark.parametrize(("page", "message"), [
    (ServedPage("<urn:a> <urn:b> <urn:c> ."), "r: error: this is no LDES: .*\nhint: name a page with tree:member"),
    (ServedPage("<html>", "text/html"), "r: error: the server answers with text/html, .*\nexpected application/n-q"),
    (ServedPage("<urn:a> <urn:b", "text/turtle"), "r:1:9: error: .*\n  <urn:a> <urn:b\n"),
    (ServedPage('{"@context": "https://w3id.org/ldes/context"}', "application/ld+json"), "a context that stands else"),
    (ServedPage("[" * 5000, "application/ld+json"), "r: error"),
    (ServedPage(node(member("a", 1))), "no ldes:timestampPath is here\nhint: say which property it is: #time="),
    (ServedPage(root(member("a", 1), "<urn:d> tree:view <> .")), "it has 2 streams: urn:d, urn:stream"),
    (ServedPage(node("<urn:c> tree:view </a>, </b> .")), "it has 2 views: http.*/a, http.*/b\nhint: name one of them"),
    (ServedPage(root("<urn:stream> tree:member [ <urn:time> 1 ] .")), "a member is a blank node"),
    (ServedPage(root("<urn:stream> tree:member <urn:x> .")), "nothing is said of the member <urn:x>"),
    (ServedPage(root("<urn:d> tree:member <urn:x> .")), "its members are of <urn:d>, and not of <urn:stream>"),
    (ServedPage(root("<> tree:relation [ a tree:Relation ] .")), "has not one page: one tree:node is expected"),
    (ServedPage(node("</x> tree:relation [ tree:node </y> ] . <urn:c> tree:view <> .")), "has the links of http.*/x"),
    (ServedPage(f"{PREFIXES}<urn:c> tree:view <> ; ldes:timestampPath [ sh:zeroOrMorePath <urn:p> ] ."),
     "timestampPath cannot be followed: sh:zeroOrMorePath is none of"),
    (ServedPage("", status=403), "r: error: the server answers 403 Forbidden"),
    (ServedPage("", status=404), "r: error: the server answers 404 Not Found"),
])  # fmt: skip
def test_pages_that_are_none(server: EventPages, page: ServedPage, message: str) -> None:
    server.serve({"/r": page})
    with pytest.raises(StreamError, match=message):
        list(spaseq.run(ALL, {"s": f"{server.url}/r"}))


@pytest.mark.parametrize(("url", "message"), [
    ("ldes+http://me:word@h/x", "a password in a URL is seen by others"),
    ("ldes+http://h/x#token=word", "token in a URL is seen by others"),
    ("ldes+http://h/x#format=json", "there is no setting format"),
    ("ldes+http://h/x?page=1&end=now", "end is a setting; settings stand behind #"),
    ("ldes+http://h/x#start=noon", 'start=noon is no time: "noon" is not an xsd:dateTime'),
    ("ldes+http://h/x#end=soon", "end=soon is none of never, now"),
    ("ldes+http:///x", r"write ldes\+http://HOST/PATH"),
])  # fmt: skip
def test_urls_that_are_none(url: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as told:
        spaseq.run(ALL, {"s": url})
    assert "word@" not in str(told.value) and "=word" not in str(told.value)


def test_who_asks(server: EventPages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORD", "secret")
    server.serve({"/r?key=k": ServedPage(root(member("a", 1), relation("/b?page=2"))), "/b?page=2": ServedPage("no")})
    with pytest.raises(StreamError, match=re.escape(f"{server.url}/b?page=2:1:1: error")):
        drained(LinkedDataEventStream(f"{server.url}/r?key=k#token_env=WORD"))
    assert {headers["authorization"] for _, _, headers in server.asked} == {"Bearer secret"}
    server.serve({"/r?key=k": ServedPage("no")})
    with pytest.raises(StreamError, match=f"^{re.escape(server.url)}/r:1:1: error"):
        drained(LinkedDataEventStream(f"{server.url}/r?key=k"))


def test_a_run_goes_on_from_its_state(server: EventPages) -> None:
    server.serve({"/r": ServedPage(root(member("a", 1), member("b", 2)))})
    run = Run(ALL, {"s": f"{server.url}/r#end=now"}, on_step=lambda: 1.0)
    assert run_names(run) == ["a", "b"]
    server.serve({"/r": ServedPage(root(member("a", 1), member("b", 2), member("c", 2)))})
    assert run_names(Run(ALL, {"s": f"{server.url}/r#end=now"}, state=run.state())) == ["c"]


EMPTY = '"closed": "", "given": "", "pages"'


@pytest.mark.parametrize(
    "state",
    ["", "[]", "{}", '{"context": [], "pages": []}', 7, None, f'{{"context": ["c", {{"x": 1}}, null], {EMPTY}: []}}'],
)
def test_a_state_that_is_none(state: str | int | None) -> None:
    with pytest.raises(StreamError, match="the checkpoint does not say which pages were read"):
        LinkedDataEventStream("ldes+http://h/x").go_on(state)


def test_a_state_leads_to_no_other_origin(server: EventPages) -> None:
    source = LinkedDataEventStream(f"{server.url}/r")
    source.go_on(f'{{"context": ["c", "p", null], {EMPTY}: [["http://other.example/x", 0, "", false, ""]]}}')
    with pytest.raises(StreamError, match="it leads to another origin"):
        drained(source)


def test_closing_ends_the_thread(server: EventPages) -> None:
    server.serve({"/r": ServedPage(root(member("a", 1)))})
    read = Read(LinkedDataEventStream(f"{server.url}/r"))
    assert read.wait_for(1) == ["a"]
    read.source.close()
    assert read.source.url not in {one.name for one in threading.enumerate()}
