"""The peers' jars, from Maven Central into a folder that git ignores, and our drivers, compiled against them.

Nothing else in SPAseq reaches the network.  What a peer consists of is in ``java/NAME.xml``, in Maven's format.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.peers.queries import QUERIES
from benchmarks.peers.texts import flink

SOURCES = Path(__file__).parent / "java"
CACHE = Path(__file__).parents[2] / "build" / "peers"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
MINUTES = 10  # that Maven may take
_MEASURING = ("Stock", "Engine", "Measurement")  # what drivers share that measure


class MissingPeerError(Exception):
    """A peer cannot be installed; the message says why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """An engine, and the class that drives it, with those that it shares with others."""

    name: str
    title: str
    driver: str
    shared: tuple[str, ...] = _MEASURING

    @property
    def project(self) -> Path:
        """The file that says what the peer consists of."""
        return SOURCES / f"{self.name}.xml"

    @property
    def version(self) -> str:
        """The version that is measured."""
        found = ElementTree.parse(self.project).find(".//{*}peer.version")
        return found.text or "" if found is not None else ""


PEERS = {
    peer.name: peer
    for peer in (
        Peer("flink", "Flink CEP", "FlinkPeer"),
        Peer("esper", "Esper", "EsperPeer"),
        Peer("siddhi", "Siddhi", "SiddhiPeer"),
    )
}


def install(peer: Peer, cache: Path = CACHE) -> str:
    """The class path of the compiled driver with its jars; MissingPeerError if there is none."""
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            raise MissingPeerError(f"it needs {tool}, which is not installed")
    (cache / peer.name).mkdir(parents=True, exist_ok=True)
    jars = _jars(peer, cache)
    classes = cache / peer.name / "classes"
    written = cache / peer.name / "FlinkQueries.java"
    sources = [SOURCES / f"{name}.java" for name in (*peer.shared, peer.driver)]
    if peer.name == "flink":
        written.write_text(flink(QUERIES.values()))
        sources.append(written)
    _do(["javac", "-proc:none", "-d", classes, "-cp", f"{jars}/*", *sources])
    return os.pathsep.join([str(classes), f"{jars}/*"])


def _jars(peer: Peer, cache: Path) -> Path:
    """The folder with the jars, which are fetched once for each state of the project's file."""
    jars, fetched = cache / peer.name / "jars", cache / peer.name / "fetched.xml"
    project = peer.project.read_bytes()
    if not fetched.exists() or fetched.read_bytes() != project:
        shutil.rmtree(jars, ignore_errors=True)
        repository = f"-Dmaven.repo.local={cache / 'maven'}"
        _do(["mvn", "--quiet", "--batch-mode", "-f", peer.project, repository, PLUGIN, f"-DoutputDirectory={jars}"])
        fetched.write_bytes(project)
    return jars


def _do(command: Sequence[str | Path]) -> None:
    """Run a command; MissingPeerError with its reason if it fails."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES, check=False)
    except subprocess.TimeoutExpired:
        raise MissingPeerError(f"{command[0]} took more than {MINUTES} minutes") from None
    if ran.returncode:
        raise MissingPeerError(f"{command[0]} failed: {reason(ran.stdout + ran.stderr)}")


def reason(output: str, most: int = 300) -> str:
    """The first line of a tool's output with an error in it, without its label; else the last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower() or "exception" in line.lower()]
    chosen = (wrong or lines[-1:] or ["it said nothing"])[0]
    return chosen.removeprefix("[ERROR]").strip()[:most]
