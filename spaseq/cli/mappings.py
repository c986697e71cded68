"""Streams that come from tables: ``--map NAME_OR_IRI=FILE.map``, and how their CSV is written."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spaseq.cli import sources
from spaseq.errors import OptionError
from spaseq.pattern.sequences import Query
from spaseq.sources.files import TABLE_ENDINGS, ending_of
from spaseq.sources.rdf.files import ENDINGS

if TYPE_CHECKING:
    from spaseq.graphs.mapped import Mapped
    from spaseq.languages.mappings import ParsedMapping
    from spaseq.sources.source import Source


@dataclass(frozen=True, kw_only=True)
class MappingOptions:
    """What a command is asked of tables that are streams."""

    mappings: tuple[str, ...] = ()
    columns: str | None = None
    separator: str | None = None
    nulls: tuple[str, ...] = ()

    def read_mappings(self, queries: Sequence[Query]) -> dict[str, ParsedMapping]:
        """The mappings, by the IRI of their stream.

        OptionError: a stream that no query reads, one with two, a file that cannot be read.  QuerySyntaxError,
        QueryError: it has no mapping.
        """
        paths = sources.by_stream("--map", self.mappings, queries)
        if not paths:
            check_csv_options(self.columns, self.separator, self.nulls)
        return {iri: read_mapping(path) for iri, path in paths.items()}

    def mapped(
        self, paths: Mapping[str, str | Source], mappings: Mapping[str, ParsedMapping]
    ) -> dict[str, str | Source | Mapped]:
        """The streams, of which those with a mapping are tables.  OptionError: --separator, --columns are wrong."""
        if not mappings:
            return dict(paths)
        from spaseq.graphs.mapped import Mapped

        form = sources.csv_format(self.columns, self.separator, self.nulls)
        return {iri: Mapped(path, mappings[iri], csv=form) if iri in mappings else path for iri, path in paths.items()}


def as_line(texts: Sequence[str]) -> str:
    """Texts as a line of CSV; empty if there are none."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(texts)
    return line.getvalue()


def check_csv_options(columns: str | None, separator: str | None, nulls: Sequence[str]) -> None:
    """OptionError: one of them is given, and no table is read."""
    for option, given in (("--columns", columns), ("--separator", separator), ("--null", nulls)):
        if given:
            raise OptionError(f"{option} is about tables: --map says what their rows mean")


def check_tables(paths: Mapping[str, str], mappings: Mapping[str, Any]) -> None:
    """OptionError: a mapping is of a stream without source, or one of RDF."""
    for iri in mappings:
        if iri not in paths:
            raise OptionError(f"--map of <{iri}>: add --stream with the path of its table")
        ending = ending_of(paths[iri])
        if ending in ENDINGS and ending not in TABLE_ENDINGS:
            raise OptionError(f"--stream {paths[iri]}: this is RDF, which is a stream without --map")


def texts_of(mappings: Mapping[str, ParsedMapping]) -> str:
    """What tells whether mappings are the same: a digest of each, by stream."""
    digests = (hashlib.sha256(one.source.text.encode()).hexdigest()[:12] for one in mappings.values())
    return ", ".join(f"<{iri}> {digest}" for iri, digest in zip(mappings, digests, strict=True))


def read_mapping(path: str) -> ParsedMapping:
    """The mapping in a file.  QuerySyntaxError, QueryError; OptionError if it cannot be read."""
    from spaseq.languages.mappings import parse

    return parse(Path(path))
