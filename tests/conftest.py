"""Settings of all tests: hypothesis draws the same examples in every run, unless SPASEQ_RANDOM is set."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile("random" if os.environ.get("SPASEQ_RANDOM") else "same")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of tests that are cut into slices, by the first seed of each, SPASEQ_SLICES says how many slices run."""
    most, slices, left_out = int(os.environ.get("SPASEQ_SLICES", len(items))), Counter[str](), []
    for item in items:
        name = item.nodeid.partition("[")[0]
        slices[name] += is_slice(item)
        if slices[name] > most:
            left_out.append(item)
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def is_slice(item: pytest.Item) -> bool:
    return hasattr(item, "callspec") and isinstance(item.callspec.params.get("start"), int)
