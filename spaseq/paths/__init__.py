"""Path queries over knowledge graphs: which paths lead from some nodes along a regular expression over relations."""

from spaseq.languages.paths import parse
from spaseq.paths.changes import EdgeChange
from spaseq.paths.found import Path, Paths
from spaseq.paths.graph import Graph
from spaseq.paths.prepared import PreparedPath, prepare
from spaseq.paths.run import PathRun

__all__ = ["EdgeChange", "Graph", "Path", "PathRun", "Paths", "PreparedPath", "parse", "prepare"]
