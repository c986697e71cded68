"""Prepared queries in CEQL: prepared once in a process, wherever they come from."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest

from spaseq.errors import OptionError, QueryError, QuerySyntaxError
from spaseq.languages.ceql import parse
from spaseq.tuples import Engine, match, prepare

QUERY = "SELECT * FROM S WHERE SELL AS a ; BUY AS b FILTER a[price > 10] AND b[price > 20] WITHIN 5 EVENTS"
TABLE = pyarrow.table({"type": ["SELL", "BUY"] * 3, "price": [11, 21, 31, 19, 41, 51]})
ROOT = Path(__file__).parents[2]


def test_a_query_is_prepared_once_in_a_process() -> None:
    prepared = prepare(QUERY)
    assert prepare(QUERY) is prepared
    assert prepare(prepared) is prepared
    assert pickle.loads(pickle.dumps(prepared)) is prepared


def test_texts_files_and_parsed_queries_mean_the_same(tmp_path: Path) -> None:
    (tmp_path / "q.ceql").write_text(QUERY)
    found = [prepare(one) for one in (QUERY, tmp_path / "q.ceql", parse(QUERY))]
    assert len({one.fingerprint for one in found}) == 1
    assert prepare(QUERY.replace("10", "9")).fingerprint != found[0].fingerprint
    rows = [match(one, TABLE).to_arrow() for one in (QUERY, *found)]
    assert all(one == rows[0] for one in rows)
    assert rows[0].num_rows == 4
    assert pickle.loads(pickle.dumps(found[2])).query == found[0].query


def test_an_engine_takes_them() -> None:
    engine = Engine()
    engine.register(prepare(QUERY), "one")
    engine.register(QUERY, "two")
    (one, first), (two, second) = engine.push(TABLE)
    assert (one, two) == ("one", "two")
    assert first == second


def test_another_process_prepares_them_again(tmp_path: Path) -> None:
    (tmp_path / "query").write_bytes(pickle.dumps((prepare(QUERY), prepare(QUERY))))
    code = (
        "import pickle, sys; one, other = pickle.load(open(sys.argv[1], 'rb')); assert one is other; "
        "print(one.fingerprint)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "query")], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (ran.stdout.strip(), ran.stderr) == (prepare(QUERY).fingerprint, "")


def test_errors_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "bad.ceql").write_text(QUERY.replace("a[price > 10]", "x[price > 10]"))
    with pytest.raises(QueryError) as raised:
        prepare(tmp_path / "bad.ceql")
    assert raised.value.location.path == str(tmp_path / "bad.ceql")
    with pytest.raises(QuerySyntaxError):
        prepare("SELECT")
    with pytest.raises(OptionError):
        prepare(3)  # type: ignore[arg-type]
