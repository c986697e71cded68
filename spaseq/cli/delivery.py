"""What a checkpoint says of results that go to a sink: how many have left, and those that leave once it is written."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping

from spaseq.errors import SnapshotError
from spaseq.runtime.snapshot.validation import COUNT, Shape, misfits
from spaseq.sinks.outbox import Delivered

_SHAPE: Shape = {"run": str, "results": COUNT, "lengths": [COUNT], "mark": str}


def begun() -> Delivered:
    """That of a run without a checkpoint, whose name nobody has."""
    return Delivered(secrets.token_hex(8))


def written(delivered: Delivered) -> tuple[dict[str, str], bytes]:
    """What stands in the header of a checkpoint, and its section of results."""
    lengths = [len(one) for one in delivered.waiting]
    said = {"run": delivered.run, "results": delivered.results, "lengths": lengths, "mark": delivered.mark}
    return {"json": json.dumps(said)}, b"".join(delivered.waiting)


def read(header: Mapping[str, str], section: bytes) -> Delivered | None:
    """What was ``written``; None: nothing.  SnapshotError: it is damaged."""
    if not header:
        return None
    try:
        said = json.loads(header["json"])
    except (KeyError, ValueError) as error:
        raise SnapshotError(f"what was delivered is damaged: {error}") from None
    for problem in misfits(said, _SHAPE, "delivered"):
        raise SnapshotError(f"what was delivered is damaged: {problem}")
    if sum(said["lengths"]) != len(section):
        raise SnapshotError("what was delivered is damaged: results are missing")
    waiting, place = list[bytes](), 0
    for length in said["lengths"]:
        waiting.append(section[place : place + length])
        place += length
    return Delivered(said["run"], said["results"], tuple(waiting), said["mark"])
