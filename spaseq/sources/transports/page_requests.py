"""Requests for pages of RDF, of one origin: nothing else is reached, whatever pages and redirections say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

import httpx
from pyoxigraph import RdfFormat

from spaseq.errors import Location, StreamError
from spaseq.sources.transports.http import PASSING

ACCEPT = (
    "application/n-quads, application/trig, application/n-triples;q=0.9, text/turtle;q=0.9, application/ld+json;q=0.5"
)
MEDIA_TYPES = {
    "application/n-quads": RdfFormat.N_QUADS,
    "application/trig": RdfFormat.TRIG,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "text/turtle": RdfFormat.TURTLE,
    "application/ld+json": RdfFormat.JSON_LD,
}
ENDINGS = {
    "nq": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "nt": RdfFormat.N_TRIPLES,
    "ttl": RdfFormat.TURTLE,
    "jsonld": RdfFormat.JSON_LD,
}
_UNTOLD = ("", "text/plain", "application/octet-stream")  # types of servers that know files by their names alone
LONGEST = 1 << 26  # bytes of a page
REDIRECTIONS = 10
_PORTS = {"http": 80, "https": 443}
_MAX_AGE = re.compile(r"\bmax-age\s*=\s*\"?(\d{1,9})")


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What a server answers: ``url`` is that of the page, behind redirections.

    ``is_same``: it is as it was; ``refused`` says that it is not there, ``is_gone``: and will not be again.
    """

    url: str
    text: bytes = b""
    kind: RdfFormat = RdfFormat.N_QUADS
    etag: str = ""
    max_age: int | None = None
    is_immutable: bool = False
    is_same: bool = False
    refused: str = ""
    is_gone: bool = False


class PageRequests:
    """Asks for pages of the origin of ``entry``; ``shown`` is what errors call a page."""

    def __init__(self, client: httpx.Client, entry: str, headers: dict[str, str], shown: Callable[[str], str]) -> None:
        self._client = client
        self._origin = _origin(urlsplit(entry))
        self._headers = {"Accept": ACCEPT, **headers}
        self._shown = shown

    def check(self, url: str, place: str) -> None:
        """StreamError: a page leads to what is on another origin, or nowhere."""
        try:
            found = _origin(urlsplit(url))
        except ValueError:
            found = ("", "", None)
        if found != self._origin:
            hint = "an LDES is read from one origin: name that page, if it is what you want"
            raise StreamError(f"it leads to another origin: {self._shown(url)}", Location(place), hint=hint)

    def ask(self, url: str, etag: str) -> PageAnswer:
        """A page, unless it is as it was.  StreamError: the server refuses; HTTPError: for now."""
        headers = self._headers | ({"If-None-Match": etag} if etag else {})
        asked, place = url, self._shown(url)
        for _ in range(REDIRECTIONS):
            self.check(asked, place)
            place = self._shown(asked)
            try:
                with self._client.stream("GET", asked, headers=headers) as response:
                    if not response.has_redirect_location:
                        return self._answer(response, asked)
                    asked = urljoin(asked, response.headers["location"]).partition("#")[0]
            except (httpx.InvalidURL, ValueError) as error:
                raise StreamError(f"this is no URL: {error}", Location(place)) from None
        raise StreamError("it leads from page to page without end", Location(self._shown(url)))

    def _answer(self, response: httpx.Response, url: str) -> PageAnswer:
        caching = response.headers.get("cache-control", "").lower()
        age = _MAX_AGE.search(caching)
        known = {
            "etag": response.headers.get("etag", ""),
            "max_age": int(age[1]) if age else None,
            "is_immutable": "immutable" in re.split(r"[\s,;]+", caching),
        }
        if response.status_code == 304:
            return PageAnswer(url, is_same=True, **known)
        if not response.is_success:
            return self._refused(response, url)
        kind = self._kind(response.headers.get("content-type", ""), url)
        return PageAnswer(url, self._body(response, url), kind, **known)

    def _refused(self, response: httpx.Response, url: str) -> PageAnswer:
        status = f"the server answers {response.status_code} {response.reason_phrase}"
        if response.status_code in PASSING:
            raise httpx.HTTPStatusError(status, request=response.request, response=response)
        if response.status_code in (404, 410):
            return PageAnswer(url, refused=status, is_gone=response.status_code == 410)
        raise StreamError(status, Location(self._shown(url)))

    def _kind(self, content_type: str, url: str) -> RdfFormat:
        media = content_type.partition(";")[0].strip().lower()
        found = MEDIA_TYPES.get(media)
        if found is None and media in _UNTOLD:
            found = ENDINGS.get(urlsplit(url).path.rpartition(".")[2].lower())
        if found is None:
            message = f"the server answers with {media or 'no media type'}, which is no RDF that can be read here"
            raise StreamError(message, Location(self._shown(url)), expected=tuple(MEDIA_TYPES))
        return found

    def _body(self, response: httpx.Response, url: str) -> bytes:
        parts, size = list[bytes](), 0
        for data in response.iter_bytes():
            parts.append(data)
            size += len(data)
            if size > LONGEST:
                raise StreamError(f"the page is longer than {LONGEST:,} bytes", Location(self._shown(url)))
        return b"".join(parts)


def _origin(url: SplitResult) -> tuple[str, str, int | None]:
    """The scheme, the host and the port of a URL.  ValueError: it has none."""
    return url.scheme, url.hostname or "", url.port or _PORTS.get(url.scheme)
