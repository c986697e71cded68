"""Messages on a disk, numbered as they came, until nobody needs them any more: a database of SQLite."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.transports.transport import AT_ONCE, Message

KIND = 0x5350534C  # "SPSL": the application_id of such a file
_SETTINGS = ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL", f"application_id = {KIND}")
_TABLE = """
CREATE TABLE IF NOT EXISTS messages (
    number INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL, time INTEGER, key BLOB, headers TEXT NOT NULL
)"""
_ADD = "INSERT INTO messages (data, time, key, headers) VALUES (?, ?, ?, ?)"
_AFTER = "SELECT number, data, time, key, headers FROM messages WHERE number > ? ORDER BY number"
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"  # also of messages that are gone


class SpoolFile:
    """The messages of one source.  What ``add`` was given outlives the process, and the machine.

    OptionError: the file cannot be opened, is none of these, or another process has it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._alone = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._base.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise OptionError(f"{path}: {_reason(error)}") from None
        self._is_open = True

    @property
    def identity(self) -> str:
        """What no other file has, however alike what it keeps is."""
        return self._identity

    def add(self, messages: Sequence[Message]) -> None:
        """Keep messages: they are on the disk when this returns.  StreamError: they cannot be written."""
        rows = ((one.data, one.time, one.key, _written(one.headers)) for one in messages)
        with self._used(), self._base:  # which commits, or takes back
            self._base.execute("BEGIN")
            self._base.executemany(_ADD, rows)

    def after(self, number: int) -> list[Message]:
        """Some messages behind this one, in their order; their positions are their numbers.  StreamError."""
        found: list[Message] = []
        size = 0
        with self._used():
            for place, data, time, key, headers in self._base.execute(_AFTER, (number,)):
                found.append(Message(data, place, time, key, _read(headers)))
                size += len(data)
                if size >= AT_ONCE:
                    break
        return found

    def release(self, number: int) -> None:
        """All up to this one is not needed any more, if the file is still open.  StreamError: it cannot be written."""
        if self._is_open:
            with self._used():
                self._base.execute("DELETE FROM messages WHERE number <= ?", (number,))

    def check(self, number: int) -> None:
        """OptionError: not all that came behind this message is here."""
        with self._used():
            last = next(self._base.execute(_LAST), (0,))[0]
            first = self._base.execute("SELECT min(number) FROM messages").fetchone()[0]
        if last < number or (last if first is None else first - 1) > number:
            kept = "nothing" if first is None else f"{first:,} to {last:,}"
            raise OptionError(
                f"{self._path}: the checkpoint is behind message {number:,}, and the spool has {kept}: "
                "go on with the spool of this checkpoint, or begin anew without both"
            )

    def close(self) -> None:
        """Write and read no further."""
        with self._alone, suppress(sqlite3.Error):
            self._is_open = False
            self._base.close()

    def _prepare(self) -> None:
        kind = self._base.execute("PRAGMA application_id").fetchone()[0]
        tables = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if kind != KIND and tables:
            raise sqlite3.DatabaseError("this is another database")
        for setting in _SETTINGS:
            self._base.execute(f"PRAGMA {setting}")
        self._base.execute(_TABLE)
        if not self._base.execute("PRAGMA user_version").fetchone()[0]:
            self._base.execute(f"PRAGMA user_version = {secrets.randbelow(2**31 - 1) + 1}")
        self._identity = str(self._base.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def _used(self) -> Iterator[None]:
        """Within, no other thread uses it."""
        with self._alone:
            try:
                yield
            except sqlite3.Error as error:
                raise StreamError(f"the spool cannot be written: {error}", Location(str(self._path))) from None


def _reason(error: OSError | sqlite3.Error) -> str:
    """Why there is no such file."""
    if isinstance(error, OSError):
        return f"no spool can be here: {error.strerror}"
    if "locked" in str(error):
        return "another process uses this spool"
    if isinstance(error, sqlite3.OperationalError):
        return f"no spool can be here: {error}"
    return f"this is no spool, or damaged: {error}"


def _written(headers: Sequence[tuple[str, bytes]]) -> str:
    return json.dumps([[name, value.decode("latin-1")] for name, value in headers])


def _read(headers: str) -> tuple[tuple[str, bytes], ...]:
    return tuple((name, value.encode("latin-1")) for name, value in json.loads(headers))
