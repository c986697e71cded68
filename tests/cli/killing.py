"""``python -m tests.cli.killing [TIMES SEED]``: runs with --checkpoint, killed at random moments and started again.

What its runs wrote together is compared with what one wrote that nobody killed.
"""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

QUERY = """SELECT ?k ?a ?b WITHIN 2 SECONDS SLIDING FROM STREAM s <urn:s> FROM STREAM t <urn:t> WHERE {
  SEQ(A ; B ; C!)
  DEFINE GPM A ON s { ?x <urn:a> ?a ; <urn:of> ?k } DEFINE GPM B ON t { ?y <urn:b> ?b ; <urn:of> ?k FILTER(?b > ?a) }
  DEFINE GPM C ON s { ?z <urn:c> ?c ; <urn:of> ?k } }"""
COUNTING = """SELECT ?k (COUNT(*) AS ?n) WITHIN 1 SECONDS FROM STREAM t <urn:t> WHERE {
  SEQ(B) DEFINE GPM B ON t { ?y <urn:b> ?b ; <urn:of> ?k } } GROUP BY ?k"""
LABELLED = """SELECT ?x ?a WITHIN 1 SECONDS FROM STREAM s <urn:s> WHERE {
  SEQ(A) DEFINE GPM A ON s { ?x <urn:a> ?a FILTER(?a > 90) } }"""
TUPLES = {
    "pairs": "SELECT a.value, b.value FROM S, T WHERE (S>A AS a : T>B AS b) FILTER a[value > 980] AND b[value > 900] "
    "PARTITION BY [key] WITHIN 2 SECONDS",
    "higher": "SELECT x.key, y.value FROM S WHERE (A AS x ; A AS y) FILTER x[value > 985] AND y[value > x.value] "
    "AND y[key = x.key] WITHIN 30 SECONDS",
    "counts": "SELECT COUNT(*), SUM(b.value), b.key FROM T WHERE (B AS b ; B) FILTER b[value > 997] "
    "GROUP BY b.key WITHIN 20 EVENTS",
    "falls": "SELECT * FROM S MATCH_RECOGNIZE (PARTITION BY key ORDER BY time, value MEASURES FIRST(A.value) AS first, "
    "LAST(B.value) AS last, MATCH_NUMBER() AS number PATTERN (A B{2,}) DEFINE B AS B.value < PREV(B.value))",
    "above": "SELECT * FROM T MATCH_RECOGNIZE (ORDER BY time MEASURES COUNT(*) AS rows, LAST(B.value) AS last "
    "PATTERN (A{3,} B) DEFINE B AS B.value > MAX(A.value))",
}  # fmt: skip
TIME = '"2026-01-01T00:{:02}:{:06.3f}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def lines(stream: str, number: int, choose: random.Random) -> str:
    """An event: of blank nodes, and now and then malformed, or late."""
    moment = max(0, number * 10 - choose.choice((0, 0, 0, 0, 300, 3000)))
    graph, time_of = f"<urn:{stream}{number}>", TIME.format(moment // 60_000, moment % 60_000 / 1000)
    kind = "b" if stream == "t" else choose.choice("aac")
    broken = f"_:x <urn:a> broken {graph} .\n" if number % 997 == 5 else ""
    return (
        f"{graph} <http://www.w3.org/ns/prov#generatedAtTime> {time_of} .\n"
        f'_:x <urn:{kind}> "{choose.randrange(100)}"^^<http://www.w3.org/2001/XMLSchema#integer> {graph} .\n'
        f"{broken}_:x <urn:of> <urn:k{choose.randrange(5)}> {graph} .\n"
    )


def prepare_tuples(folder: Path, events: int, seed: int) -> list[str]:
    """Tables and queries in CEQL in a folder; the arguments of a run."""
    choose = random.Random(seed)
    for stream in ("S", "T"):
        rows = [row(stream, number, choose) for number in range(events * 10)]
        (folder / f"{stream}.csv").write_text("type,key,value,time\n" + "".join(rows))
    names = []
    for name, text in TUPLES.items():
        path = folder / f"{name}.{'sql' if 'MATCH_RECOGNIZE' in text else 'ceql'}"
        path.write_text(text)
        names.append(str(path))
    return ["tuples", *names, "--events", f"S={folder / 'S.csv'}", "--events", f"T={folder / 'T.csv'}",
            "--time", "time", "--time-unit", "ms", "--on-error", "skip", "--quiet", "--format", "jsonl"]  # fmt: skip


def row(stream: str, number: int, choose: random.Random) -> str:
    """An event: now and then without a key, or late."""
    moment = max(0, number * 10 - choose.choice((0,) * 400 + (3000,)))
    kind = "B" if stream == "T" else choose.choice("AAC")
    return f"{kind},{choose.choice(('', *'abcde'))},{choose.randrange(1000)},{moment}\n"


def prepare(folder: Path, events: int, seed: int) -> list[str]:
    """Streams and queries in a folder; the arguments of a run."""
    choose = random.Random(seed)
    s = [lines("s", number, choose) for number in range(events)]
    t = [lines("t", number, choose) for number in range(events)]
    (folder / "s").mkdir()
    (folder / "s" / "1.nq").write_text("".join(s[::2]))
    (folder / "s" / "2.nq.gz").write_bytes(gzip.compress("".join(s[1::2]).encode()))
    (folder / "t.nq").write_text("".join(t))
    names = []
    for name, text in (("pairs", QUERY), ("counts", COUNTING), ("labels", LABELLED)):
        (folder / f"{name}.spaseq").write_text(text)
        names.append(str(folder / f"{name}.spaseq"))
    return ["run", *names, "--stream", f"s={folder / 's'}", "--stream", f"t={folder / 't.nq'}", "--lateness", "500ms",
            "--on-error", "skip", "--quiet", "--format", "jsonl"]  # fmt: skip


def command(arguments: list[str]) -> list[str]:
    """The program."""
    return [sys.executable, "-m", "spaseq", *arguments]


def uninterrupted(arguments: list[str]) -> list[str]:
    """What one run writes."""
    return subprocess.run(command(arguments), check=True, capture_output=True, text=True).stdout.splitlines()


def killed(arguments: list[str], out: Path, seconds: float) -> bool:
    """Run with its output added to a file, and kill it; whether it ended before."""
    with out.open("ab") as file:
        process = subprocess.Popen(command(arguments), stdout=file, stderr=subprocess.PIPE)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        _, said = process.communicate()
    assert process.returncode in (0, -9), said.decode()
    return process.returncode == 0


def kill_until_it_ends(arguments: list[str], out: Path, times: int, longest: float, choose: random.Random) -> int:
    """Kill at most so many times, and then let it end; how many times it was."""
    for kills in range(times):
        if killed(arguments, out, choose.uniform(0.2, longest)):
            return kills
    assert killed(arguments, out, 600)
    return times


def problems(found: list[str], whole: list[str], may_repeat: bool) -> list[str]:
    """What is wrong with results that were written by several runs: a whole line each, nothing missing, in order."""
    if not may_repeat:
        return [] if found == whole else [f"{len(found)} results, not {len(whole)}, or in another order"]
    wrong, right = [], set(whole)
    if missing := right - set(found):
        wrong.append(f"{len(missing)} results are missing")
    if strange := [line for line in found if line not in right]:
        wrong.append(f"{len(strange)} results are no results, as {strange[0][:200]}")
    if list(dict.fromkeys(found)) != list(dict.fromkeys(whole)):
        wrong.append("the results come in another order")
    return wrong


def scenario(
    to_file: bool, kills: int, events: int, seed: int, prepare: Callable[[Path, int, int], list[str]] = prepare
) -> tuple[int, list[str]]:
    """Results of a run that is killed at most so often: how often it was, and what is wrong with them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = prepare(folder, events, seed)
        begun = time.monotonic()
        whole = uninterrupted(arguments)
        longest = (time.monotonic() - begun) * 0.9
        out = folder / "out.jsonl"
        more = ["--checkpoint", str(folder / "state"), "--checkpoint-every", "50ms"]
        more += ["--output", str(out)] if to_file else []
        nowhere = Path("/dev/null")
        choose = random.Random(seed)
        done = kill_until_it_ends([*arguments, *more], nowhere if to_file else out, kills, longest, choose)
        found = out.read_text().splitlines()
        way = "--output" if to_file else "standard output"
        print(f"{arguments[0]}, {way}: {done} kills, {len(whole)} results, {len(found) - len(whole)} twice", flush=True)
        return done, problems(found, whole, may_repeat=not to_file)


def main() -> int:
    """Of graphs and of tuples, both ways of output in turn, until there were so many kills of each."""
    times, seed = [*map(int, sys.argv[1:]), *(50, 1)[len(sys.argv) - 1 :]]
    return int(sum(kill_all(way, times, seed) for way in (prepare, prepare_tuples)) > 0)


def kill_all(way: Callable[[Path, int, int], list[str]], times: int, seed: int) -> int:
    """How much is wrong with runs that are killed so often."""
    done = runs = bad = 0
    while done < times:
        kills, wrong = scenario(runs % 2 == 0, min(5, times - done), 20_000, seed + runs, way)
        done, runs, bad = done + kills, runs + 1, bad + len(wrong)
        print(*wrong, sep="\n", end="\n" if wrong else "")
    return bad


if __name__ == "__main__":
    sys.exit(main())
