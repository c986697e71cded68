"""Workloads: seeded generators of RDF streams for the example queries, mappings of real data to RDF events, and tables.

To write one of them:

    from spaseq.datasets import workloads
    files = workloads()["stocks"].write(Path("out"), events=10_000, seed=1)
"""

from collections.abc import Mapping

from spaseq.datasets.accounts import ACCOUNTS
from spaseq.datasets.cards import CARDS
from spaseq.datasets.citybench import AARHUS
from spaseq.datasets.port import PORT_WORKLOAD
from spaseq.datasets.smartgrid import SMART_GRID
from spaseq.datasets.stocks import STOCK_RUNS, STOCKS
from spaseq.datasets.tables import Table
from spaseq.datasets.trades import TRADES
from spaseq.datasets.traffic import TRAFFIC_WORKLOAD
from spaseq.datasets.vessels import VESSELS
from spaseq.datasets.workload import Workload

__all__ = ["Table", "Workload", "tables", "workloads"]


def workloads() -> Mapping[str, Workload]:
    """All workloads of RDF streams by name."""
    known = (STOCKS, STOCK_RUNS, CARDS, VESSELS, SMART_GRID, TRAFFIC_WORKLOAD, AARHUS, PORT_WORKLOAD, ACCOUNTS)
    return {workload.name: workload for workload in known}


def tables() -> Mapping[str, Table]:
    """All workloads of rows by name."""
    return {TRADES.name: TRADES}
