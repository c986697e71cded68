"""Locks that keep two runs out of the same files.  A lock ends with its process, however that ends."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spaseq.errors import OptionError
from spaseq.streams.timestamps import iso

_SIGN = "of a run of spaseq"
_MOST = 4096  # bytes of a lock's file
_LOOKS, _PAUSE = 20, 0.05  # at a lock whose holder may not have signed yet; seconds between two
_LOCKS = Path("/proc/locks")
_OF_THE_SHELL = ("/dev/", "/proc/")


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that has a lock: its number, its machine, and since when, in ISO 8601."""

    pid: int
    host: str
    since: str

    @staticmethod
    def this() -> LockHolder:
        """This process, now."""
        return LockHolder(os.getpid(), socket.gethostname(), iso(int(time.time()) * 1_000_000))

    @property
    def may_live(self) -> bool:
        """Whether there is such a process, as far as this machine can tell."""
        if self.host != socket.gethostname():
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):  # it is somebody else's, or no number of a process
            return True
        return True

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"


@contextmanager
def held(lock: Path, what: str) -> Iterator[None]:
    """Within, ``lock`` is a file that says who holds it, and no other process is within on it; then it is gone.

    OptionError, which begins with ``what``: another process has it, or there can be none.
    """
    descriptor = _taken(lock, what)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"lock": _SIGN, **asdict(LockHolder.this())}).encode(), 0)
        yield
    finally:
        if _is_at(descriptor, lock):
            with suppress(OSError):
                lock.unlink()  # while it is held: whoever has opened it looks whether it is still there
        os.close(descriptor)


@contextmanager
def outputs_held(written: Mapping[str, Path | None]) -> Iterator[None]:
    """Within, no other run writes these files (by option), as long as they are files.  OptionError: one does.

    Nothing in them changes.  Where the file system has no locks, there is none.
    """
    files = [(path, option) for option, path in written.items() if path is not None and not is_of_the_shell(path)]
    with ExitStack() as stack:
        for path, option in sorted(files, key=lambda one: not _is_there(one[0])):  # none is made if another is taken
            stack.enter_context(_output_held(option, path))
        yield


def is_of_the_shell(path: Path) -> bool:
    """Whether it means what others have opened, as ``/dev/stdout`` does: a file of any name, or none."""
    return str(path.absolute()).startswith(_OF_THE_SHELL)


@contextmanager
def _output_held(option: str, path: Path) -> Iterator[None]:
    descriptor = _output(path)
    if descriptor is None:
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        who = _told_by_the_system(descriptor)
        os.close(descriptor)
        raise OptionError(f"{option} {path}: another run writes this file{who}") from None
    except OSError:  # there are no locks
        pass
    try:
        yield
    finally:
        os.close(descriptor)


def _is_there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110  (a name that no file can have is no error here)


def _output(path: Path) -> int | None:
    """A file that is to be written, opened, and made if it is not there; None: it is no file, or cannot be opened."""
    try:
        if path.exists() and not path.is_file():
            return None
        return os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
    except OSError:  # to open it as an output says so
        return None


def _told_by_the_system(descriptor: int) -> str:
    """The process that has a file locked, where Linux tells."""
    found = os.fstat(descriptor)
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    with suppress(OSError):
        for line in _LOCKS.read_text().splitlines():
            match line.split():
                case [_, "FLOCK", _, "WRITE", pid, at, *_] if at == place:
                    return f" (process {pid})"
    return ""


def _taken(lock: Path, what: str) -> int:
    """The file of a lock, opened and locked."""
    while True:
        descriptor = _opened(lock, what)
        try:
            _lock(descriptor, lock, what)
            if _is_at(descriptor, lock):  # else who held it has ended, and removed it
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _opened(lock: Path, what: str) -> int:
    """The file of a lock, made if it is not there.  OptionError: it is something else."""
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        raise OptionError(f"{what}: cannot write {lock}: {error.strerror}") from None
    if not _is_lock(descriptor):
        os.close(descriptor)
        raise OptionError(f"{what}: {lock} is no lock of spaseq, and would be written over; give another name")
    return descriptor


def _is_lock(descriptor: int) -> bool:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return False
    return not os.pread(descriptor, 1, 0) or _signed(descriptor) is not None


def _lock(descriptor: int, lock: Path, what: str) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = _holder(descriptor)
        who = f" ({holder})" if holder else ""
        raise OptionError(f"{what}: another run has it{who}; let that end, or take another one") from None
    except OSError as error:
        raise OptionError(
            f"{what}: the file system of {lock} has no locks, which keep two runs apart ({error.strerror})"
        ) from None


def _holder(descriptor: int) -> LockHolder | None:
    """Who has a lock; None: it does not say so.  It may have been signed by one before, who was killed."""
    for _ in range(_LOOKS):
        if (found := _signed(descriptor)) and found.may_live:
            return found
        time.sleep(_PAUSE)
    return None


def _signed(descriptor: int) -> LockHolder | None:
    """Who signed last."""
    try:
        found: Any = json.loads(os.pread(descriptor, _MOST, 0))
        if found.pop("lock") == _SIGN:
            return LockHolder(int(found["pid"]), str(found["host"]), str(found["since"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    return None


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is the one with this path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False
