"""Stop in the middle of a stream, keep the engine's state, and go on in another engine as if nothing had happened."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import spaseq

STREAM = "https://example.org/stream/temperature"
QUERY = """
PREFIX ex: <https://example.org/>
SELECT ?room ?cold ?warm
WITHIN 1 HOURS SLIDING
FROM STREAM rooms <https://example.org/stream/temperature>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON rooms { ?room ex:temperature ?cold . FILTER(?cold < 18) }
  DEFINE GPM B ON rooms { ?room ex:temperature ?warm . FILTER(?warm > 21) }
}
"""
READINGS = [("kitchen", 16), ("hall", 19), ("attic", 12), ("kitchen", 22), ("hall", 23), ("attic", 24)]
MORNING = datetime(2026, 1, 1, 7, 0, tzinfo=UTC)


def push(engine: spaseq.Engine, numbers: Iterable[int]) -> list[str]:
    """Push these readings, as N-Triples; gives the matches as text."""
    matches = []
    for number in numbers:
        room, degrees = READINGS[number]
        value = f'"{degrees}"^^<http://www.w3.org/2001/XMLSchema#integer>'
        graph = f"<https://example.org/{room}> <https://example.org/temperature> {value} .".encode()
        matches += engine.push(STREAM, graph, MORNING + timedelta(minutes=5 * number))
    return [f"{match.last:%H:%M} {match.bindings['room']}" for match in matches]


def main() -> None:
    queries = {"warming": spaseq.parse(QUERY)}
    engine = spaseq.Engine()
    engine.register(queries["warming"], name="warming")
    print("before:", push(engine, range(0, 3)))
    state = engine.snapshot()
    print(f"snapshot of {len(state)} bytes")
    restored = spaseq.Engine.restore(state, queries=queries)
    print("after: ", push(restored, range(3, 6)))


if __name__ == "__main__":
    main()
