"""The pages of a Linked Data Event Stream: which are to be read next, and which members may be given by then.

A member is given when no page that has not been read can have an earlier one.  Pages that may grow are looked at again;
what they get is not before what was there, as Linked Data Event Streams promise.
"""

from __future__ import annotations

import base64
import hashlib
import heapq
import json
import math
import threading
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from spaseq.sources.transports.channel import CAPACITY, OVERHEAD
from spaseq.sources.transports.delivered_members import DeliveredMembers
from spaseq.sources.transports.shacl_paths import checked_path
from spaseq.sources.transports.transport import Message
from spaseq.sources.transports.tree_pages import PageLink, PageMember, StreamContext, TreePage
from spaseq.streams.timestamps import GREATEST, LEAST

NAME = 12  # bytes that stand for a name


@dataclass(slots=True)
class OpenPage:
    """A page of which something may be new; ``low``: neither it nor pages behind it have an earlier member."""

    url: str
    low: int
    number: int  # in the order of the links
    etag: str = ""
    due: float = 0.0  # when to look at it again, by the monotonic clock
    is_read: bool = False  # by this run
    was_given: bool = False  # all that it had was given by a run before
    is_final: bool = False
    members: frozenset[bytes] = field(default_factory=frozenset)


class Traversal:
    """What is known of the pages of a stream, and the members that wait.  Members before ``start`` are left out.

    One thread reads pages; another may ask for the state behind a message that it has got.
    """

    def __init__(self, start: int = LEAST, capacity: int = CAPACITY) -> None:
        self.context = StreamContext()
        self.last = 0  # the number of the last member that was given
        self.released = 0  # that of the last one that need not come again
        self._start = start
        self._capacity = capacity
        self._lock = threading.Lock()
        self._open: dict[str, OpenPage] = {}
        self._closed: set[bytes] = set()  # pages that have nothing new
        self._unread: list[tuple[int, int, str]] = []
        self._final: deque[OpenPage] = deque()  # read, with members that may have to come again
        self._given = DeliveredMembers()
        self._pending: list[tuple[int, str, bytes, str]] = []  # times, names, data and pages of members
        self._waiting: set[bytes] = set()
        self._size = 0  # bytes of them

    # ── pages ────────────────────────────────────────────────────────────────────────────────────────────────
    def knows(self, url: str) -> bool:
        """Whether a page is known."""
        return url in self._open or named(url) in self._closed

    def add(self, link: PageLink, behind: int = LEAST) -> None:
        """There is a page, behind one that has nothing before a time.  What is wholly before the start is passed over.

        A page is at most as early as the one that leads to it, unless that says otherwise, as links backwards do.
        """
        low = link.low if link.high <= behind else max(link.low, behind)
        if link.high < self._start or named(link.url) in self._closed:
            return
        page = self._open.get(link.url)
        if page is None:
            page = self._open[link.url] = OpenPage(link.url, low, len(self._open) + len(self._closed))
        elif page.is_read or low >= page.low:
            return
        page.low = low
        heapq.heappush(self._unread, (low, page.number, page.url))

    def next_unread(self) -> OpenPage | None:
        """The page to read next: the one that may have the earliest members; None: all are read."""
        while self._unread:
            low, _, url = self._unread[0]
            page = self._open.get(url)
            if page is not None and not page.is_read and page.low == low:
                return page
            heapq.heappop(self._unread)
        return None

    def next_look(self) -> float:
        """When to look again at a page that was read; inf: none can have anything new."""
        return min((page.due for page in self._open.values() if not page.is_final), default=math.inf)

    def due(self, now: float) -> list[OpenPage]:
        """The pages that are to be looked at again."""
        found = [page for page in self._open.values() if not page.is_final and page.due <= now]
        return sorted(found, key=lambda page: (page.low, page.number))

    def took(self, page: OpenPage, found: TreePage, etag: str) -> None:
        """A page was read."""
        wanted = {named(one.iri): one for one in found.members if one.time is None or one.time >= self._start}
        with self._lock:
            self._given.stand(page.members, wanted)
            page.members = frozenset(wanted)
            for name, one in wanted.items():
                self._wait_for(name, one, page.url)
            page.etag, page.is_read, self.context = etag, True, found.context
            for link in found.links:
                self.add(link, page.low)

    def keep(self, page: OpenPage, due: float, is_final: bool) -> None:
        """A page is as it was read; when to look again, unless it is final."""
        with self._lock:
            page.is_read, page.due = True, due
            if is_final and not page.is_final:
                page.is_final = True
                self._final.append(page)

    def _wait_for(self, name: bytes, one: PageMember, url: str) -> None:
        if name in self._given or name in self._waiting:
            return
        time = LEAST if one.time is None else one.time
        self._waiting.add(name)
        self._size += len(one.data) + OVERHEAD
        heapq.heappush(self._pending, (time, one.iri, one.data, url))

    # ── members ──────────────────────────────────────────────────────────────────────────────────────────────
    def ready(self) -> list[Message]:
        """The members that may be given, in order of time.  When too many wait, the earliest are."""
        unread = self.next_unread()
        frontier, found = GREATEST if unread is None else unread.low, list[Message]()
        with self._lock:
            while self._pending and (self._pending[0][0] <= frontier or self._size > self._capacity):
                found.append(self._give(*heapq.heappop(self._pending)))
            self._close_pages()
        return found

    def _give(self, time: int, iri: str, data: bytes, url: str) -> Message:
        self.last += 1
        name = named(iri)
        self._waiting.discard(name)
        self._size -= len(data) + OVERHEAD
        self._given.give(name, self.last)
        return Message(data, self.last, None if time == LEAST else time, iri.encode(), (("page", url.encode()),))

    def _close_pages(self) -> None:
        """Forget pages that have nothing new, and whose members need not come again."""
        while self._final:
            page = self._final[0]
            if not self._given.has_given(page.members, self.released):
                self._final.rotate(-1)  # another one is looked at the next time
                return
            self._final.popleft()
            del self._open[page.url]
            self._closed.add(named(page.url))
            self._given.stand(page.members, ())

    # ── what another run needs ───────────────────────────────────────────────────────────────────────────────
    def state(self, number: int) -> str:
        """What there is behind the member with a number, as text."""
        with self._lock:
            pages, closed, recent = list[list[Any]](), set(self._closed), self._given.recent(number)
            for page in self._open.values():
                given = self._given.given_of(page.members, number)
                is_whole = len(given) == len(page.members) and (page.is_read or page.was_given)
                if is_whole and page.is_final:
                    closed.add(named(page.url))
                    recent += given
                else:
                    pages.append([page.url, page.low, page.etag if is_whole else "", is_whole, _text(given)])
            context = [self.context.collection, self.context.path, self.context.interval]
        return json.dumps({"context": context, "pages": pages, "closed": _text(closed), "given": _text(recent)})

    def restore(self, state: str) -> None:
        """Go on where another run was.  ValueError, TypeError, KeyError: this is no state."""
        read = json.loads(state)
        collection, path, interval = read["context"]
        known, seconds = None if path is None else checked_path(path), None if interval is None else float(interval)
        self.context = StreamContext(str(collection), known, seconds)
        self._closed = set(_names(read["closed"]))
        self._given.remember(_names(read["given"]))
        for number, (url, low, etag, was_given, members) in enumerate(read["pages"]):
            names = frozenset(_names(members))
            page = OpenPage(str(url), int(low), number, str(etag), was_given=bool(was_given), members=names)
            self._open[page.url] = page
            self._given.stand((), names)
            for name in names:
                self._given.give(name, 0)
            heapq.heappush(self._unread, (page.low, number, page.url))


def named(text: str) -> bytes:
    """What stands for a name: few bytes, which two names do not share."""
    return hashlib.blake2b(text.encode(), digest_size=NAME).digest()


def _text(names: Iterable[bytes]) -> str:
    return base64.b64encode(b"".join(sorted(names))).decode()


def _names(text: str) -> Collection[bytes]:
    joined = base64.b64decode(text, validate=True)
    return [joined[at : at + NAME] for at in range(0, len(joined), NAME)]
