"""What a user reads when a file of options is wrong: its place, the line, a caret, and what was expected.

A section of ``config_errors.txt`` has a file and what a command prints.  ``SPASEQ_UPDATE_GOLDEN=1`` writes it anew;
read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spaseq.cli.config_file import ConfigFile
from tests.cli.conftest import Invoke

GOLDEN = Path(__file__).parent / "config_errors.txt"
GOOD = 'query = "q.spaseq"\n'
MISTAKES = {
    # ── TOML ─────────────────────────────────────────────────────────────────────────────────────────────────
    "a key without a value": "query\n",
    "a text without quotes": "query = q.spaseq\n",
    "a quote that does not end": GOOD + 'format = "csv\n',
    "an array that does not end": 'query = [\n  "q.spaseq",\n',
    "a key twice": GOOD + 'query = "r.spaseq"\n',
    "a table twice": GOOD + '[stream]\ns = "s.nq"\n[stream]\nt = "t.nq"\n',
    "no TOML at all": "query: q.spaseq\n",
    "no end of a string with a password": '[stream]\ns = "kafka://me:s3cr3t@h/t?ca=x\n',
    "no end of a string with a token": '[stream]\ns = "https://h/t#token=s3cr3t\n',
    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────
    "an unknown key": GOOD + 'ouput = "o.csv"\n',
    "a key with dashes": GOOD + '"--output" = "o.csv"\n',
    "a key with another sign": GOOD + "on_error = 'skip'  # malformed = gone\n",
    "a key of another command": GOOD + 'events = "e.csv"\n',
    "an unknown table": GOOD + '# where from\n  [steam] # = "]"\ns = "s.nq"\n',
    "an unknown array of tables": GOOD + '[[sources]]\ns = "s.nq"\n',
    "a key behind several lines": 'query = """\nlimt = 3\nq.spaseq"""\nnull = [\n  "limt = 4",\n]\nlimt = 5\n',
    "a secret that nobody asked for": GOOD + 'password = "s3cr3t"\n',
    "a file in a file": GOOD + 'config = "more.toml"\n',
    # ── values ───────────────────────────────────────────────────────────────────────────────────────────────
    "a text instead of a truth value": GOOD + 'follow = "yes"\n',
    "a truth value instead of a text": GOOD + "output = true\n",
    "a number instead of a text": GOOD + "separator = 5  # = 5\n",
    "a text that is no number": GOOD + 'limit = "many"\n',
    "a number out of range": GOOD + "limit = -1\n",
    "a broken number": GOOD + "limit = 2.5\n",
    "an array where one is wanted": GOOD + 'format = ["csv", "json"]\n',
    "a table where one is wanted": GOOD + "[limit]\nmost = 3\n",
    "a time": GOOD + "idle = 07:32:00\n",
    "no duration": GOOD + 'idle = "soon"\n',
    "another format": GOOD + 'format = "cvs"\n',
    "a stream without a name": GOOD + 'stream = "s.nq"\n',
    "streams without names": GOOD + 'stream = ["s=s.nq"]\n',
    "a stream that is none": GOOD + "[stream]\ns = true\n",
    "a stream of several": GOOD + "[stream]\ns = ['s.nq', 2026-01-01]\n",
    "a stream in line": GOOD + 'stream = { s = "s.nq", t = 2026-01-01 }\n',
    "a query that is none": "query = [1]\n",
    "an empty query": 'query = ""\n',
    "an empty name in an array": 'query = ["q.spaseq", ""]\n',
    "a folder that is no file": GOOD + 'late = "."\n[stream]\ns = "s.nq"\n',
    # ── variables ────────────────────────────────────────────────────────────────────────────────────────────
    "a variable that is not there": GOOD + 'output = "${NONE_SUCH}/o.csv"\n',
    "a variable in a URL that is not there": GOOD + '[stream]\ns = "kafka://h/${NONE_SUCH}"\n',
    "a variable in an array": 'query = [\n  "q.spaseq",\n  "${NONE_SUCH}",\n]\n',
    "a variable without a name": GOOD + 'output = "${}"\n',
    "a variable that is not closed": GOOD + 'output = "${HOME/o.csv"\n',
    "a variable that is no number": GOOD + 'limit = "${SECRET}"\n',
    "a variable that is no duration": GOOD + 'idle = "${SECRET}"\n',
    "a variable that is no format": GOOD + 'format = "${SECRET}"\n',
    # ── what other commands would say ────────────────────────────────────────────────────────────────────────
    "no query": '[stream]\ns = "s.nq"\n',
    "a query that is not there": 'query = "none.spaseq"\n',
    "a password in a URL": GOOD + '[stream]\ns = "kafka://me:s3cr3t@h/t"\n',
    "a password in a URL with a variable": GOOD + '[stream]\ns = "kafka://me:s3cr3t@h/${NONE_SUCH}"\n',
    "a secret of a server": GOOD + 'output = "https://h/x?token=any#token=s3cr3t"\n',
    "a secret among settings": GOOD + '[stream]\ns = "kafka://h/t?sasl.password=s3cr3t"\n',
}  # fmt: skip
BYTES = {"no UTF-8": b'query = "q.spaseq"\n# caf\xe9\n', "too long": b"#" * (1 << 20) + b"\n"}


@pytest.fixture
def said(invoke: Invoke, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], str]:
    """What a file lets the command print."""
    monkeypatch.setenv("SECRET", "s3cr3t")

    def run(text: str | bytes) -> str:
        (folder / "p.toml").write_bytes(text.encode() if isinstance(text, str) else text)
        result = invoke("run", "--config", "p.toml")
        return f"{result.output}exit {result.exit_code}\n"

    return run


def sections(text: str) -> dict[str, str]:
    """What a golden file has of each mistake."""
    found = (part.partition("\n") for part in re.split(r"^── ", text, flags=re.MULTILINE)[1:])
    return {name: rest for name, _, rest in found}


def test_they_are_told_in_their_place(said: Callable[[str | bytes], str]) -> None:
    pytest.importorskip("confluent_kafka")
    found = {name: f"{text}→\n{said(text)}\n" for name, text in MISTAKES.items()}
    found |= {name: f"{said(data)}\n" for name, data in BYTES.items()}
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        GOLDEN.write_text("".join(f"── {name}\n{text}" for name, text in found.items()), encoding="utf-8")
    assert found == sections(GOLDEN.read_text(encoding="utf-8"))


def test_nothing_secret_is_told() -> None:
    for name, text in sections(GOLDEN.read_text(encoding="utf-8")).items():
        told = text.rpartition("→\n")[2]
        assert "s3cr3t" not in told and "exit 0" not in told, name
        assert not re.search(r"Traceback|internal error", told), name


def test_a_file_that_is_not_there(invoke: Invoke) -> None:
    assert invoke("run", "--config", "none.toml").output == (
        "error: --config: cannot read none.toml: No such file or directory\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_key_and_value_is_found(end: str, tmp_path: Path) -> None:
    lines = [
        "# a = 0", "a = 1", '"b=c" = "x # y"  # z', "", "c.d . e = [1,", "  2]", "[t] # ]", "f = '''", "a = 3", "'''",
        '[ u . "v.w" ]', "g=true#", "[[x]]", "h = {i = 5, j = 6}",
    ]  # fmt: skip
    (tmp_path / "f.toml").write_bytes(end.join(lines).encode())
    file = ConfigFile.read(str(tmp_path / "f.toml"))
    expected = {
        ("a",): (2, "a", "1"),
        ("b=c",): (3, '"b=c"', '"x # y"'),
        ("c", "d", "e"): (5, "c.d . e", "[1,"),
        ("c",): (5, "c.d . e", "[1,"),
        ("t",): (7, "[t]", "[t]"),
        ("t", "f"): (8, "f", "'''"),
        ("u", "v.w"): (11, '[ u . "v.w" ]', '[ u . "v.w" ]'),
        ("u", "v.w", "g"): (12, "g", "true"),
        ("x",): (13, "[[x]]", "[[x]]"),
        ("x", "h", "j"): (14, "h", "{i = 5, j = 6}"),
    }
    for names, (line, key, value) in expected.items():
        for place, text in ((file.key(*names), key), (file.value(*names), value)):
            found = place.text[place.column - 1 :][: place.width]
            assert (place.line, found) == (line, text), names
