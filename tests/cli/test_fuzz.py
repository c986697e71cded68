"""Random damage to example streams and queries: clear errors or results, never a mistake of the program."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Invoke

EXAMPLES = ROOT / "examples"
TOKENS = (
    b"<", b">", b'"', b".", b"\n", b"\r", b"\0", b"\xff", b"_:b", b"^^", b"@en", b"{", b"}", b"#", b"<<( ", b" )>>",
    b"\\uD800", b"\xef\xbb\xbf", b"\x1f\x8b", b"9" * 20, b"GRAPH", b"@prefix : <x:> .", b";", b"[", b"(", b"'",
    b'"""', b"\xc3", b"\x85",
)  # fmt: skip
WORDS = (
    "?x", "{", "}", "(", ")", ";", ",", ":", "|", "&", "!", "?", "+", "*", "{2,3}", "FILTER", "BIND(", "OPTIONAL {",
    "UNION {", "DISTINCT", "COUNT(*)", "PREV(?p1)", "FIRST(?p1)", "AS", "5 EVENTS", "SLIDING", "GROUP BY",
    "CONSTRUCT {", "GRAPH", "<http://[>", '"', "1e400", "9" * 22, "-0", "NaN", "\u2028", "\0", "#", "\\",
    "VALUES", "SUM(?p1)", "NOW()", "SEQ(", "DEFINE GPM", "<<(",
)  # fmt: skip


def damaged(data: bytes, choose: random.Random) -> bytes:
    for _ in range(choose.choice([1, 1, 2, 5, 20])):
        place, other = choose.randrange(len(data) + 1), choose.randrange(len(data) + 1)
        length = choose.choice([1, 3, 10, 100])
        piece = (choose.choice(TOKENS), choose.randbytes(1), data[other : other + length], b"")[choose.randrange(4)]
        data = data[:place] + piece + data[place + choose.choice([0, 1, length]) :]
    return data


def reworded(text: str, choose: random.Random) -> str:
    words = re.findall(r"\s+|\w+|.", text, re.DOTALL)
    for _ in range(choose.choice([1, 1, 2, 5])):
        place = choose.randrange(len(words))
        words[place : place + choose.choice([0, 1, 1, 3])] = [
            (f" {choose.choice(WORDS)} ", chr(choose.randrange(0xD800)), choose.choice(words), "")[choose.randrange(4)]
        ]
    return "".join(words)


def assert_sound(result: object, context: object) -> None:
    exit_code, stderr, raised = (getattr(result, name) for name in ("exit_code", "stderr", "exception"))
    assert exit_code in (0, 1, 2), context
    assert raised is None or isinstance(raised, SystemExit), context
    assert not re.search("internal error|Traceback", stderr), (stderr, context)
    assert exit_code == 0 or "error: " in stderr, context


@pytest.mark.parametrize("seed", range(150))
def test_damaged_streams(invoke: Invoke, seed: int) -> None:
    choose = random.Random(seed)
    pairs = [("stocks.nq", "v_shape"), ("stock-runs.trig", "falling_rising"), ("stocks.nq", "drops")]
    name, query = choose.choice(pairs)
    whole = (EXAMPLES / "streams" / name).read_bytes().split(b"\n")
    Path(name).write_bytes(damaged(b"\n".join(whole[:300]) + b"\n", choose))
    skip = ["--on-error", choose.choice(["skip", "stop"])]
    result = invoke("run", str(EXAMPLES / f"stocks/{query}.spaseq"), "--stream", f"stock={name}", "--stats", *skip)
    assert_sound(result, seed)
    (stream,) = (one for one in statistics(result.stderr).values() if "wire" in one)
    assert result.exit_code == 1 or stream["events"] == stream["wire"]["events"], seed  # late ones are among them
    assert stream["wire"]["errors"] <= 1 or "skip" in skip


def statistics(stderr: str) -> dict[str, dict[str, dict[str, int]]]:
    found, _ = json.JSONDecoder().raw_decode(stderr[stderr.index('{\n  "streams"') :])
    streams: dict[str, dict[str, dict[str, int]]] = found["streams"]
    return streams


@pytest.mark.parametrize("seed", range(150))
def test_damaged_queries(invoke: Invoke, seed: int) -> None:
    choose = random.Random(seed)
    path = choose.choice(sorted((EXAMPLES / "stocks").glob("*.spaseq")))
    text = reworded(path.read_text(encoding="utf-8"), choose)
    Path("f.spaseq").write_text(text, encoding="utf-8", newline="")
    stream = str(EXAMPLES / "streams" / "stock-runs.trig")
    for command in (["check"], ["explain"], ["run", "--stream", f"stock={stream}", "--limit", "2"]):
        assert_sound(invoke(command[0], "f.spaseq", *command[1:]), text)
