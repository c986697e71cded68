"""``make bench-peers``: SPAseq beside Flink CEP, Esper and Siddhi, whose jars it fetches from the network.

Run: ``python -m benchmarks.peers [--events 20000] [--seconds 30] [--peers flink,esper] [--queries P3,Q1]``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pyarrow
import pyarrow.csv

from benchmarks.peers import tables
from benchmarks.peers.installing import CACHE, PEERS, MissingPeerError, Peer, install
from benchmarks.peers.queries import QUERIES, Query, Statements, statements
from benchmarks.peers.running import Failed, run_many, run_ours, run_peer, run_update
from benchmarks.peers.sample import stock

Named = TypeVar("Named")

TEXTS = ("event_type", "name")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = _options(arguments)
    events = stock(options.events)
    print(f"{len(events):,} stock events in memory, windows of ten seconds, one engine after the other")
    for peer in options.peers:
        print()
        measure(peer, options.queries, events, options.seconds, options.statements)


def measure(peer: Peer, queries: Sequence[Query], events: pyarrow.Table, limit: float, count: int) -> None:
    """Install a peer, and print the table of its queries, and of ``count`` together; if that cannot be, why."""
    title = f"{peer.title} {peer.version}"
    try:
        classes = install(peer)
    except MissingPeerError as error:
        print(tables.missing(title, error), flush=True)
        return
    path = CACHE / "events.csv"
    pyarrow.csv.write_csv(events, path, pyarrow.csv.WriteOptions(quoting_style="none"))
    print(tables.heading(title))
    for query in queries:
        print(_line(peer, classes, query, path, events, limit), flush=True)
    for many in statements(count) if peer.name == "esper" and count else ():
        print(_line_of_many(peer, classes, many, path, events, limit), flush=True)


def _line(peer: Peer, classes: str, query: Query, path: Path, events: pyarrow.Table, limit: float) -> str:
    found = run_peer(peer, classes, query, path, limit)
    if isinstance(found, Failed):
        return tables.failure(query.name, found)
    same = _shared_texts(events.slice(0, found.events))
    return tables.line(tables.Row(query.name, found, run_ours(query, same), run_update(query, same)))


def _line_of_many(peer: Peer, classes: str, many: Statements, path: Path, events: pyarrow.Table, limit: float) -> str:
    """Many statements: SPAseq beside the peer, and by itself without sharing."""
    found = run_peer(peer, classes, many, path, limit)
    if isinstance(found, Failed):
        return tables.failure(many.name, found)
    same = _shared_texts(events.slice(0, found.events))
    return (
        tables.line(tables.Row(many.name, found, run_many(many, same, True), run_many(many, same, False).rate))
        + "   (last columns: without sharing)"
    )


def _shared_texts(events: pyarrow.Table) -> pyarrow.Table:
    """Each text once, and its number in the column: the peers' texts are shared, too."""
    for name in TEXTS:
        column = events.column(name).combine_chunks().dictionary_encode()
        events = events.set_column(events.column_names.index(name), name, column)
    return events


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers")
    parser.add_argument("--events", type=int, default=20_000, help="events of the stock stream")
    parser.add_argument("--seconds", type=float, default=30, help="CPU seconds that a peer may take for a query")
    parser.add_argument("--statements", type=int, default=1_000, help="statements that Esper has together; 0: none")
    parser.add_argument("--peers", type=_chosen(PEERS), default=list(PEERS.values()), help="names with commas")
    parser.add_argument("--queries", type=_chosen(QUERIES), default=list(QUERIES.values()), help="names with commas")
    return parser.parse_args(arguments)


def _chosen(known: Mapping[str, Named]) -> Callable[[str], list[Named]]:
    def choose(names: str) -> list[Named]:
        unknown = [name for name in names.split(",") if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not among {', '.join(known)}")
        return [known[name] for name in names.split(",")]

    return choose


if __name__ == "__main__":
    main()
