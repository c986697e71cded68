"""Path queries over knowledge graphs: which paths lead from some nodes along a regular expression over relations."""

from spaseq.languages.paths import parse
from spaseq.paths.best import BestPaths, StepWeights
from spaseq.paths.changes import EdgeChange
from spaseq.paths.columns import PathCounts
from spaseq.paths.edge_kind import EdgeEvent
from spaseq.paths.graph import Graph
from spaseq.paths.queries import PreparedPath, prepare
from spaseq.paths.results import EndPair, EndPoints, Path, Paths
from spaseq.paths.search import PathRun
from spaseq.paths.stream import EdgeStream
from spaseq.paths.window import Appeared, AppearedPath

__all__ = [
    "Appeared",
    "AppearedPath",
    "BestPaths",
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
    "StepWeights",
    "parse",
    "prepare",
]
