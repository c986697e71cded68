"""Ctrl-C ends a long scan at once: what a signal's handler raises comes out of it."""

from __future__ import annotations

import signal
import time

import numpy as np
import pyarrow
import pytest

from spaseq import tuples
from spaseq.errors import StreamError

QUADRATIC = """SELECT * FROM t MATCH_RECOGNIZE (MEASURES COUNT(*) AS n PATTERN (A+ B) DEFINE B AS B.v < FIRST(A.v))"""
RISING = pyarrow.table({"v": np.arange(150_000)})


def test_a_search_that_takes_minutes() -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    started = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            tuples.match(QUADRATIC, RISING).to_arrow()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - started < 30  # it would take more than two minutes


def test_a_search_may_take_so_many_steps_a_start() -> None:
    with pytest.raises(StreamError, match=r"the search takes more steps than it may \(max_steps\).*at position 0"):
        tuples.match(QUADRATIC, RISING, max_steps=1_000).to_arrow()
    assert tuples.match(QUADRATIC, RISING.slice(0, 100), max_steps=1_000).count() == 0
