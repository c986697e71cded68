"""Data that tests need, each folder packed as ``NAME.tar.gz`` beside this file (README.md: sources and licences)."""

from __future__ import annotations

import os
import tarfile
import tempfile
import zlib
from functools import cache
from pathlib import Path

PACKED = Path(__file__).parent
UNPACKED = PACKED.parents[1] / "build" / "tests-data"


@cache
def folder(name: str) -> Path:
    """The folder ``name``, unpacked on first use; several processes may ask for it at once."""
    archive = PACKED / f"{name}.tar.gz"
    place = UNPACKED / f"{name}-{zlib.crc32(archive.read_bytes()):08x}"
    if not place.exists():
        UNPACKED.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=UNPACKED) as part:
            _unpack(archive, Path(part))
            _put(Path(part) / name, place)
    return place


def _unpack(archive: Path, into: Path) -> None:
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.4
            packed.extractall(into, filter="data")
        else:
            packed.extractall(into)


def _put(unpacked: Path, place: Path) -> None:
    try:
        unpacked.rename(place)
    except OSError:
        if not place.is_dir():  # else another process was faster
            raise


def shared() -> Path:
    """Where the data lie that are too big, or not free, for the clone: ``$SPASEQ_SHARED``, else beside it."""
    return Path(os.environ.get("SPASEQ_SHARED") or PACKED.parents[1] / ".." / "shared" / "data").resolve()
