"""Two queries run together: the first derives a stream of price drops, the second looks for patterns in it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import spaseq
from spaseq.datasets import workloads

EXAMPLES = Path(__file__).resolve().parent.parent


def main() -> None:
    queries = {
        name: spaseq.parse((EXAMPLES / "stocks" / f"{name}.spaseq").read_text(encoding="utf-8"))
        for name in ("drops", "falling_market")
    }
    with TemporaryDirectory() as folder:
        files = workloads()["stocks"].write(Path(folder), events=3_000, seed=5)
        matches = list(spaseq.run(queries, streams={"stock": files["stock"]}))
    falling = [match for match in matches if match.query == "falling_market"]
    for match in falling[:5]:
        companies = [match.bindings[name] for name in ("company1", "company2", "company3")]
        names = ", ".join(company.rsplit("/", 1)[1] for company in companies)
        print(f"{match.last:%H:%M:%S.%f} {match.bindings['exchange'].rsplit('/', 1)[1]}: companies {names} fall")
    print(f"{len(matches) - len(falling)} drops, {len(falling)} falling markets")


if __name__ == "__main__":
    main()
