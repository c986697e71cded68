"""``--events [STREAM=]PATH``: the tables that a query in CEQL reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spaseq.errors import OptionError


def event_sources(options: Sequence[str], streams: Sequence[str]) -> str | dict[str, str]:
    """The one path, or paths by the names of streams; ``streams`` are those of FROM.

    OptionError: several paths without a name, a name twice.
    """
    if len(options) == 1 and _is_path(options[0], streams):
        return options[0]
    sources: dict[str, str] = {}
    for option in options:
        name, sign, path = option.partition("=")
        if not (sign and name and path):
            raise OptionError(f"--events {option}: of several streams, write --events STREAM=PATH for each")
        if name in sources:
            raise OptionError(f"--events names the stream {name} twice")
        sources[name] = path
    return sources


def _is_path(option: str, streams: Sequence[str]) -> bool:
    """Whether there is no name of a stream before it: one of FROM counts most, then a file that exists."""
    name, sign, path = option.partition("=")
    if not sign or name in streams:
        return not sign
    return Path(option).exists() or not Path(path).exists()
