"""URLs of transports: where they lead, and the settings behind the question mark."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from spaseq.errors import OptionError
from spaseq.streams.timestamps import duration_microseconds, parse_duration
from spaseq.text import did_you_mean

_SECRET = re.compile(r"password|secret|token|\.pem$|^key$", re.IGNORECASE)
_SEEN = (
    "in a URL is seen by others; put it into a variable of the environment and write ?user=NAME&password_env=VARIABLE"
)
COMMON = ("format", "overflow", "retry")  # settings of all transports


@dataclass(frozen=True, slots=True)
class Address:
    """A URL in pieces; ``settings`` are those that were given."""

    url: SplitResult
    settings: dict[str, str]

    @staticmethod
    def of(
        text: str, known: Iterable[str], others: Callable[[str], bool] = lambda _: False, common: Iterable[str] = COMMON
    ) -> Address:
        """The pieces of a URL.

        OptionError: a secret is in it, or a setting that is neither one of ``known`` and ``common`` nor of ``others``.
        """
        try:
            url = urlsplit(text)
        except ValueError as error:
            raise OptionError(f"{_shown(text)}: {error}") from None
        if url.password is not None:
            raise OptionError(f"{_shown(text)}: a password {_SEEN}")
        names, settings = (*known, *common), dict[str, str]()
        for name, value in parse_qsl(url.query, keep_blank_values=True):
            if _SECRET.search(name) and not name.endswith("_env"):
                raise OptionError(f"{_shown(text)}: {name} {_SEEN}")
            if name not in names and not others(name):
                raise OptionError(f"{_shown(text)}: there is no setting {name}; {did_you_mean(name, names)}")
            if name in settings:
                raise OptionError(f"{_shown(text)}: the setting {name} is given twice")
            settings[name] = value
        return Address(url, settings)

    @property
    def port(self) -> int | None:
        """The port, if there is one.  OptionError: it is none."""
        try:
            return self.url.port
        except ValueError as error:
            raise OptionError(f"{self.shown}: {error}") from None

    @property
    def shown(self) -> str:
        """The URL without its settings, as errors have it."""
        return _shown(self.url.geturl())

    @property
    def path(self) -> str:
        """The path without the slash before it, unquoted."""
        return unquote(self.url.path.removeprefix("/"))

    def get(self, name: str, default: str = "") -> str:
        """A setting."""
        return self.settings.get(name, default)

    def choice(self, name: str, values: Iterable[str]) -> str:
        """A setting that is one of these, by default the first.  OptionError: it is another."""
        known = tuple(values)
        found = self.get(name, known[0])
        if found not in known:
            raise OptionError(f"{self.shown}: {name}={found} is none of {', '.join(known)}")
        return found

    def seconds(self, name: str, default: float) -> float:
        """A setting that is a duration, as 30s or 5m.  OptionError: it is none."""
        if name not in self.settings:
            return default
        try:
            return duration_microseconds(parse_duration(self.settings[name])) / 1e6
        except (ValueError, OptionError) as error:
            raise OptionError(f"{self.shown}: {name}={self.settings[name]}: {error}") from None

    def secret(self, name: str) -> str | None:
        """What the variable of the environment has that a setting names.  OptionError: there is no such variable."""
        if name not in self.settings:
            return None
        variable = self.settings[name]
        if variable not in os.environ:
            raise OptionError(f"{self.shown}: {name}={variable}: there is no variable {variable} in the environment")
        return os.environ[variable]


def _shown(text: str) -> str:
    """A URL without settings, and without what stands before its host: it may be a secret."""
    scheme, _, rest = text.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
