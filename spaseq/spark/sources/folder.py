"""A folder into which each batch of a job is written once, as a whole."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spaseq.errors import Location, OptionError, StreamError
from spaseq.whole_file import keep_folder

TEMPORARY, OWNER, SUCCESS = "_temporary", "_query", "_SUCCESS"  # names that readers of folders pass over


@dataclass(frozen=True, slots=True)
class Written:
    """What a task has written into a file that nobody reads yet: so many bytes.

    ``run`` is the streaming query (Spark's id), ``queries`` are those that lines do not name.
    """

    path: str
    size: int
    run: str = ""
    queries: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SinkFolder:
    """The batches of one streaming query, a subfolder each, or the files of bounded ones; files have an ``ending``.

    Tasks of different jobs write apart.
    """

    path: Path
    ending: str
    job: str

    def temporary(self) -> Path:
        """A new name for a file of a task."""
        self._home.mkdir(parents=True, exist_ok=True)
        return self._home / f"{uuid.uuid4().hex}{self.ending}"

    def commit_batch(self, number: int, parts: Sequence[Written]) -> None:
        """Make a batch visible, all of it at once; one that is visible already stays as it is.

        StreamError: the folder has batches of another streaming query.  OptionError: lines of several queries would be
        mixed.
        """
        filled = [part for part in parts if part.size]
        if filled:
            self._own(filled)
        final = self.path / f"batch={number}"
        if filled and not final.exists():
            ready = self.temporary().with_suffix("")
            ready.mkdir()
            for index, part in enumerate(filled):
                Path(part.path).rename(ready / f"part-{index:05}{self.ending}")
            keep_folder(ready)
            ready.rename(final)
            keep_folder(self.path)
        self.discard()

    def commit_files(self, parts: Sequence[Written], overwrite: bool) -> None:
        """Make the files of a bounded job visible; ``overwrite``: in place of what was written before."""
        self._check_one_query(frozenset().union(*(part.queries for part in parts)))
        if overwrite:
            self._clear()
        for index, part in enumerate(part for part in parts if part.size):
            Path(part.path).rename(self.path / f"part-{index:05}-{self.job}{self.ending}")
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / SUCCESS).touch()
        keep_folder(self.path)
        self.discard()

    def discard(self) -> None:
        """Remove what tasks have written, also those that were killed."""
        shutil.rmtree(self._home, ignore_errors=True)
        try:
            self._home.parent.rmdir()
        except OSError:  # others are writing, too, or nobody has
            return

    @property
    def _home(self) -> Path:
        return self.path / TEMPORARY / self.job

    def _own(self, parts: Sequence[Written]) -> None:
        """See that the folder is of this streaming query alone."""
        run, queries = parts[0].run, frozenset().union(*(part.queries for part in parts))
        try:
            known = json.loads((self.path / OWNER).read_text(encoding="utf-8"))
        except FileNotFoundError:
            self._check_one_query(queries)
            name = self.temporary()
            name.write_text(json.dumps({"run": run, "queries": sorted(queries)}), encoding="utf-8")
            name.rename(self.path / OWNER)
            return
        if known["run"] != run:
            raise StreamError(
                "the folder has batches of another streaming query, with another checkpoint",
                Location(str(self.path)),
                hint="take another folder, or remove this one together with its checkpoint",
            )
        self._check_one_query(queries.union(known["queries"]))

    def _check_one_query(self, queries: frozenset[str]) -> None:
        if len(queries) > 1:
            names = " and ".join(f'"{name}"' for name in sorted(queries)[:2])
            raise OptionError(
                f'results of {names} come together, so their lines have to name them: "several" is "true"'
            )

    def _clear(self) -> None:
        """Remove what was written before, and nothing else."""
        for name in (SUCCESS, OWNER):
            (self.path / name).unlink(missing_ok=True)
        for batch in self.path.glob("batch=*"):
            shutil.rmtree(batch)
        for file in self.path.glob(f"part-*{self.ending}"):
            file.unlink()
