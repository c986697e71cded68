"""Files that are whole at any moment: they are written beside themselves, then renamed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

_TOKEN = re.compile(r"([0-9a-f]{16})([0-9a-f]{8})")


def write_whole(path: Path, pieces: Iterable[Any]) -> None:
    """Write a file such that after any end it is the old one or the new one.  OSError: it cannot be written.

    A link is followed.  Nothing but the file itself is written over: what is beside it for a moment is made for that,
    under a name that nobody knows.  After a kill it may be left; ``remove_leftovers`` finds it.
    """
    with new_file(path) as new:
        new.file.writelines(pieces)
        new.keep()


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is written, and read, beside the one that it is going to be."""

    file: BinaryIO
    beside: Path
    whole: Path

    def keep(self) -> None:
        """Let it be the file of its name from now on.  OSError: that cannot be done."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.beside.replace(self.whole)
        keep_folder(self.whole.parent)


@contextmanager
def new_file(path: Path) -> Iterator[NewFile]:
    """A new file, which is gone in the end unless it was kept; see ``write_whole``."""
    whole = path.resolve()
    with _beside(whole) as (beside, file):
        yield NewFile(file, beside, whole)


def remove_leftovers(path: Path) -> None:
    """Remove what writers of this file left beside it when they were killed, if they are not at work."""
    whole = path.resolve()
    with suppress(OSError):
        for one in list(whole.parent.iterdir()):
            if _is_ours(one.name, whole.name):
                _remove_if_left(one)


@contextmanager
def _beside(whole: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file in the same folder, locked by this process; in the end there is none of its name."""
    while True:
        beside = whole.with_name(_name(whole.name, secrets.token_hex(8)))
        try:
            file = beside.open("x+b")
        except FileExistsError:
            continue
        try:
            with file:
                with suppress(OSError):  # where there are no locks, nobody takes it for left
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(file.fileno()).st_nlink:  # else somebody took it for left, before it was locked
                    yield beside, file
                    return
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def _name(whole: str, token: str) -> str:
    """A name that is known to be one of ours by its end."""
    check = hashlib.blake2b(f"{token} {whole}".encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return f".{whole}.{token}{check}.new"


def _is_ours(name: str, whole: str) -> bool:
    found = _TOKEN.fullmatch(name.removeprefix(f".{whole}.").removesuffix(".new"))
    return found is not None and name == _name(whole, found[1])


def _remove_if_left(path: Path) -> None:
    with suppress(OSError), path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()


def keep_folder(folder: Path) -> None:
    """Let the folder's entries survive the machine."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
