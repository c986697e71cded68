"""Secrets of a run are where they are needed, and nowhere else: not in what is said, nor in what is kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("confluent_kafka")
pytest.importorskip("httpx")
pytest.importorskip("paho.mqtt")
pytest.importorskip("websockets")

from tests.cli.conftest import STREAM, Invoke, event
from tests.transports.kafka_cluster import Cluster

SECRET = "s3cr3t/Wörd+1"
LATER = event(4, 'c v "1"') + event(5, 'c w "2"')
FORMS = ("s3cr3t", "W%C3%B6rd", "Wörd", "bWU6czNjcj")  # the last one is of me:s3cr… in base64


class Echo:
    """A server that tells all that it was asked, and what it was told; it answers with a status, and with events."""

    def __init__(self) -> None:
        self.status = 200
        self.came = came = list[str]()
        echo = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                self.rfile.read(size)
                said = f"Cannot {self.command} {self.path} {self.headers.get('Authorization')}"
                came.append(said)
                self.send_response(echo.status, said)
                if echo.status == 302:
                    self.send_header("Location", f"http://elsewhere{self.path}")
                body = STREAM.encode() if echo.status == 200 and self.command == "GET" else said.encode()
                self.send_header("Content-Type", "application/n-quads")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST  # noqa: N815  (so the library calls it)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.place = f"127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass(frozen=True)
class Case:
    """What a file has beside the query; what the server answers, and must have seen."""

    text: str
    status: int = 200
    seen: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    exit_code: int = 0


PATH = "/hooks/s3cr3t/W%C3%B6rd%2B1"
CASES = {
    "a path": Case('output = "http://{http}/hooks/${{WORD}}"', 200, PATH),
    "a path that is refused": Case('output = "http://{http}/hooks/${{WORD}}"', 404, PATH, exit_code=1),
    "a path that is elsewhere": Case('[stream]\ns = "http://{http}/hooks/${{WORD}}"', 302, PATH, exit_code=1),
    "a path in an outage": Case('output = "http://{http}/hooks/${{WORD}}#retry=20ms"', 503, PATH, exit_code=1),
    "a query": Case('[stream]\ns = "http://{http}/x?key=${{WORD}}&n=1"', 200, "/x?key=s3cr3t%2FW%C3%B6rd%2B1&n=1"),
    "a query that is refused": Case('[stream]\ns = "http://{http}/x?key=${{WORD}}"', 403, "/x?key=s3cr3t", exit_code=1),
    "a whole URL": Case('output = "${{URL}}"', 200, "/s3cr3t?a=s3cr3t", {"URL": "http://{http}/s3cr3t?a=s3cr3t"}),
    "a whole URL with settings": Case(
        'output = "${{URL}}#token=${{PLAIN}}"', 404, "/s3cr3t Bearer s3cr3t", {"URL": "http://{http}/s3cr3t"}, 1
    ),
    "a whole URL with a password": Case(
        'output = "${{URL}}"', 404, "Basic bWU6czNjcjN0", {"URL": "http://me:s3cr3t@{http}/"}, 1
    ),
    "a host": Case('output = "http://${{HOST}}:1/x#retry=20ms"', 200, "", {"HOST": "s3cr3t.invalid"}, 1),
    "a host and port": Case('output = "http://${{HOST}}/x"', 500, "/x None", {"HOST": "{http}"}, 0),
    "a token": Case('output = "http://{http}/x#token=${{PLAIN}}"', 401, "Bearer s3cr3t", exit_code=1),
    "a token elsewhere": Case('output = "http://{http}/x#token_env=PLAIN"', 401, "Bearer s3cr3t", exit_code=1),
    "a token in a file": Case('output = "http://{http}/x#token_file=token"', 401, "Bearer s3cr3t", exit_code=1),
    "a token of two lines": Case('output = "http://{http}/x#token_env=LINES"', exit_code=2),
    "a token with an umlaut": Case('output = "http://{http}/x#token=${{WORD}}"', exit_code=2),
    "a password": Case('output = "http://me:${{WORD}}@{http}/x"', 401, "Basic bWU6czNjcj", exit_code=1),
    "a password in a file": Case('output = "http://{http}/x#user=me&password_file=word"', 401, "Basic bWU6c", {}, 1),
    "a password twice": Case('output = "http://me:${{WORD}}@{http}/x#password_file=word"', exit_code=2),
    "an unknown setting": Case('output = "${{URL}}"', variables={"URL": "kafka://s3cr3t/t?s3cr3t=1"}, exit_code=2),
    "a port that is none": Case('output = "mqtt://h:${{PLAIN}}/t"', exit_code=2),
    "a duration that is none": Case('output = "mqtt://h/t?retry=${{PLAIN}}"', exit_code=2),
    "a choice that is none": Case('output = "mqtt://h/t?qos=${{PLAIN}}"', exit_code=2),
    "a host that is none": Case('output = "mqtt://${{WORD}}/t"', exit_code=2),
    "a scheme that is none": Case('output = "${{URL}}"', variables={"URL": "s3cr3t://h"}, exit_code=2),
    "a socket": Case('output = "ws://{http}/${{WORD}}?a=${{WORD}}#token=${{PLAIN}}"', 404, "Bearer s3cr3t", {}, 1),
    "a socket elsewhere": Case('[stream]\ns = "ws://127.0.0.1:1/${{WORD}}#send=${{WORD}}&retry=20ms"', exit_code=1),
    "MQTT": Case('[stream]\ns = "mqtt://127.0.0.1:1/${{WORD}}?user=me&password=${{WORD}}&retry=20ms"', exit_code=1),
    "results to MQTT": Case('output = "mqtt://me:${{WORD}}@127.0.0.1:1/t/${{PLAIN}}"', exit_code=1),
    "Kafka": Case('[stream]\ns = "kafka://me:${{WORD}}@127.0.0.1:1/t?retry=20ms"', exit_code=1),
    "a property of Kafka": Case('[stream]\ns = "kafka://{kafka}/t?sasl.nothing=${{WORD}}"', exit_code=2),
    "a value of Kafka": Case('[stream]\ns = "kafka://{kafka}/t?security.protocol=${{PLAIN}}"', exit_code=2),
    "a file of Kafka": Case(
        '[stream]\ns = "kafka://{kafka}/t?ssl.key.password_file=word&security.protocol=ssl"', exit_code=1
    ),
    "a topic of Kafka": Case('[stream]\ns = "kafka://{kafka}/${{PLAIN}}"', exit_code=1),
    "a broken message of Kafka": Case('[stream]\ns = "kafka://${{HOST}}/broken?end=now"', 200, "", {"HOST": "{kafka}"}),
    "a file that is not there": Case('output = "http://{http}/x#token_file=none"', exit_code=2),
}  # fmt: skip
REST = """
query = "q.spaseq"
stats = true
on-error = "dead-letter"
dead-letters = "letters.jsonl"
"""


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    one = Cluster()
    one.make("t")
    one.send("broken", [b"<urn:a> <urn:b> ."])
    yield one
    one.stop()


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Echo]:
    monkeypatch.setattr("spaseq.sources.transports.receiving.SHORTEST", 0.01)
    monkeypatch.setattr("spaseq.sources.transports.kafka.CONTACT", 0.1)
    one = Echo()
    yield one
    one.close()


@pytest.mark.parametrize("name", CASES)
def test_nothing_secret_is_seen(
    name: str, invoke: Invoke, folder: Path, echo: Echo, kafka: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, places = CASES[name], {"http": echo.place, "kafka": kafka.servers}
    echo.status = case.status
    variables = {"WORD": SECRET, "PLAIN": "s3cr3t", "LINES": "s3cr3t\nmore"} | case.variables
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value.format(**places))
    (folder / "word").write_text(f"{SECRET}\n")
    (folder / "token").write_text("s3cr3t\n")
    written = case.text.format(**places)
    if "[stream]" not in written:
        written += '\n[stream]\ns = "s.nq"'
    if "s.nq" in written or "kafka" in written:  # which can be read again
        written = f'checkpoint = "kept"\n{written}'
    (folder / "p.toml").write_text(f"{REST}\n{written}")
    if name == "a host and port":
        monkeypatch.setattr("time.sleep", lambda _: setattr(echo, "status", 200))
    result = invoke("run", "--config", "p.toml")
    assert result.exit_code == case.exit_code, result.output
    assert case.seen == "" or any(case.seen in one for one in echo.came)
    assert "Traceback" not in result.output and "internal error" not in result.output
    seen = [result.output, *(file.read_bytes().decode("latin-1") for file in _kept(folder))]
    for form in (*FORMS, *(form.encode().decode("latin-1") for form in FORMS)):
        assert not any(form in one for one in seen), form


def _kept(folder: Path) -> list[Path]:
    """What a run has written."""
    found = [folder / "kept", folder / "letters.jsonl"]
    return [one for one in found if one.exists()]


def test_a_secret_may_change_between_runs(
    invoke: Invoke, folder: Path, echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = [
        "run",
        "q.spaseq",
        "--stream",
        "s=s.nq",
        "--checkpoint",
        "kept",
        "--output",
        f"http://{echo.place}/${{WORD}}",
    ]
    for word in ("first", "second"):
        monkeypatch.setenv("WORD", word)
        (folder / "s.nq").write_text(STREAM + LATER * (word == "second"))
        assert invoke(*line, "--quiet").exit_code == 0
    assert [one.split()[2] for one in echo.came] == ["/first", "/first", "/second"]
