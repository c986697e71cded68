"""Pages of a Linked Data Event Stream, and a server on loopback that has them; a test changes them as it likes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PREFIXES = """@prefix tree: <https://w3id.org/tree#> . @prefix ldes: <https://w3id.org/ldes#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
"""
STREAM = "<urn:stream> a ldes:EventStream ; ldes:timestampPath <urn:time>"


def moment(second: int) -> str:
    """A time, written in Turtle."""
    return f'"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"^^xsd:dateTime'


def member(name: str, second: int) -> str:
    """A member with a value and a time."""
    return (
        f"<urn:stream> tree:member <urn:{name}> . <urn:{name}> <urn:value> {second} ; <urn:time> {moment(second)} .\n"
    )


def relation(to: str, low: int | None = None, high: int | None = None, path: str = "<urn:time>") -> str:
    """The relations of a page to another one, whose members are between two seconds."""
    bounds = [("GreaterThanOrEqualTo", low), ("LessThan", high)]
    said = [(kind, second) for kind, second in bounds if second is not None] or [("", None)]
    return "".join(
        f"<> tree:relation [ a tree:{kind}Relation ; tree:node <{to}>"
        + ("" if second is None else f" ; tree:path {path} ; tree:value {moment(second)}")
        + " ] .\n"
        for kind, second in said
    )


def root(*parts: str) -> str:
    """A page that says which stream it is of."""
    return f"{PREFIXES}{STREAM} ; tree:view <> .\n" + "".join(parts)


def node(*parts: str) -> str:
    """Any other page."""
    return PREFIXES + "".join(parts)


@dataclass(slots=True)
class ServedPage:
    text: str
    kind: str = "text/turtle"
    caching: str = ""
    status: int = 200
    location: str = ""
    has_tag: bool = True
    cut: int = 0  # bytes that the answer lacks

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.text.encode()).hexdigest()[:16]}"'


class EventPages:
    """The server.  ``asked`` are the paths of requests, with their status and their headers."""

    def __init__(self, pages: dict[str, ServedPage] | None = None) -> None:
        self.pages = pages or {}
        self.asked: list[tuple[str, int, dict[str, str]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"ldes+{self.origin}"

    def serve(self, pages: dict[str, ServedPage]) -> None:
        """Have these pages, and forget what was asked."""
        self.pages = pages
        self.asked.clear()

    def counts(self, status: int = 200) -> dict[str, int]:
        """How often each path was answered with a status."""
        paths = [path for path, answered, _ in self.asked if answered == status]
        return {path: paths.count(path) for path in sorted(set(paths))}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = server.pages.get(self.path, ServedPage("", status=404))
                is_same = page.status == 200 and self.headers.get("If-None-Match") == page.etag
                status = 304 if is_same else page.status
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.asked.append((self.path, status, headers))
                self.send_response(status)
                for name, value in server.headers_of(page):
                    self.send_header(name, value)
                body = b"" if is_same else page.text.encode()
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) - page.cut])

            def log_message(self, *_: object) -> None: ...

        return Handler

    @staticmethod
    def headers_of(page: ServedPage) -> Iterable[tuple[str, str]]:
        yield "Content-Type", page.kind
        if page.caching:
            yield "Cache-Control", page.caching
        if page.location:
            yield "Location", page.location
        if page.has_tag:
            yield "ETag", page.etag
