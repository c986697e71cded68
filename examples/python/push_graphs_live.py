"""Push rdflib graphs into an engine as they come, with background knowledge, and be called for every match."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import rdflib

import spaseq

GRID = rdflib.Namespace("https://spaseq.org/ontology/smartgrid#")
HOME = rdflib.Namespace("https://example.org/home/")
POWER = "https://example.org/stream/power"

QUERY = """
PREFIX grid: <https://spaseq.org/ontology/smartgrid#>
SELECT ?household ?street ?load1 ?load2
WITHIN 10 MINUTES SLIDING
FROM STREAM power <https://example.org/stream/power>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON power { ?r1 grid:household ?household ; grid:load ?load1 . }
  DEFINE GPM B ON power {
    ?r2 grid:household ?household ; grid:load ?load2 .
    GRAPH <https://example.org/streets> { ?household grid:place ?street }
    FILTER(?load2 >= ?load1 * 2)
  }
}
"""


def streets() -> rdflib.Graph:
    """The background knowledge: who lives where."""
    graph = rdflib.Graph()
    for household, street in (("anna", "Elm Street"), ("ben", "Mill Lane")):
        graph.add((HOME[household], GRID.place, rdflib.Literal(street)))
    return graph


def reading(household: str, load: str) -> rdflib.Graph:
    """One event: a household's load in kilowatts."""
    graph, node = rdflib.Graph(), rdflib.BNode()
    graph.add((node, GRID.household, HOME[household]))
    graph.add((node, GRID.load, rdflib.Literal(Decimal(load))))
    return graph


def alarm(match: spaseq.Match) -> None:
    values = match.bindings
    print(f"{match.last:%H:%M} {values['street']}: {values['load1']} kW -> {values['load2']} kW")


def main() -> None:
    engine = spaseq.Engine(background={"https://example.org/streets": streets()})
    engine.register(spaseq.parse(QUERY), name="doubled", on_match=alarm)
    noon = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
    loads = [("anna", "1.0"), ("ben", "2.0"), ("anna", "1.5"), ("ben", "4.5"), ("anna", "2.5"), ("carol", "9.0")]
    for minute, (household, load) in enumerate(loads):
        engine.push(POWER, reading(household, load), noon + timedelta(minutes=minute))
    engine.close()  # the end of the input: everything still open is decided


if __name__ == "__main__":
    main()
