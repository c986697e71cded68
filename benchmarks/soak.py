"""Resident memory while millions of events go through ``spaseq run``, piped, each with fresh strings and a fresh IRI.

Run: ``python -m benchmarks.soak [events]``; the exit code is 1 if memory grew by more than a tenth after warm-up.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.memory import resident

QUERY = """
PREFIX : <urn:soak:>
SELECT ?user ?note1 ?note2
WITHIN 10 SECONDS SLIDING
FROM STREAM s <urn:soak:stream>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON s { ?session1 :user ?user ; :note ?note1 ; :comment ?comment1 ; :level 1 }
  DEFINE GPM B ON s { ?session2 :user ?user ; :note ?note2 ; :comment ?comment2 ; :level 2 }
}
"""
BLOCK = 1000  # events in one write: 1 ms apart
USERS = 1000
WARM_UP = 700_000  # events until everything that is kept for a while has been renewed once
PROV = "<http://www.w3.org/ns/prov#generatedAtTime>"
LONG = "^^<http://www.w3.org/2001/XMLSchema#long>"
EVENT = (
    f'<urn:soak:event:%(n)d> {PROV} "%(time)d"{LONG} .\n'
    "<urn:soak:session:%(n)d> <urn:soak:user> <urn:soak:user:%(user)d> <urn:soak:event:%(n)d> .\n"
    '<urn:soak:session:%(n)d> <urn:soak:note> "a note nobody wrote before, number %(n)d" <urn:soak:event:%(n)d> .\n'
    '<urn:soak:session:%(n)d> <urn:soak:comment> "and a comment on number %(n)d" <urn:soak:event:%(n)d> .\n'
    '<urn:soak:session:%(n)d> <urn:soak:level> "%(level)d"^^<http://www.w3.org/2001/XMLSchema#integer> '
    "<urn:soak:event:%(n)d> .\n"
)


def blocks(events: int) -> Iterator[bytes]:
    """The stream as N-Quads, a thousand events at a time."""
    for first in range(0, events, BLOCK):
        yield "".join(
            EVENT % {"n": n, "time": n * 1000, "user": n * 7919 % USERS, "level": 1 + n // USERS % 2}
            for n in range(first, min(first + BLOCK, events))
        ).encode()


def main(events: int = 20_000_000) -> int:
    """Print the memory now and then; 0 if after the warm-up it is never more than a tenth above the most until then."""
    sizes: list[float] = []
    step = max(BLOCK, min(WARM_UP, events // 20 // BLOCK * BLOCK))
    with tempfile.TemporaryDirectory() as folder:
        query = Path(folder) / "soak.spaseq"
        query.write_text(QUERY)
        command = [sys.executable, "-m", "spaseq", "run", str(query), "--stream", "s=-", "--count"]
        started = time.monotonic()
        print(f"{events:,} events, each with a fresh IRI and two fresh strings; resident memory in MB")
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stdout is not None
            for number, block in enumerate(blocks(events), 1):
                process.stdin.write(block)
                if number * BLOCK % step == 0:
                    sizes.append(resident(process.pid))
                    print(f"  {number * BLOCK:>12,} {sizes[-1]:8.1f}  {time.monotonic() - started:6.0f} s", flush=True)
            process.stdin.close()
            matches = process.stdout.read().decode().strip()
    warm = max(1, min(WARM_UP // step, len(sizes) - 1))
    growth = max(sizes[warm:]) / max(sizes[:warm])
    print(f"  matches {matches}; most after {warm * step:,} events / most until then: {growth:.3f}")
    return int(growth > 1.1)


if __name__ == "__main__":
    sys.exit(main(*(int(one) for one in sys.argv[1:])))
