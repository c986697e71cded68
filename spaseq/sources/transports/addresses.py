"""URLs of transports: where they lead, and the settings behind the question mark.

Variables of the environment (``${NAME}``) are put in here, and only here: a URL is shown and kept as it is written.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from spaseq.environment import expanded, is_variable, masked, secret_in, variable, variables_in, with_first
from spaseq.errors import OptionError
from spaseq.streams.timestamps import duration_microseconds, parse_duration
from spaseq.text import did_you_mean

_SECRET = re.compile(r"password|secret|token|\.pem$|^key$", re.IGNORECASE)
_FORMS = ("_env", "_file")  # of a setting that is a secret: where it is
_HOST = re.compile(r"[^\s/?#@\\]*")
_FILE = re.compile(r"((?:^|&)(?:ca|[\w.]+_file|[\w.]+\.location)=)(?!/|%2F|\$\{|probe(?:&|$))([^&]+)", re.IGNORECASE)
_OF_SERVERS = ("http", "https", "ws", "wss")  # schemes whose query is the server's
COMMON = ("format", "overflow", "retry")  # settings of all transports


@dataclass(frozen=True, slots=True)
class Address:
    """A URL in pieces.

    ``shown`` is how errors have it: as it is written, without its settings and its user.  In ``url`` are variables put
    in; ``settings`` are those that were given, as they are written.
    """

    written: str
    shown: str
    url: SplitResult
    settings: Mapping[str, str]

    @staticmethod
    def of(
        text: str, known: Iterable[str], others: Callable[[str], bool] = lambda _: False,
        common: Iterable[str] = COMMON, of_server: bool = False,
    ) -> Address:  # fmt: skip
        """The pieces of a URL; ``of_server``: its query is the server's, and settings stand behind ``#``.

        OptionError: a secret is in it, a setting that is neither one of ``known`` and ``common`` nor of ``others``, or
        a variable that is not there.
        """
        shown = _shown(text, of_server)
        names = (*known, *common)
        names += tuple(name + form for name in names if _SECRET.search(name) for form in _FORMS)
        try:
            _check_open(text, of_server)
            url, written = _pieces(with_first(text), of_server)
            found = _with_variables(url)
        except (ValueError, OptionError) as error:
            raise OptionError(f"{shown}: {masked(str(error), variables_in(text).items())}") from None
        settings = dict[str, str]()
        for name, value in [*_user(url), *written]:
            if name not in names and not others(name):
                what = f"no setting {name}" if name in text else "no such setting as one of the variable"
                raise OptionError(f"{shown}: there is {what}; {did_you_mean(name, names)}")
            if name in settings:
                raise OptionError(f"{shown}: the setting {name} is given twice")
            settings[name] = value
        address = Address(text, shown, found, settings)
        for name in settings:
            address.get(name)
        if of_server and address.port == 0:
            raise address.error("no server has the port 0")
        return address

    @property
    def port(self) -> int | None:
        """The port, if there is one.  OptionError: it is none."""
        try:
            return self.url.port
        except ValueError as error:
            raise self.error(str(error)) from None

    @property
    def path(self) -> str:
        """The path without the slash before it, unquoted."""
        return unquote(self.url.path.removeprefix("/"))

    @property
    def asked(self) -> str:
        """What a server is asked for."""
        return self.url.geturl()

    def get(self, name: str, default: str = "") -> str:
        """A setting, with variables put in.  OptionError: one is not there."""
        if name not in self.settings:
            return default
        try:
            return expanded(self.settings[name])
        except OptionError as error:
            raise OptionError(f"{self.shown}: {name}={self.settings[name]}: {error}") from None

    def choice(self, name: str, values: Iterable[str]) -> str:
        """A setting that is one of these, by default the first.  OptionError: it is another."""
        known = tuple(values)
        found = self.get(name, known[0])
        if found not in known:
            raise self.error(f"{name}={self.settings[name]} is none of {', '.join(known)}")
        return found

    def seconds(self, name: str, default: float) -> float:
        """A setting that is a duration, as 30s or 5m.  OptionError: it is none."""
        if name not in self.settings:
            return default
        try:
            return duration_microseconds(parse_duration(self.get(name))) / 1e6
        except (ValueError, OptionError) as error:
            raise self.error(f"{name}={self.settings[name]}: {error}") from None

    def secret(self, name: str) -> str | None:
        """A setting that is a secret: ``${VARIABLE}``, or where it is: ``NAME_env=VARIABLE``, ``NAME_file=FILE``.

        None: it is not given.  OptionError: it is not there, or is given twice.
        """
        given = [one for one in (name, *(name + form for form in _FORMS)) if one in self.settings]
        if len(given) > 1:
            raise OptionError(f"{self.shown}: {given[0]} and {given[1]} say the same; write one of them")
        return self._read(given[0]) if given else None

    @property
    def bearer(self) -> str | None:
        """What a header has of the token, if there is one.  OptionError: it fits into none."""
        token = self.secret("token")
        if token == "":
            raise self.error("the token is empty")
        if token is not None and not (token.isascii() and token.isprintable()):
            raise self.error("the token has line ends, or other characters than those of ASCII")
        return None if token is None else f"Bearer {token}"

    @property
    def basic(self) -> str:
        """What a header has of user and password, empty without a user.  OptionError: the password is not there."""
        user = self.get("user")
        return base64.b64encode(f"{user}:{self.secret('password') or ''}".encode()).decode() if user else ""

    def told(self, text: str) -> str:
        """What others say of it, without anything that is secret in it."""
        found = [*variables_in(self.written).items(), *self._pieces_in_variable(), *self._secrets()]
        return masked(text, [(name, form) for name, value in found for form in (value, quote(value), quote(value, ""))])

    def error(self, text: str) -> OptionError:
        """That something is wrong with it."""
        return OptionError(f"{self.shown}: {self.told(text)}")

    def _pieces_in_variable(self) -> Iterator[tuple[str, str]]:
        """Those of a URL that begins with a variable, which others may tell one by one."""
        name, closing, _ = self.written.partition("}")
        if self.written.startswith("${"):
            pieces = (self.url.netloc, self.url.hostname or "", self.url.path, self.path, self.url.query)
            yield from ((name + closing, one) for one in pieces if one != "/")

    def _secrets(self) -> Iterator[tuple[str, str]]:
        """What the settings name that is elsewhere, as far as it is there."""
        for name in self.settings:
            if name.endswith(_FORMS):
                with suppress(OptionError):
                    yield f"({name})", self._read(name)
        with suppress(OptionError):
            yield "(user and password)", self.basic

    def _read(self, name: str) -> str:
        """What a setting has, or what it names.  OptionError: that is not there."""
        try:
            if name.endswith("_env"):
                return variable(self.get(name))
            return secret_in(Path(self.get(name))) if name.endswith("_file") else self.get(name)
        except OptionError as error:
            raise OptionError(f"{self.shown}: {name}={self.settings[name]}: {error}") from None


Setting: TypeAlias = tuple[str, str]


def _pieces(text: str, of_server: bool) -> tuple[SplitResult, list[Setting]]:
    """A URL without its settings, and these.  ValueError: it is none."""
    if of_server:
        text, _, settings = text.partition("#")
    else:  # in topics it is no fragment
        text, _, settings = text.replace("#", "%23").partition("?")
    return urlsplit(text), parse_qsl(settings, keep_blank_values=True)


def _check_open(text: str, of_server: bool) -> None:
    """OptionError: a secret stands where others see it, and not in the variable with which a URL begins."""
    whole = with_first(text)
    (url, _), (_, settings) = _pieces(text, of_server), _pieces(whole, of_server)
    if url.password is not None and not is_variable(url.password):
        raise OptionError(f"a {_seen('password')}")
    for name, value in settings:
        is_seen = whole == text or f"{name}=" in text
        if is_seen and _SECRET.search(name) and not name.endswith(_FORMS) and not is_variable(value):
            raise OptionError(_seen(name))


def _seen(name: str) -> str:
    """What is wrong with a secret, and how it is given instead."""
    instead = f"write ${{VARIABLE}} in its place, or {name}_env=VARIABLE, or {name}_file=FILE"
    return f"{name} in a URL is seen by others; put it into a variable of the environment or a file: {instead}"


def _user(url: SplitResult) -> list[Setting]:
    """Who asks, where that stands before the host."""
    found = [("user", url.username), ("password", url.password)]
    return [(name, unquote(value)) for name, value in found if value]


def _with_variables(url: SplitResult) -> SplitResult:
    """The URL without user, with variables put in, each of which stays in its piece.  OptionError: one does not fit."""
    written = url.netloc.rpartition("@")[2]
    host = expanded(written)
    if host != written and not _HOST.fullmatch(host):
        raise OptionError(f"{written} makes no host")
    path, query = expanded(url.path, quote), expanded(url.query, lambda value: quote(value, ""))
    found = SplitResult(url.scheme, host, path, query, "")
    _check_host(found, written)
    return found


def _check_host(url: SplitResult, written: str) -> None:
    """OptionError: no host can have this name."""
    try:
        (url.hostname or "").encode("idna")
    except UnicodeError:
        raise OptionError(f"{written} is no name of a host") from None


def _shown(text: str, of_server: bool) -> str:
    """A URL without settings, and without what stands before its host: it may be a secret."""
    scheme, sign, rest = (text.partition("#")[0] if of_server else text).partition("?")[0].partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{sign}{host.rpartition('@')[2]}{slash}{path}"


def check_open(text: str) -> None:
    """OptionError: a secret stands in a URL where others see it."""
    try:
        _check_open(text, _is_of_server(text))
    except OptionError as error:
        raise OptionError(f"{_shown(text, _is_of_server(text))}: {error}") from None
    except ValueError:
        return  # who opens it says what is wrong


def _is_of_server(text: str) -> bool:
    """Whether the query of a URL is the server's, by its scheme."""
    return with_first(text).partition("://")[0].rpartition("+")[2] in _OF_SERVERS


def in_folder(text: str, folder: str) -> str:
    """A URL whose settings name their files in a folder, where they have no path from the root."""
    base, sign, settings = text.partition("#" if _is_of_server(text) else "?")
    joined = _FILE.sub(lambda found: found[1] + quote(os.path.join(folder, ""), "/") + found[2], settings)  # noqa: PTH118
    return base + sign + joined
