"""The options of reading, as Spark gives them: texts whose names may have letters of any case."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from spaseq.errors import OptionError
from spaseq.graphs.mapped import Mapped, parsed_mapping
from spaseq.results.formats import RESUMABLE
from spaseq.sources.files import table_files
from spaseq.sources.rdf.files import expand
from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions
from spaseq.sources.source import is_url
from spaseq.streams.timestamps import UNITS
from spaseq.text import did_you_mean

if TYPE_CHECKING:
    from spaseq.languages.mappings import ParsedMapping
    from spaseq.sources.tables.source import CsvFormat

PARTITION_BYTES = 64 << 20
NAMES = (
    "path", "paths", "stream", "timeProperty", "timeUnit", "onError", "cut", "partitionBytes", "follow",
    "maxFilesPerTrigger", "maxBytesPerTrigger", "mapping", "columns", "separator", "nulls",
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
    at most ``most_files`` and ``most_bytes`` (None: all), but always something.  With a ``mapping`` files are tables,
    and ``csv`` says how their CSV is written.
    """

    paths: tuple[str, ...]
    stream: str
    wire: WireOptions
    cut: bool = True
    partition_bytes: int = PARTITION_BYTES
    follow: bool = False
    most_files: int | None = None
    most_bytes: int | None = None
    mapping: ParsedMapping | None = None
    csv: CsvFormat | None = None

    def files(self, path: str) -> list[str]:
        """The files that a path means.  StreamError: none."""
        return expand(path) if self.mapping is None else table_files(path)

    def table(self, path: str) -> Mapped | None:
        """A file as a table that is mapped; None: it is RDF."""
        return None if self.mapping is None else Mapped(path, self.mapping, csv=self.csv)


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
    """The options of a data frame that is read; OptionError: one is unknown or missing, or has another value.

    QuerySyntaxError, QueryError: the file of the mapping has none.
    """
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
        parsed_mapping(Path(local_path(texts["mapping"]))) if texts.get("mapping") else None,
        _csv(texts),
    )
    if options.most_files and options.most_bytes:
        raise OptionError("maxFilesPerTrigger and maxBytesPerTrigger do not go together")
    if options.follow and options.most_files:
        raise OptionError("a microbatch of files that grow is bounded by maxBytesPerTrigger, not by maxFilesPerTrigger")
    if options.mapping is None and options.csv is not None:
        raise OptionError("columns, separator and nulls are about tables: mapping says what their rows mean")
    if options.follow and options.mapping is not None:
        raise OptionError("only files of N-Quads can be followed as they grow: tables are read when they are complete")
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


def _csv(texts: Texts) -> CsvFormat | None:
    """How CSV is written; None: nothing is said."""
    if not any(texts.get(name) for name in ("columns", "separator", "nulls")):
        return None
    from spaseq.sources.tables.source import CsvFormat

    separator, columns = texts.get("separator", ","), _listed(texts, "columns")
    names = None if columns is None else tuple(map(str.strip, columns))
    return CsvFormat("\t" if separator == "tab" else separator, names, _listed(texts, "nulls") or ("",))


def _listed(texts: Texts, name: str) -> tuple[str, ...] | None:
    """What is written as a line of CSV; None: nothing."""
    return tuple(next(csv.reader([texts[name]]), [])) if texts.get(name) else None


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
