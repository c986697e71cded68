"""``python -m tests.data.pack FOLDER …`` packs folders as the archives beside this file: equal content, equal bytes."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from pathlib import Path

from tests.data import PACKED


def pack(folder: Path) -> bytes:
    """The folder as a gzipped tar file that knows neither times nor owners."""
    written = io.BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=written, mode="wb", compresslevel=9, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.addfile(_entry(file, folder), io.BytesIO(file.read_bytes()))
    return written.getvalue()


def _entry(file: Path, folder: Path) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}")
    entry.size = file.stat().st_size
    return entry


if __name__ == "__main__":
    for name in sys.argv[1:]:
        (PACKED / f"{Path(name).name}.tar.gz").write_bytes(pack(Path(name)))
