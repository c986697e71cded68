"""Run a query over a file and look at what a match holds."""

from itertools import islice
from pathlib import Path

import spaseq

EXAMPLES = Path(__file__).resolve().parent.parent


def main() -> None:
    query = spaseq.parse((EXAMPLES / "stocks" / "v_shape.spaseq").read_text(encoding="utf-8"))
    matches = spaseq.run(query, streams={"stock": EXAMPLES / "streams" / "stocks.nq"})
    for match in islice(matches, 3):
        prices = ", ".join(str(match.bindings[name]) for name in ("p1", "p2", "p3"))
        company = match.bindings["company"].rsplit("/", 1)[1]
        print(f"company {company}: {prices} from {match.first:%S.%f} s to {match.last:%S.%f} s")
        print("  picked", {name: [iri.rsplit("/", 1)[1] for iri in events] for name, events in match.events.items()})
    print(f"and {sum(1 for _ in matches)} more matches")


if __name__ == "__main__":
    main()
