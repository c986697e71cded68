"""``ldes+https://…`` and ``ldes+http://…``: members of a Linked Data Event Stream, in order of time.

The query of such a URL is the server's, so that settings stand behind ``#``: ``ldes+https://host/view?x=1#end=now``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from urllib.parse import parse_qsl, urlsplit

import httpx
from pyoxigraph import Quad, RdfFormat

from gpm.parsing import parse
from spaseq.environment import variables_in
from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.transports.http import authorization, client_of, is_tls, told
from spaseq.sources.transports.page_requests import PageAnswer, PageRequests
from spaseq.sources.transports.receiving import LOG, LONGEST, Receiving
from spaseq.sources.transports.transport import Message, Position
from spaseq.sources.transports.traversal import OpenPage, Traversal
from spaseq.sources.transports.tree_pages import PageLink, PageReader, StreamContext, TreePage
from spaseq.streams.timestamps import LEAST, from_xsd
from spaseq.text import shown

SETTINGS = ("start", "end", "poll", "time", "user", "password", "token", "ca")
COMMON = ("retry",)
POLL = 60.0  # seconds between two looks at a page, where nobody says it
SHORTEST_POLL = 0.05
_SECRET = re.compile(r"password|secret|token|key|sig", re.IGNORECASE)
_PREFIX = "ldes+"


class LinkedDataEventStream(Receiving):
    """What a stream has, and what it gets; positions number its members, and a checkpoint has its pages."""

    resumes = True

    def __init__(self, url: str) -> None:
        written = url.partition("#")[0]
        if variables := list(variables_in(written)):
            hint = "pages are named in checkpoints, so give what is secret as a setting, behind #"
            raise OptionError(f"{written.partition('?')[0]}: the page cannot have {variables[0]}: {hint}")
        super().__init__(url, SETTINGS, of_server=True, common=COMMON)
        if not self.address.url.hostname:
            raise OptionError(f"{self.url}: write {self.address.url.scheme}://HOST/PATH")
        self._entry = _with_path(written.removeprefix(_PREFIX))
        self._own = {name for name, _ in parse_qsl(urlsplit(written).query, keep_blank_values=True)}
        if misplaced := sorted(self._own & {*SETTINGS, *COMMON}):
            hint = f"settings stand behind #, since what is behind ? is the server's: {self.url}#{misplaced[0]}=…"
            raise OptionError(f"{self.url}: {misplaced[0]} is a setting; {hint}")
        self.format = "nquads"
        self.position = 0
        self._ends = self.address.choice("end", ("never", "now")) == "now"
        self._poll = max(SHORTEST_POLL, self.address.seconds("poll", POLL)) if self.address.get("poll") else None
        self._traversal = Traversal(self._start())
        self._traversal.context = self._told_context()
        self._traversal.add(PageLink(self._entry))
        self._requests: PageRequests | None = None
        self._missed: set[str] = set()  # pages that were removed

    def _start(self) -> int:
        text = self.address.get("start")
        try:
            return from_xsd(text) if text else LEAST
        except ValueError as error:
            raise OptionError(f"{self.url}: start={text} is no time: {error}") from None

    def _told_context(self) -> StreamContext:
        return StreamContext(path=self.address.get("time") or None)

    # ── the reader ───────────────────────────────────────────────────────────────────────────────────────────
    def go_on(self, position: Position) -> None:
        """See ``Transport``.  StreamError: the position is none of this transport."""
        self._traversal = Traversal(self._start())
        try:
            self._traversal.restore(str(position))
        except (ValueError, TypeError, KeyError) as error:
            raise StreamError(
                f"the checkpoint does not say which pages were read: {error}", Location(self.url)
            ) from None

    def state(self, position: Position) -> Position:
        """See ``Transport``: the pages, and which of their members were given."""
        assert isinstance(position, int)
        return self._traversal.state(position)

    def release(self, position: Position) -> None:
        """See ``Transport``."""
        assert isinstance(position, int)
        self._traversal.released = position

    def place(self, message: Message) -> str:
        """See ``Transport``: the page, and the member on it."""
        page = dict(message.headers).get("page", b"").decode()
        return f"{self._shown(page)}@{(message.key or b'').decode()}"

    def _shown(self, url: str) -> str:
        """What errors call a page: without what may be secret, and without the query that was given."""
        parts = urlsplit(url)
        kept = [one for one in parts.query.split("&") if one and not self._is_hidden(one.partition("=")[0])]
        host = parts.netloc.rpartition("@")[2]
        return _PREFIX + parts._replace(netloc=host, query="&".join(kept)).geturl()

    def _is_hidden(self, name: str) -> bool:
        return name in self._own or _SECRET.search(name) is not None

    # ── the thread ───────────────────────────────────────────────────────────────────────────────────────────
    def receive(self) -> None:
        """See ``Receiving``."""
        with client_of(self.address) as client:
            self._requests = PageRequests(client, self._entry, authorization(self.address), self._shown)
            while self._reads_all() and self._looks_again():
                pass

    def _reads_all(self) -> bool:
        """Read the pages that were not read, and give members as soon as may be; False: nobody reads any more."""
        while (page := self._traversal.next_unread()) is not None:
            if not (self._looks_at(page) and self.channel.put(self._traversal.ready())):
                return False
        return self.channel.put(self._traversal.ready())

    def _looks_again(self) -> bool:
        """Wait until pages may have something new, and look; False: none will have, or nobody reads any more."""
        due = self._traversal.next_look()
        if self._ends or due == float("inf") or not self.channel.pause(max(0.0, due - time.monotonic())):
            return False
        return all(self._looks_at(page) for page in self._traversal.due(time.monotonic()))

    def _looks_at(self, page: OpenPage) -> bool:
        """Read one page, or see that it is as it was; False: nobody reads any more."""
        answer = self._answer(page)
        if answer is None:
            return False
        is_final = answer.is_immutable or answer.is_gone
        if answer.refused:
            self._miss(page, answer.refused)
        elif not answer.is_same:
            found = self._read(page, answer)
            is_final = is_final or found.is_final
            self._traversal.took(page, found, answer.etag)
        self._traversal.keep(page, time.monotonic() + self._pause(answer), is_final)
        return True

    def _answer(self, page: OpenPage) -> PageAnswer | None:
        """What the server says; None: nobody reads any more.  StreamError: it refuses, or is away for too long."""
        assert self._requests is not None
        while not self.channel.is_closed:
            try:
                answer = self._requests.ask(page.url, page.etag)
            except httpx.HTTPError as error:
                reason = self.address.told(told(error))
                if is_tls(error):
                    raise StreamError(f"cannot read: {reason}", Location(self.url)) from None
                self.channel.pause(max(self.outages.failed(reason), _asked_pause(error)))
            else:
                self.outages.mended()
                return answer
        return None

    def _miss(self, page: OpenPage, refused: str) -> None:
        """A page is not there: say so, once.  StreamError: it was not read before."""
        place = self._shown(page.url)
        if not (page.is_read or page.was_given):
            hint = "" if page.url == self._entry else "what it had was not read; begin anew with what is there"
            raise StreamError(refused, Location(place), hint=hint)
        if page.url not in self._missed:
            self._missed.add(page.url)
            LOG.warning("warning: %s: %s; what it had was read", shown(place), shown(refused))

    def _pause(self, answer: PageAnswer) -> float:
        """Seconds until a page is looked at again."""
        return self._poll or answer.max_age or self._traversal.context.interval or POLL

    def _read(self, page: OpenPage, answer: PageAnswer) -> TreePage:
        """What a page has.  StreamError: it is no page, or it leads to where nobody may go."""
        place, is_entry = self._shown(answer.url), page.url == self._entry
        quads, names = _quads(answer, place), [answer.url, page.url]
        found = PageReader(quads, names, Location(place), self._traversal.context).read(is_entry)
        assert self._requests is not None
        for link in found.links:
            self._requests.check(link.url, place)
        unknown = [url for url in found.described if not self._traversal.knows(url)]
        if unknown and not found.links:
            hint = "the URL of a page is the name that it has in its own relations"
            raise StreamError(f"it has the links of {unknown[0]}, and none of its own", Location(place), hint=hint)
        return found


def _with_path(url: str) -> str:
    """A URL whose path is not empty, as pages have it."""
    parts = urlsplit(url)
    return url if parts.path else parts._replace(path="/").geturl()


def _quads(answer: PageAnswer, place: str) -> Collection[Quad]:
    """The statements of a page.  StreamError: it cannot be read."""
    try:
        return list(parse(answer.text, answer.kind, base_iri=answer.url))
    except SyntaxError as error:
        message = error.msg.rpartition(": ")[2] if error.lineno else str(error)
        if answer.kind == RdfFormat.JSON_LD and "LoadDocumentCallback" in message:
            message = "its JSON-LD has a context that stands elsewhere, which is not fetched"
        lines = answer.text.splitlines()
        number = error.lineno or 0
        text = lines[number - 1].decode("utf-8", "replace") if 0 < number <= len(lines) else ""
        raise StreamError(message, Location(place, number, error.offset or 0, text)) from None


def _asked_pause(error: httpx.HTTPError) -> float:
    """Seconds for which a server asks to wait, as far as that is heeded."""
    response = error.response if isinstance(error, httpx.HTTPStatusError) else None
    asked = "" if response is None else response.headers.get("retry-after", "")
    return min(LONGEST, float(asked)) if asked.isascii() and asked.isdigit() else 0.0
