"""What a checkpoint folder says of a run of ``spaseq spark``, beside what Spark has there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spaseq.cli import checkpoint, locks
from spaseq.errors import OptionError
from spaseq.whole_file import remove_leftovers

NAME, LOCK = "spaseq.json", "spaseq.lock"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """``options`` that must stay, the number of shuffle ``partitions``, and the last ``batch`` that was written.

    ``outputs`` is how many bytes files (by option) had then.  ``ended``: what the end of the input decides was written
    after that batch (None: never).
    """

    options: Mapping[str, str]
    partitions: int
    batch: int = -1
    outputs: Mapping[str, int] | None = None
    ended: int | None = None


def read_kept(folder: Path, options: Mapping[str, str]) -> Kept | None:
    """What is kept in a folder; None: nothing.  OptionError: another program wrote it, or options differ."""
    try:
        text = checkpoint.read_state_file(folder / NAME, b"{")
        if text is None:
            _check_is_empty(folder)
            return None
        data: dict[str, Any] = json.loads(text)
        version = data.pop("version")
        found = Kept(**data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OptionError(f"--checkpoint: {folder / NAME} is damaged, or cannot be read: {error!s:.80}") from None
    if version != VERSION:
        raise OptionError(f"--checkpoint: {folder} has version {version}; this version of SPAseq reads {VERSION}")
    for name in [*found.options, *options]:
        if found.options.get(name) != options.get(name):
            known, given = found.options.get(name), options.get(name)
            raise OptionError(f"--checkpoint: {name} was {known} when {folder} was begun, and is {given} now")
    return found


def kept_files(folder: Path) -> dict[str, Path]:
    """What a run writes into this folder, as ``check_not_read`` wants it."""
    return {"--checkpoint": folder / NAME, "the lock of --checkpoint": folder / LOCK}


@contextmanager
def folder_held(folder: Path) -> Iterator[None]:
    """Within, the folder is the checkpoint of this run alone; it is made if it is not there.

    OptionError: another run has it, or it cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"--checkpoint: cannot make the folder {folder}: {error.strerror}") from None
    with locks.held(folder / LOCK, f"--checkpoint {folder}"):
        remove_leftovers(folder / NAME)
        yield


def _check_is_empty(folder: Path) -> None:
    if folder.is_dir() and any(one.name != LOCK for one in folder.iterdir()):
        raise OptionError(f"--checkpoint: the folder {folder} has files, but no checkpoint")


def keep(folder: Path, kept: Kept) -> None:
    """Write it so that after any end there is a whole one."""
    checkpoint.write_state_file(folder / NAME, json.dumps({"version": VERSION, **asdict(kept)}).encode())
