"""Tests of one group run in one worker, so that Spark starts once; where pytest is too new, xdist loses groups."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("groups")
def test_workers_know_groups(request: pytest.FixtureRequest) -> None:
    if getattr(request.config.option, "loadgroup", False):
        assert request.node.nodeid.endswith("@groups")
