"""A run on a Linked Data Event Stream is killed while its pages grow, and goes on: each member has its result once."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("httpx")

from tests.cli.conftest import start
from tests.transports.event_pages import EventPages, ServedPage, member, node, relation, root

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
ON_A_PAGE = 20


@pytest.fixture
def server() -> Iterator[EventPages]:
    one = EventPages()
    yield one
    one.close()


def pages(count: int) -> dict[str, ServedPage]:
    """The first members of a stream: the last page grows, the others are final; each page has one of its neighbour."""
    starts = range(0, count, ON_A_PAGE)
    found = {"/r": ServedPage(root(*(relation(f"/{low}", low) for low in starts)))}
    for low in starts:
        numbers = range(low, min(low + ON_A_PAGE + 1, count))
        caching = "immutable" if low + ON_A_PAGE < count else ""
        found[f"/{low}"] = ServedPage(node(*(member(f"m{n}", n) for n in numbers)), caching=caching)
    return found


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def wait(process: subprocess.Popen[str], condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < limit
        time.sleep(0.002)


def test_a_killed_run_goes_on(server: EventPages, tmp_path: Path) -> None:
    (tmp_path / "all.spaseq").write_text(ALL)
    out, url = tmp_path / "out", f"s={server.url}/r#poll=50ms"
    line = ["run", "all.spaseq", "--stream", url, "--format", "jsonl", "--output", "out", "--quiet"]
    server.serve(pages(105))
    for count, least, end in ((250, 150, signal.SIGKILL), (415, 415, signal.SIGINT)):
        process = start(*line, "--checkpoint", "state", "--checkpoint-every", "20ms", cwd=tmp_path)
        wait(process, lambda: len(lines(out)) >= 50)
        server.pages = pages(count)
        wait(process, lambda least=least: len(lines(out)) >= least)
        process.send_signal(end)
        process.communicate(timeout=60)
    found = [json.loads(one)["bindings"]["a"]["value"] for one in lines(out)]
    assert found == [f"urn:m{n}" for n in range(415)]
    counts = server.counts()
    assert {counts[f"/{low}"] for low in range(0, 80, ON_A_PAGE)} == {1}  # final ones were asked for once
