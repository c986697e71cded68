"""``http://…`` and ``https://…``: server-sent events, lines, or any other stream of bytes.

The query of such a URL is the server's, so that settings stand behind ``#``: ``https://host/events?all=1#retry=5m``.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

import httpx

from spaseq.errors import Location, StreamError
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.receiving import SHORTEST, Receiving
from spaseq.sources.transports.sse import EventStream
from spaseq.sources.transports.transport import UNKNOWN, Message, Position

SETTINGS = ("user", "password", "token", "ca")
EVENTS, LINES, BYTES = "events", "lines", "bytes"
_BY_LINES = ("json", "jsonld", "csv")  # formats whose lines stand for themselves
_LINE_TYPES = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
_LINE_ENDINGS = (".jsonl", ".ndjson", ".jsonld", ".ndjsonld")
PASSING = (408, 425, 429, 500, 502, 503, 504)  # what a server may answer another time otherwise
CONTACT = 10.0  # seconds for a connection
LONGEST = 1 << 26  # bytes of a message, as of those of a WebSocket
SILENCE = 300.0  # seconds without a byte, not even a comment, after which a connection counts as lost


class Response(Receiving):
    """What a server answers, as long as it goes on."""

    def __init__(self, url: str) -> None:
        super().__init__(url, SETTINGS, of_server=True)
        check_asked(self.address)
        self._events = EventStream()
        self._kind = ""  # EVENTS, LINES or BYTES, once it is known
        self._answered = threading.Event()
        self._wanted = threading.Event()  # somebody reads: until then an answer waits
        self._from_here = False  # the answer that waits is of another position

    @property
    def kind(self) -> str:
        """What the server answers with, after waiting for that."""
        self._begin()
        self._answered.wait()
        return self._kind

    @property
    def comes_in_messages(self) -> bool:  # type: ignore[override]
        """See ``Transport``."""
        return self.kind != BYTES

    @property
    def resumes(self) -> bool:  # type: ignore[override]
        """Whether the server can be asked for what comes behind an event."""
        return self.kind == EVENTS

    def go_on(self, position: Position) -> None:
        """See ``Transport``."""
        super().go_on(position)
        self._events = EventStream(str(position or ""))
        self._from_here = self._answered.is_set() and position is not None

    def state(self, position: Position) -> Position:
        """See ``Transport``."""
        return UNKNOWN if position is None and self._events.lacks_ids else position

    def take(self) -> Sequence[Message] | None:
        """See ``Transport``."""
        self._wanted.set()
        return super().take()

    def descriptor(self) -> int | None:
        """See ``Source``."""
        self._wanted.set()
        return super().descriptor()

    def close(self) -> None:
        """See ``Source``."""
        self._wanted.set()
        super().close()

    def read(self) -> bytes:
        """See ``Source``: as it came."""
        if self.comes_in_messages:
            return super().read()
        messages = self.arrivals.take()
        return b"".join(messages.data) if messages else b""

    # ── the thread ───────────────────────────────────────────────────────────────────────────────────────────
    def receive(self) -> None:
        """See ``Receiving``."""
        try:
            with client_of(self.address) as client:
                while not self.channel.is_closed and self._asks_again(client):
                    pass
        finally:
            self._answered.set()

    def _asks_again(self, client: httpx.Client) -> bool:
        """Read one answer to its end; whether to ask again."""
        try:
            with client.stream("GET", self.address.asked, headers=self._headers()) as response:
                if response.status_code != 204:
                    self._check(response)
                    self._wanted.wait()
                    if self._from_here:
                        self._from_here = False
                        return True
                    self._take(response)
                if self._kind != EVENTS or response.status_code == 204:
                    return False
            self._events.interrupted()
            return self.channel.pause(SHORTEST if self._events.retry is None else self._events.retry)
        except httpx.HTTPError as error:
            if self._kind == BYTES or is_tls(error):
                raise StreamError(f"cannot read: {self.address.told(told(error))}", Location(self.url)) from None
            reason = told(error)
        if self.channel.is_closed:
            return False
        self._events.interrupted()
        pause = self.outages.failed(reason)
        return self.channel.pause(pause if self._events.retry is None else self._events.retry)

    def _headers(self) -> dict[bytes, bytes]:
        headers = {"Cache-Control": "no-cache", **authorization(self.address)}
        if self._events.last_id:
            headers["Last-Event-ID"] = self._events.last_id.strip(" \t")
        return {name.encode(): value.encode() for name, value in headers.items()}

    def _check(self, response: httpx.Response) -> None:
        """StreamError: the server refuses.  HTTPStatusError: for now."""
        if response.is_success:
            self.outages.mended()
            self._kind = self._kind or self._kind_of(response.headers.get("content-type", ""))
            self._answered.set()
            return
        status = f"the server answers {response.status_code} {response.reason_phrase}"
        if response.status_code in PASSING:
            raise httpx.HTTPStatusError(status, request=response.request, response=response)
        hint = f"ask {response.headers['location']} instead" if response.has_redirect_location else ""
        raise StreamError(self.address.told(status), Location(self.url), hint=self.address.told(hint))

    def _kind_of(self, content_type: str) -> str:
        media = content_type.partition(";")[0].strip().lower()
        if media == "text/event-stream":
            return EVENTS
        ending = self.address.url.path.lower()
        by_lines = media in _LINE_TYPES or self.format in _BY_LINES or ending.endswith(_LINE_ENDINGS)
        return LINES if by_lines else BYTES

    def _take(self, response: httpx.Response) -> None:
        for some in self._messages(response):
            if some and not self.channel.put(some):
                return

    def _messages(self, response: httpx.Response) -> Iterator[list[Message]]:
        if self._kind == BYTES:
            yield from ([Message(data)] for data in response.iter_bytes())
            return
        if self._kind == LINES:
            yield from ([Message(line) for line in lines if line] for lines in self._lines(response.iter_bytes()))
            return
        for lines in self._lines(_with_line_feeds(response.iter_bytes())):
            yield [one for line in lines for one in self._events.take(line.decode("utf-8", "replace"))]
            if self._events.size > LONGEST:
                raise self._too_long()

    def _lines(self, parts: Iterable[bytes]) -> Iterator[list[bytes]]:
        return _lines(parts, self._too_long)

    def _too_long(self) -> StreamError:
        return StreamError(f"a message has more than {LONGEST:,} bytes", Location(self.url))


def _lines(parts: Iterable[bytes], too_long: Callable[[], StreamError]) -> Iterator[list[bytes]]:
    """Whole lines without their ends, as many as are there; the last one may lack its end."""
    begun, size = list[bytes](), 0
    for data in parts:
        end, *more = data.split(b"\n")
        begun.append(end)
        size += len(end)
        if more:
            yield [line.removesuffix(b"\r") for line in (b"".join(begun), *more[:-1])]
            begun, size = more[-1:], len(more[-1])
        if size > LONGEST:
            raise too_long()
    if rest := b"".join(begun):
        yield [rest]


def _with_line_feeds(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Text whose lines end in LF, CR or both: with LF."""
    was_return = False
    for data in filter(None, parts):
        text = data[1:] if was_return and data.startswith(b"\n") else data
        was_return = data.endswith(b"\r")
        yield text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


# ── what who sends needs as well ─────────────────────────────────────────────────────────────────────────
def client_of(address: Address) -> httpx.Client:
    """What speaks HTTP; certificates are verified, and redirections are answers.  OptionError: the URL is none."""
    check_asked(address)
    verify: ssl.SSLContext | bool = True
    if authorities := address.get("ca"):
        verify = ssl.create_default_context(cafile=authorities)
    timeout = httpx.Timeout(CONTACT, read=SILENCE)
    return httpx.Client(timeout=timeout, verify=verify, follow_redirects=False)


def check_asked(address: Address) -> None:
    """OptionError: it is no URL of a server, as its host has characters that no name has."""
    try:
        httpx.URL(address.asked.removeprefix("ldes+"))
    except httpx.InvalidURL as error:
        raise address.error(f"this is no URL: {error}") from None


def authorization(address: Address) -> dict[str, str]:
    """The headers that say who asks."""
    if (token := address.bearer) is not None:
        return {"Authorization": token}
    return {"Authorization": f"Basic {pair}"} if (pair := address.basic) else {}


def told(error: httpx.HTTPError) -> str:
    """What an error says."""
    return str(error) or type(error).__name__


def is_tls(error: httpx.HTTPError) -> bool:
    """Whether it is one of certificates or encryption, which does not pass."""
    return isinstance(error.__cause__, ssl.SSLCertVerificationError) or "SSL" in str(error)
