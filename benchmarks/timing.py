"""Interleaved measurements: candidates take turns and medians are compared, so a noisy machine hurts all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Job = Callable[[], object]
Preparation = Callable[[], Job]  # what is done before the clock starts; it gives what is measured


def interleaved(jobs: Mapping[str, Preparation], rounds: int = 3) -> dict[str, float]:
    """Median CPU seconds of each job; in every round each job is prepared and runs once, in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, prepare in jobs.items():
            job = prepare()
            started = time.process_time()
            job()
            seconds[name].append(time.process_time() - started)
    return {name: statistics.median(values) for name, values in seconds.items()}


def rate(count: int, seconds: float) -> str:
    """Things a second, for people."""
    return f"{count / seconds:,.0f}/s"
