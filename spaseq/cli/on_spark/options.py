"""The options of ``spaseq spark``, and which of them go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from spaseq.cli.checkpoint import check_format, check_without
from spaseq.cli.on_spark.checkpoint import Kept, read_kept
from spaseq.errors import OptionError
from spaseq.results.formats import WRITERS
from spaseq.streams.timestamps import duration_microseconds

SAME = (  # options of which a run that goes on must have those of before
    "lateness", "late", "output", "on_error", "entail", "time_properties", "time_unit", "format", "buckets", "whole",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """What the user wants, by the names of the options."""

    streams: tuple[str, ...]
    background: tuple[str, ...]
    entail: tuple[str, ...]
    format: str | None
    output: Path | None
    times: bool
    declared: tuple[str, ...]
    lateness: timedelta
    late: Path | None
    follow: bool
    checkpoint: Path | None
    checkpoint_every: timedelta
    limit: int | None
    count: bool
    stats: bool
    on_error: str
    time_properties: tuple[str, ...]
    time_unit: str
    master: str
    settings: tuple[str, ...]
    buckets: int | None
    whole: tuple[str, ...]
    quiet: bool
    strict: bool

    @property
    def is_unbounded(self) -> bool:
        """Whether it is a job in batches."""
        return self.follow or self.checkpoint is not None

    @property
    def is_local(self) -> bool:
        """Whether workers are of this machine, and what they write comes here."""
        return self.master.startswith("local")

    @property
    def delay(self) -> int:
        """The lateness in microseconds."""
        return duration_microseconds(self.lateness)

    def check(self) -> None:
        """OptionError: some do not go together."""
        if self.checkpoint is not None:
            without = {"--limit": self.limit is not None, "--count": self.count, "--times": self.times}
            check_without({**without, "--declare": bool(self.declared)})
            check_format(self.format or "jsonl", WRITERS)
        elif self.late is not None and not self.follow:
            raise OptionError("--late goes with --checkpoint or --follow: without, all is put in order first")
        if self.strict and not self.is_local:
            raise OptionError("--strict needs a local master: on a cluster, workers write what they drop to their logs")

    def kept(self, sources: Mapping[str, str]) -> Kept | None:
        """What the folder of --checkpoint says; None: the run begins, or has none.  OptionError: options differ."""
        return None if self.checkpoint is None else read_kept(self.checkpoint, self.same(sources))

    def same(self, sources: Mapping[str, str]) -> dict[str, str]:
        """What has to be equal for a run to go on."""
        options = {f"--{name.replace('_', '-')}": str(getattr(self, name)) for name in SAME}
        return options | {f"the files of <{iri}>": path for iri, path in sources.items()}

    def reading(self) -> dict[str, str]:
        """The options of ``rdfstream``."""
        properties = ",".join(one.removeprefix("<").removesuffix(">") for one in self.time_properties)
        found = {"timeUnit": self.time_unit, "onError": self.on_error}
        return found | ({"timeProperty": properties} if properties else {})

    def spark_settings(self) -> dict[str, str]:
        """What --conf has.  OptionError: it is written otherwise."""
        found = {}
        for one in self.settings:
            key, sign, value = one.partition("=")
            if not (sign and key.startswith("spark.")):
                raise OptionError(f"--conf {one}: write KEY=VALUE, as in spark.driver.memory=4g")
            found[key] = value
        return found
