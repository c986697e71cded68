"""Certificates are verified: one that nobody trusts is refused, and one that is trusted by name is taken."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import spaseq
from spaseq.errors import StreamError
from tests.transports.scripted import event

pytest.importorskip("httpx")
pytest.importorskip("websockets")

from websockets.sync.server import ServerConnection, serve

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="openssl, which makes certificates, is not installed")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this host that signs itself, with its key."""
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    line = f"{OPENSSL} req -x509 -newkey rsa:2048 -nodes -keyout {path} -out {path}.crt -days 2 -subj /CN=localhost"
    subprocess.run([*line.split(), "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


@pytest.fixture(scope="module")
def context(certificate: Path) -> ssl.SSLContext:
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    found.load_cert_chain(certificate)
    return found


class Lines(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/n-quads")
        self.end_headers()
        self.wfile.write(event("a", 1) + b"\n")

    def log_message(self, *_: object) -> None: ...


def sends(connection: ServerConnection) -> None:
    connection.send(event("a", 1))


@pytest.fixture(scope="module", params=["https", "wss"])
def url(request: pytest.FixtureRequest, context: ssl.SSLContext) -> Iterator[str]:
    if request.param == "https":
        http = ThreadingHTTPServer(("127.0.0.1", 0), Lines)
        http.socket = context.wrap_socket(http.socket, server_side=True)
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"https://127.0.0.1:{http.server_address[1]}/x"
        http.shutdown()
    else:
        socket = serve(sends, "127.0.0.1", 0, ssl=context)
        threading.Thread(target=socket.serve_forever, daemon=True).start()
        yield f"wss://127.0.0.1:{socket.socket.getsockname()[1]}/x"
        socket.shutdown()


def test_one_that_nobody_trusts(url: str) -> None:
    with pytest.raises(StreamError, match=r"(?i)certificate.verify.failed"):
        list(spaseq.run(ALL, {"s": f"{url}#retry=5m"}))  # which is not tried again


def test_one_that_is_trusted(url: str, certificate: Path) -> None:
    assert len(list(spaseq.run(ALL, {"s": f"{url}#retry=5m&ca={certificate}"}))) == 1
