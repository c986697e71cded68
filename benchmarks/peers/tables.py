"""Figures as text: for each peer a table of its queries, beside SPAseq on the same events."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.peers.running import Failed, Measured


@dataclass(frozen=True, slots=True)
class Row:
    """A query: what a peer did, and SPAseq on the events that the peer took.

    ``update`` is SPAseq's events a second without enumeration.
    """

    query: str
    peer: Measured
    ours: Measured
    update: float


def heading(title: str) -> str:
    """The first lines of a peer's table."""
    counts = f"  {'query':<16}{'events':>8}{'matches':>10}"
    rates = f"{'peer':>12}{'SPAseq':>12}{'ratio':>9}{'update only':>14}{'ratio':>9}"
    return f"{title}, events a CPU second\n{counts}{rates}"


def line(row: Row) -> str:
    """The figures of a query; says so if the peer finds something else."""
    peer, ours = row.peer, row.ours
    counts = f"  {row.query:<16}{peer.events:>8,}{ours.matches:>10,}"
    whole = f"{peer.rate:>12,.0f}{ours.rate:>12,.0f}{_ratio(ours.rate / peer.rate):>9}"
    update = f"{row.update:>14,.0f}{_ratio(row.update / peer.rate):>9}"
    differs = "" if peer.matches == ours.matches else f"   the peer finds {peer.matches:,}"
    return counts + whole + update + differs


def failure(query: str, failed: Failed) -> str:
    """A query that a peer does not answer."""
    return f"  {query:<16}{failed.reason}"


def missing(title: str, why: object) -> str:
    """A peer that cannot be installed."""
    return f"{title} is missing: {why}"


def _ratio(ratio: float) -> str:
    return f"{ratio:,.1f}x" if ratio < 10 else f"{ratio:,.0f}x"
