"""``--spool DIR``: what cannot be read again is kept until a checkpoint has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from spaseq.errors import OptionError
from spaseq.sources.files import may_fall_silent
from spaseq.sources.source import is_url

if TYPE_CHECKING:
    from spaseq.sources.transports.spool import Spool, SpooledBytes

AnySpool: TypeAlias = "Spool | SpooledBytes"
ONLY = "events"  # what a stream is called that has no name


def check_spool(folder: Path | None, checkpoint: Path | None) -> None:
    """OptionError: a spool without a checkpoint, which says what is not needed any more."""
    if folder is not None and checkpoint is None:
        raise OptionError("--spool keeps what comes until the checkpoint has it: add --checkpoint FILE")


def opened(
    ctx: click.Context, folder: Path | None, paths: Mapping[str, Sequence[str]], follow: bool
) -> dict[str, AnySpool]:
    """The sources that cannot be read again, by way of the spool, by stream; ``paths`` are those of each stream.

    OptionError: a URL makes no sense, the folder cannot be used, or another run uses it.
    """
    if folder is None or not any(map(_comes, paths.values())):
        return {}
    from spaseq.sources.transports.spool import spooled

    found: dict[str, AnySpool] = {}
    for stream, names in paths.items():
        if _comes(names) and (source := spooled(names[0], stream or ONLY, folder, follow)) is not None:
            ctx.call_on_close(source.close)
            found[stream] = source
    return found


def read_again(stream: str, path: str, spools: Mapping[str, AnySpool]) -> bool:
    """Whether a run that goes on reads a stream from its beginning."""
    spool = spools.get(stream)
    return not is_url(path) if spool is None else not spool.comes_in_messages


def _comes(names: Sequence[str]) -> bool:
    """Whether a stream is one source that is no file."""
    return len(names) == 1 and (names[0] == "-" or may_fall_silent(names[0]))
