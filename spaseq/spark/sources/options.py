"""The options of reading, as Spark gives them: texts whose names may have letters of any case."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from spaseq.errors import OptionError
from spaseq.results.formats import RESUMABLE
from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions
from spaseq.sources.source import is_url
from spaseq.streams.timestamps import UNITS
from spaseq.text import did_you_mean

PARTITION_BYTES = 64 << 20
NAMES = (
    "path", "paths", "stream", "timeProperty", "timeUnit", "onError", "cut", "partitionBytes", "follow",
    "maxFilesPerTrigger", "maxBytesPerTrigger",
)  # fmt: skip
WRITE_NAMES = ("path", "format", "several", "checkpointLocation", "queryName")
_SIZE = re.compile(r"(\d{1,15})([kmgt]?)b?", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What is read how: ``paths`` as events of ``stream`` (name or IRI).

    Files that may be ``cut`` are, into parts of about ``partition_bytes``.  ``follow``: they grow.  A microbatch reads
    at most ``most_files`` and ``most_bytes`` (None: all), but always something.
    """

    paths: tuple[str, ...]
    stream: str
    wire: WireOptions
    cut: bool = True
    partition_bytes: int = PARTITION_BYTES
    follow: bool = False
    most_files: int | None = None
    most_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The folder ``path`` gets files in a ``format``; results of ``several`` queries have their names in jsonl."""

    path: str
    format: str
    several: bool


def write_options(given: Texts) -> WriteOptions:
    """The options of a data frame that is written; errors as of ``read_options``."""
    texts = known_options(given, WRITE_NAMES)
    path = local_path(_required(texts, "path", "the folder that is written into"))
    return WriteOptions(path, choice(texts, "format", RESUMABLE), _flag(texts, "several", True))


def read_options(given: Texts) -> ReadOptions:
    """The options of a data frame that is read; OptionError: one is unknown or missing, or has another value."""
    texts = known_options(given, NAMES)
    options = ReadOptions(
        _paths(texts),
        _required(texts, "stream", "the name or IRI under which queries read it"),
        _wire(texts),
        _flag(texts, "cut", True),
        _size(texts, "partitionBytes") or PARTITION_BYTES,
        _flag(texts, "follow", False),
        _size(texts, "maxFilesPerTrigger"),
        _size(texts, "maxBytesPerTrigger"),
    )
    if options.most_files and options.most_bytes:
        raise OptionError("maxFilesPerTrigger and maxBytesPerTrigger do not go together")
    if options.follow and options.most_files:
        raise OptionError("a microbatch of files that grow is bounded by maxBytesPerTrigger, not by maxFilesPerTrigger")
    if options.follow and not options.cut:
        raise OptionError("follow reads files part by part, so it does not go together with cut=false")
    return options


def known_options(given: Texts, names: tuple[str, ...]) -> dict[str, str]:
    """The options by their names as they are written in ``names``; OptionError: there is another one."""
    written = {name.lower(): name for name in names}
    for name in given:
        if name.lower() not in written:
            raise OptionError(f"rdfstream has no option {name:.80}; {did_you_mean(name, names)}")
    return {written[name.lower()]: text for name, text in given.items()}


def choice(texts: Texts, name: str, values: tuple[str, ...]) -> str:
    """One of ``values``, by default the first; OptionError: it is another."""
    value = texts.get(name, values[0])
    if value.lower() not in values:
        raise OptionError(f"{name} is {' or '.join(values)}, not {value:.80}")
    return value.lower()


def local_path(path: str) -> str:
    """A path of this machine, or what a source reads; OptionError: it is one of another file system."""
    if not _SCHEME.match(path) or is_url(path):
        return path
    parts = urlsplit(path)
    if parts.scheme.lower() != "file" or parts.netloc not in ("", "localhost"):
        raise OptionError(f"{path:.200}: rdfstream knows files that driver and executors see under the same path alone")
    return unquote(parts.path)


def _paths(texts: Texts) -> tuple[str, ...]:
    several = json.loads(texts.get("paths", "[]"))
    found = tuple(map(local_path, [texts["path"]] if "path" in texts else several))
    if not found:
        raise OptionError('there is no path: .load("readings.nq")')
    if "-" in found:
        raise OptionError("Spark does not read standard input")
    return found


def _required(texts: Texts, name: str, what: str) -> str:
    if not texts.get(name):
        raise OptionError(f"the option {name} is missing: {what}")
    return texts[name]


def _wire(texts: Texts) -> WireOptions:
    properties = tuple(filter(None, map(str.strip, texts.get("timeProperty", "").split(","))))
    unit = UNITS[choice(texts, "timeUnit", tuple(UNITS))]
    return WireOptions(properties or TIME_PROPERTIES, unit, choice(texts, "onError", ("stop", "skip")) == "skip")


def _flag(texts: Texts, name: str, default: bool) -> bool:
    values = ("true", "false") if default else ("false", "true")
    return choice(texts, name, values) == "true"


def _size(texts: Texts, name: str) -> int | None:
    if name not in texts:
        return None
    found = _SIZE.fullmatch(texts[name].strip())
    size = int(found[1]) * _FACTORS[found[2].lower()] if found else 0
    if not size:
        raise OptionError(f"{name} is a number from 1 on, maybe with k, m, g or t, not {texts[name]:.80}")
    return size
