"""No test of retrieval reaches the network: whoever tries fails."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from spaseq.paths.rag import PathRetrieval
from tests.paths.rag.films import FILMS, resolve


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*address: Any) -> None:
        raise AssertionError(f"something reaches for the network: {address[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture
def retrieval() -> PathRetrieval:
    """The best two paths for questions about films."""
    return PathRetrieval(FILMS, resolve, top=2)
