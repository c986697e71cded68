"""What is read for which query: ``--stream NAME_OR_IRI=PATH``, ``--kb IRI=PATH`` and ``--events [STREAM=]PATH``."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpm.algebra import Graph
from gpm.rewrite import walk
from spaseq.errors import OptionError
from spaseq.pattern.sequences import Construction, Query
from spaseq.sources.files import table_files
from spaseq.sources.rdf.files import expand
from spaseq.sources.source import is_url
from spaseq.text import did_you_mean

if TYPE_CHECKING:
    from spaseq.tuples import CsvFormat


def stream_sources(options: Sequence[str], queries: Sequence[Query], mapped: Collection[str] = ()) -> dict[str, str]:
    """Paths by the IRI of their stream; of the streams ``mapped`` they are those of tables.

    OptionError: a stream that no query reads, one without source or with two, a missing file, standard input twice.
    """
    sources = by_stream("--stream", options, queries)
    for iri, path in sources.items():
        _check_exists(path, iri in mapped)
    if list(sources.values()).count("-") > 1:
        raise OptionError("only one --stream can read standard input")
    _check_all_have_a_source(sources, queries)
    return sources


def by_stream(option: str, given: Sequence[str], queries: Sequence[Query]) -> dict[str, str]:
    """Paths by the IRI of their stream.  OptionError: no query reads a stream, or one has two."""
    iris = _iris_by_name(queries)
    sources: dict[str, str] = {}
    for one in given:
        name, path = _split(option, one, iris)
        iri = _stream(option, name, iris)
        if iri in sources:
            more = "; a folder or a glob gives it several files" if option == "--stream" else ""
            raise OptionError(f"{option} names the stream <{iri}> twice{more}")
        sources[iri] = path
    return sources


def background_sources(options: Sequence[str], queries: Sequence[Query] = ()) -> dict[str, str]:
    """Paths by the IRI of their graph.  OptionError: a missing file, an IRI twice."""
    sources: dict[str, str] = {}
    for option in options:
        iri, path = _split("--kb", option, _read_graphs(queries))
        if iri in sources:
            raise OptionError(f"--kb names the graph <{iri}> twice")
        if not _exists(path):
            raise OptionError(f"--kb {option}: no such file")
        if Path(path).is_dir():
            raise OptionError(f"--kb {option}: a directory")
        sources[iri] = path
    return sources


def entailed_graphs(options: Sequence[str]) -> str | list[str]:
    """The IRIs of ``--entail rdfs=IRI``; ``rdfs`` if it is given without IRI.  OptionError: another entailment."""
    for option in options:
        if option.partition("=")[0] != "rdfs":
            raise OptionError(f'--entail takes rdfs or rdfs=IRI, not "{option}"')
    if "rdfs" in options:
        return "rdfs"
    return [option.partition("=")[2].removeprefix("<").removesuffix(">") for option in options]


def background_warnings(
    sources: Mapping[str, str], queries: Sequence[Query], entailed: str | Sequence[str]
) -> list[str]:
    """Graphs that are read but not given, and graphs that are given but neither read nor ontologies."""
    read = _read_graphs(queries)
    missing = [f"no --kb gives GRAPH <{iri}>, so it is empty" for iri in sorted(read - sources.keys())]
    if entailed == "rdfs":
        return missing if sources else [*missing, "--entail rdfs has no effect: no --kb gives an ontology"]
    unused = sorted(sources.keys() - read - set(entailed))
    return missing + [f"no query reads the --kb graph <{iri}>" for iri in unused]


def _read_graphs(queries: Sequence[Query]) -> set[str]:
    """The IRIs of ``GRAPH <iri>``."""
    return {part.name.value for query in queries for part in walk(query.atoms) if isinstance(part, Graph)}


def _iris_by_name(queries: Sequence[Query]) -> dict[str, set[str]]:
    """What a name on the command line can mean: a stream's IRI, or a short name of it in some query."""
    iris: dict[str, set[str]] = {}
    for query in queries:
        for stream in query.streams:
            iris.setdefault(stream.iri, {stream.iri})
            iris.setdefault(stream.name, set()).add(stream.iri)
    return iris


def _split(option: str, text: str, known: Collection[str]) -> tuple[str, str]:
    """Name and path, where both may hold further ``=``: a known name counts most, then a path that exists."""
    splits = list(_splits(text))
    if not splits:
        raise OptionError(f"{option} {text}: write {_written(option, text, known)}")
    for name, path in splits:
        if name in known:
            return name, path
    return next(((name, path) for name, path in splits if _exists(path)), splits[0])


def _written(option: str, text: str, known: Collection[str]) -> str:
    """How an option is written whose name or path is missing."""
    what = "IRI" if option == "--kb" else "NAME"
    names = [name for name in sorted(known) if option == "--kb" or ":" not in name]
    form = f"{option} {what}=PATH"
    return f"{form}, as in {option} {names[0]}={text}" if names and "=" not in text else form


def _splits(text: str) -> Iterator[tuple[str, str]]:
    for place, character in enumerate(text):
        if character == "=" and text[:place] and text[place + 1 :]:
            yield text[:place].removeprefix("<").removesuffix(">"), text[place + 1 :]


def _stream(option: str, name: str, iris: Mapping[str, set[str]]) -> str:
    meant = iris.get(name)
    if meant is None:
        raise OptionError(f"{option} {name}=…: no query reads a stream of this name; {did_you_mean(name, iris)}")
    if len(meant) > 1:
        listed = ", ".join(f"<{iri}>" for iri in sorted(meant))
        raise OptionError(f"{option} {name}=…: the queries mean different streams ({listed}); use the IRI")
    return next(iter(meant))


def files_at(path: str, is_table: bool) -> list[str]:
    """The files that a path means.  StreamError: none."""
    return table_files(path) if is_table else expand(path)


def _check_exists(path: str, is_table: bool) -> None:
    for file in files_at(path, is_table):
        if file != "-" and not (is_url(file) or _exists(file)):
            raise OptionError(f"--stream: no such file: {file}")


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # a name that no file can have
        return False


def _check_all_have_a_source(sources: Mapping[str, object], queries: Sequence[Query]) -> None:
    derived = {query.form.into for query in queries if isinstance(query.form, Construction)}
    for query in queries:
        for stream in query.streams:
            if stream.iri not in sources and stream.iri not in derived:
                raise OptionError(
                    f"nothing supplies the stream {stream.name} <{stream.iri}> of {query.name}; "
                    f"add --stream {stream.name}=PATH"
                )


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
    if is_url(option):
        return True
    name, sign, path = option.partition("=")
    if not sign or name in streams:
        return not sign
    return Path(option).exists() or not Path(path).exists()


def csv_format(columns: str | None, separator: str | None, nulls: Sequence[str]) -> CsvFormat:
    """How CSV is written; OptionError for a separator of several characters, and for columns without a name."""
    from spaseq.tuples import CsvFormat

    delimiter = {None: ",", "tab": "\t"}.get(separator, separator or "")
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"--separator {separator}: write one character, or tab")
    names = None if columns is None else tuple(name.strip() for name in next(csv.reader([columns]), []))
    if names is not None and not all(names):
        raise OptionError(f"--columns {columns}: write the names of all columns, as in type,time,price")
    return CsvFormat(delimiter, names, tuple(nulls) or ("",))
