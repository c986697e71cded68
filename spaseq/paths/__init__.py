"""Path queries over knowledge graphs: which paths lead from some nodes along a regular expression over relations."""

from spaseq.languages.paths import parse
from spaseq.paths.appeared import Appeared, AppearedPath
from spaseq.paths.changes import EdgeChange
from spaseq.paths.counts import PathCounts
from spaseq.paths.edge_events import EdgeEvent
from spaseq.paths.ends import EndPair, EndPoints
from spaseq.paths.found import Path, Paths
from spaseq.paths.graph import Graph
from spaseq.paths.prepared import PreparedPath, prepare
from spaseq.paths.run import PathRun
from spaseq.paths.stream import EdgeStream

__all__ = [
    "Appeared",
    "AppearedPath",
    "EdgeChange",
    "EdgeEvent",
    "EdgeStream",
    "EndPair",
    "EndPoints",
    "Graph",
    "Path",
    "PathCounts",
    "PathRun",
    "Paths",
    "PreparedPath",
    "parse",
    "prepare",
]
