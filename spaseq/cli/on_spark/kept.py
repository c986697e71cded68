"""What a checkpoint folder says of a run of ``spaseq spark``, beside what Spark has there."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from spaseq.errors import OptionError

NAME = "spaseq.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """``options`` that must stay, the number of shuffle ``partitions``, the last ``batch`` that was written, and how
    many bytes files of ``outputs`` (by option) had then; ``ended``: what the end of the input decides was written after
    that batch (None: never)."""

    options: Mapping[str, str]
    partitions: int
    batch: int = -1
    outputs: Mapping[str, int] | None = None
    ended: int | None = None

    def written(self, batch: int, outputs: Mapping[str, int]) -> Kept:
        """After one more batch."""
        return replace(self, batch=batch, outputs=outputs)


def read_kept(folder: Path, options: Mapping[str, str]) -> Kept | None:
    """What is kept in a folder; None: nothing.  OptionError: another program wrote it, or options differ."""
    try:
        data: dict[str, Any] = json.loads((folder / NAME).read_bytes())
        version = data.pop("version")
        found = Kept(**data)
    except FileNotFoundError:
        if folder.is_dir() and any(folder.iterdir()):
            raise OptionError(f"--checkpoint: the folder {folder} has files, but no checkpoint") from None
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OptionError(f"--checkpoint: {folder / NAME} is damaged, or cannot be read: {error!s:.80}") from None
    if version != VERSION:
        raise OptionError(f"--checkpoint: {folder} has version {version}; this version of SPAseq reads {VERSION}")
    for name in [*found.options, *options]:
        if found.options.get(name) != options.get(name):
            known, given = found.options.get(name), options.get(name)
            raise OptionError(f"--checkpoint: {name} was {known} when {folder} was begun, and is {given} now")
    return found


def keep(folder: Path, kept: Kept) -> None:
    """Write it so that after any end there is a whole one."""
    new = folder / (NAME + ".new")
    with new.open("w") as file:
        json.dump({"version": VERSION, **asdict(kept)}, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / NAME)
