"""``run --checkpoint``: what several runs write is what one would have written; other inputs are refused."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke, start
from tests.cli.killing import prepare, scenario, uninterrupted

SELECT = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?x <urn:a> ?a } }"
ABSENT = """SELECT ?a WITHIN 9 SECONDS FROM STREAM s <urn:s> WHERE {
  SEQ(A ; B!) DEFINE GPM A ON s { ?x <urn:a> ?a } DEFINE GPM B ON s { ?x <urn:b> ?b } }"""


def event(number: int) -> str:
    """One event a second."""
    return (
        f"<urn:e{number}> <http://www.w3.org/ns/prov#generatedAtTime> "
        f'"2026-01-01T00:00:{number:02}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
        f'<urn:x> <urn:a> "{number}" <urn:e{number}> .\n'
    )


@pytest.fixture
def place(folder: Path) -> Path:
    Path("q.spaseq").write_text(SELECT)
    Path("s.nq").write_text("".join(map(event, range(10))))
    return folder


def arguments(*more: str) -> list[str]:
    return ["run", "q.spaseq", "--stream", "s=s.nq", "--checkpoint", "state", "--quiet", *more]


@pytest.mark.parametrize("to_file", [True, False], ids=["output", "standard output"])
def test_kills(to_file: bool) -> None:
    kills, wrong = scenario(to_file, 3, 5000, 1)
    assert wrong == []
    assert kills > 0


def test_a_run_that_has_ended_goes_on_with_what_was_added(place: Path, invoke: Invoke) -> None:
    first = invoke(*arguments()).stdout
    assert first.count("\n") == 10
    assert invoke(*arguments()).stdout == ""
    with Path("s.nq").open("a") as file:
        file.write("".join(map(event, range(10, 15))))
    second = invoke(*arguments()).stdout
    Path("state").unlink()
    assert first + second == invoke(*arguments()).stdout


def test_what_the_end_decided_may_come_again_if_more_is_added(place: Path, invoke: Invoke) -> None:
    Path("q.spaseq").write_text(ABSENT)
    first = invoke(*arguments()).stdout.splitlines()
    with Path("s.nq").open("a") as file:
        file.write("".join(map(event, range(10, 25))))
    second = invoke(*arguments()).stdout.splitlines()
    Path("state").unlink()
    whole = invoke(*arguments()).stdout.splitlines()
    assert set(whole) <= {*first, *second}
    assert len(first) + len(second) >= len(whole)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_writes_it(place: Path, sent: signal.Signals) -> None:
    found = []
    for numbers in (range(10, 14), range(14, 20)):
        process = start(*arguments("--follow", "--idle", "100ms", "--checkpoint-every", "1h"), cwd=place)
        with Path("s.nq").open("a") as file:
            file.write("".join(map(event, numbers)))
        assert process.stdout is not None
        found += [process.stdout.readline() for _ in range(len(numbers) + (10 if numbers.start == 10 else 0))]
        time.sleep(0.2)
        process.send_signal(sent)
        assert process.wait(20) == 130
        found += process.stdout.readlines()
    assert len(found) == len(set(found)) == 20


def test_it_is_written_while_nothing_comes(place: Path) -> None:
    process = start(*arguments("--follow", "--idle", "50ms", "--checkpoint-every", "300ms"), cwd=place)
    assert process.stdout is not None
    for _ in range(10):
        process.stdout.readline()
    time.sleep(1.5)
    process.kill()
    process.wait()
    process = start(*arguments("--follow", "--idle", "50ms", "--checkpoint-every", "300ms"), cwd=place)
    with Path("s.nq").open("a") as file:
        file.write(event(10))
    assert process.stdout is not None
    assert '"10"' in process.stdout.readline()
    process.kill()
    process.wait()


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        (lambda: Path("q.spaseq").write_text(ABSENT), [], "another query"),
        (lambda: None, ["--lateness", "5s"], "with --lateness 0s, here it is 5s"),
        (lambda: None, ["--output", "out"], r"with --output \(not given\), here it is out"),
        (lambda: Path("s.nq").write_text(event(0)), [], "s.nq of .* bytes, and now it has"),
        (lambda: Path("s.nq").write_text("".join(map(event, range(1, 20)))), [], "s.nq with another beginning"),
        (lambda: Path("state").write_text("x" * 100), [], "no snapshot"),
        (lambda: Path("state").write_bytes(Path("state").read_bytes()[:-1]), [], "damaged"),
    ],
    ids=["query", "lateness", "output", "shorter", "beginning", "no checkpoint", "damaged"],
)
def test_what_differs_is_named(place: Path, invoke: Invoke, change: object, more: list[str], message: str) -> None:
    assert invoke(*arguments()).exit_code == 0
    change()  # type: ignore[operator]
    found = invoke(*arguments(*more))
    assert found.exit_code == 2
    assert re.search(message, found.stderr), found.stderr


@pytest.mark.parametrize("more", [("skip",), ("dead-letter", "--dead-letters", "letters")], ids=["skip", "letters"])
def test_what_ended_a_run_may_be_passed_over(place: Path, invoke: Invoke, more: tuple[str, ...]) -> None:
    Path("s.nq").write_text("".join(map(event, range(5))) + "<urn:x .\n" + "".join(map(event, range(5, 10))))
    for _ in range(2):
        assert "s.nq:11:" in (found := invoke(*arguments("--output", "out"))).stderr and found.exit_code == 1
    assert invoke(*arguments("--output", "out", "--on-error", *more)).exit_code == 0
    Path("state").unlink()
    assert invoke(*arguments("--output", "all", "--on-error", "skip")).exit_code == 0
    assert Path("out").read_text() == Path("all").read_text()
    again = invoke(*arguments("--output", "all"))
    assert "with --on-error skip, here it is stop" in again.stderr


def test_other_files_are_named(place: Path, invoke: Invoke) -> None:
    assert invoke(*arguments()).exit_code == 0
    Path("s.nq").rename("other.nq")
    found = invoke("run", "q.spaseq", "--stream", "s=other.nq", "--checkpoint", "state")
    assert found.exit_code == 2
    assert "the stream <urn:s> from s.nq, here it is other.nq" in found.stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--limit", "3"], "--limit do not go together"),
        (["--count"], "--count do not go together"),
        (["--format", "csv"], "what is written as csv cannot be gone on with"),
    ],
)
def test_what_does_not_go_together(place: Path, invoke: Invoke, more: list[str], message: str) -> None:
    found = invoke(*arguments(*more))
    assert found.exit_code == 2
    assert message in found.stderr


def test_pipes_are_refused(place: Path, invoke: Invoke) -> None:
    os.mkfifo("pipe.nq")
    for path, shown in (("-", "standard input"), ("pipe.nq", "pipe.nq")):
        found = invoke("run", "q.spaseq", "--stream", f"s={path}", "--checkpoint", "state")
        assert found.exit_code == 2
        assert f"needs files, which can be read again: {shown} cannot" in found.stderr


def test_an_output_that_is_shorter(place: Path, invoke: Invoke) -> None:
    assert invoke(*arguments("--output", "out")).exit_code == 0
    Path("out").write_text("")
    found = invoke(*arguments("--output", "out"))
    assert found.exit_code == 2
    assert "and has 0" in found.stderr


def test_a_folder_that_is_not_there(place: Path, invoke: Invoke) -> None:
    found = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--checkpoint", "nowhere/state")
    assert found.exit_code == 2
    assert "cannot write nowhere/state" in found.stderr


def test_blank_nodes_and_losses_are_those_of_one_run(tmp_path: Path) -> None:
    """Rests on the order in which sources are numbered."""
    wanted = uninterrupted(prepare(tmp_path, 300, 5))
    state = ["--checkpoint", str(tmp_path / "state")]
    assert uninterrupted([*_prepared(tmp_path), *state]) == wanted


def _prepared(folder: Path) -> list[str]:
    names = [str(folder / f"{name}.spaseq") for name in ("pairs", "counts", "labels")]
    streams = ["--stream", f"s={folder / 's'}", "--stream", f"t={folder / 't.nq'}"]
    return ["run", *names, *streams, "--lateness", "500ms", "--on-error", "skip", "--quiet", "--format", "jsonl"]
