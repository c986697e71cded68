"""URLs with variables of the environment, and secrets beside them: what is put in where, and what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from spaseq.environment import expanded, is_variable, masked, secret_in, with_first
from spaseq.errors import OptionError
from spaseq.sources.source import is_url, opened_url
from spaseq.sources.transports.addresses import Address, in_folder

SETTINGS = ("user", "password", "token", "ca")


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    given = {
        "A": "a b",
        "PATHS": "x/y?z#é",
        "WORD": "w&o=r@d/",
        "HOST": "h:81",
        "URL": "mqtt://me:pw@h/t/#?ca=x",
        "N": "7",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return given


def of(text: str, **given: bool) -> Address:
    return Address.of(text, SETTINGS, **given)


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("$A", "$A"), ("${A}", "a b"), ("x${N}${N}y", "x77y"), ("$${A}", "${A}"), ("$$$${", "$$${")],
)  # fmt: skip
def test_expanded(text: str, expected: str) -> None:
    assert expanded(text) == expected


@pytest.mark.parametrize("text", ["${", "${}", "${A", "${A B}", "${1}", "a${-}", "${${A}}"])
def test_what_names_no_variable(text: str) -> None:
    with pytest.raises(OptionError, match=r"names no variable: write \$\{NAME\}, or \$\$\{"):
        expanded(text)


def test_what_a_variable_has_is_no_text_with_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTER", "x://${A}")
    assert expanded("${OUTER}") == "x://${A}"
    assert expanded(with_first("${OUTER}/${A}")) == "x://${A}/a b"


def test_a_variable_and_nothing_else() -> None:
    assert is_variable("${A}") and is_variable("${none}")
    assert not any(map(is_variable, ["", "x${A}", "${A}${A}", "$${A}", "${A", "A"]))


def test_masked() -> None:
    assert masked("no 7 of 77: secret, secrets", [("${N}", "7"), ("${S}", "secret"), ("${E}", "")]) == (
        "no ${N} of 77: ${S}, ${S}s"
    )


# ── URLs ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_values_stay_in_their_pieces() -> None:
    address = of("https://${HOST}/p/${PATHS}?k=${WORD}&n=1#token=${WORD}", of_server=True)
    assert address.asked == "https://h:81/p/x/y%3Fz%23%C3%A9?k=w%26o%3Dr%40d%2F&n=1"
    assert (address.url.hostname, address.port, address.secret("token")) == ("h", 81, "w&o=r@d/")
    assert address.shown == "https://${HOST}/p/${PATHS}"


def test_topics_have_values_as_they_are() -> None:
    address = of("kafka://h/${A}/#?user=${WORD}")
    assert (address.path, address.get("user"), address.shown) == ("a b/#", "w&o=r@d/", "kafka://h/${A}/#")


def test_user_and_password_before_the_host() -> None:
    address = of("kafka://m%40e:${WORD}@h:9,i:9/t")
    assert (address.get("user"), address.secret("password"), address.url.netloc) == ("m@e", "w&o=r@d/", "h:9,i:9")
    assert address.shown == "kafka://h:9,i:9/t"


def test_a_whole_url() -> None:
    assert is_url("${URL}")
    address = of("${URL}")
    assert (address.path, address.secret("password"), address.url.netloc) == ("t/#", "pw", "h")
    assert address.shown == "${URL}"


def test_that_is_none() -> None:
    assert not is_url("${A}") and not is_url("$${URL}")
    with pytest.raises(OptionError, match="there is no variable NONE_SUCH in the environment"):
        is_url("${NONE_SUCH}")


@pytest.mark.parametrize("name", ["password", "token"])
def test_three_forms_of_a_secret(name: str, tmp_path: Path) -> None:
    (tmp_path / "it").write_text("w&o=r@d/\r\n")
    for setting in (f"{name}=${{WORD}}", f"{name}_env=WORD", f"{name}_file={tmp_path}/it"):
        address = of(f"x://h/t?{setting}")
        assert address.secret(name) == "w&o=r@d/"
        assert address.told("it is w&o=r@d/ or w%26o%3Dr%40d/").count("@") == 0


ERRORS = {
    "x://u:p@h/t": "x://h/t: a password in a URL is seen by others",
    "x://h/t?password=p": "password in a URL is seen by others; .*\\${VARIABLE} in its place, or password_env=VARIABLE",
    "x://h/t?token=a${WORD}": "token in a URL is seen by others",
    "${URL}&token=p": "\\${URL}&token=p: token in a URL is seen by others",
    "x://h/t?%74oken=p": "x://h/t: token in a URL is seen by others",
    "x://h/t?token=${NONE_SUCH}": "token=\\${NONE_SUCH}: there is no variable NONE_SUCH in the environment",
    "x://${NONE_SUCH}/t": "x://\\${NONE_SUCH}/t: there is no variable NONE_SUCH in the environment",
    "x://${PATHS}/t": "x://\\${PATHS}/t: \\${PATHS} makes no host",
    "x://u@h/t?user=v": "x://h/t: the setting user is given twice",
    "x://h/t?tokn=${A}": "there is no setting tokn; did you mean token\\?",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text: str) -> None:
    with pytest.raises(OptionError, match=ERRORS[text]) as found:
        of(text)
    assert "w&o" not in str(found.value) and "x/y" not in str(found.value)


def test_secrets_that_are_given_twice_or_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff")
    (tmp_path / "long").write_bytes(b"x" * 70_000)
    for setting, message in {
        "token=${A}&token_env=A": "token and token_env say the same",
        "token_env=NONE_SUCH": "token_env=NONE_SUCH: there is no variable NONE_SUCH in the environment",
        f"token_file={tmp_path}/none": "token_file=.*/none: cannot read .*/none: No such file or directory",
        f"token_file={tmp_path}/binary": "binary is no text in UTF-8",
        f"token_file={tmp_path}/long": "long has more than 65,536 bytes",
    }.items():
        with pytest.raises(OptionError, match=message):
            of(f"x://h/t?{setting}").secret("token")


def test_a_line_end_alone_is_taken_off(tmp_path: Path) -> None:
    for data, expected in {"a": "a", "a\n": "a", "a\r\n": "a", "a\n\n": "a\n", " a ": " a ", "": ""}.items():
        (tmp_path / "it").write_bytes(data.encode())
        assert secret_in(tmp_path / "it") == expected


def test_files_in_a_folder() -> None:
    assert in_folder("mqtts://h/#?ca=c.pem&qos=1", "a b") == "mqtts://h/#?ca=a%20b/c.pem&qos=1"
    assert in_folder("https://h/?ca=x#ca=/c.pem&token_file=t", "f") == "https://h/?ca=x#ca=/c.pem&token_file=f/t"
    assert in_folder("kafka://h/t?ssl.ca.location=probe&ca=${A}", "f") == "kafka://h/t?ssl.ca.location=probe&ca=${A}"
    assert in_folder("mqtts://h/t?ca=c.pem", "") == "mqtts://h/t?ca=c.pem"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://a..b/x", "http://a..b/x: a..b is no name of a host"),
        ("mqtt://a..b/x", "mqtt://a..b/x: a..b is no name of a host"),
        ("ws://127.0.0.1:99999/x", "ws://127.0.0.1:99999/x: Port out of range 0-65535"),
        ("http://€/x", "http://€/x: this is no URL: Invalid IDNA hostname: '€'"),
        ("http://${ODD}/x", "http://${ODD}/x: this is no URL: Invalid IDNA hostname: '${ODD}'"),
    ],
)
def test_what_no_host_is_called(url: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("httpx", "paho.mqtt", "websockets"):
        pytest.importorskip(library)
    monkeypatch.setenv("ODD", "s€cret")
    with pytest.raises(OptionError) as refused:
        opened_url(url)
    assert str(refused.value) == message
