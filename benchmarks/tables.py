"""Events from tables beside the same events from N-Quads: encoded, run, pushed, and written as N-Quads.

Stock quotes: six triples of five columns, of which the V shape uses two; subjects are fresh.  CPU time of one process;
the ratios are what counts, to the line above that says so.

Run: ``python -m benchmarks.tables [events]`` (``make bench-tables``).
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet

import spaseq
from benchmarks.timing import Job, Preparation, interleaved
from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.conversion import converted, write_in_order
from spaseq.graphs.graph_run import Run
from spaseq.graphs.mapped import Mapped
from spaseq.languages.mappings import parse
from spaseq.sources.mapped.source import MappedReading
from spaseq.sources.rdf.files import read_source
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.tables.opening import open_source

STREAM = "https://spaseq.org/stream/stock"
DATA, STOCK, XSD = (
    "https://spaseq.org/data/stock/",
    "https://spaseq.org/ontology/stock#",
    "http://www.w3.org/2001/XMLSchema#",
)
MAPPING = f"""PREFIX stock: <{STOCK}>
PREFIX xsd: <{XSD}>
BASE <{DATA}>
EVENT <quote/{{?quote}}> AT ?time
CONSTRUCT {{ <quote/{{?quote}}> a stock:Quote ; stock:company <company/{{?company}}> ; stock:price ?p ;
  stock:volume ?volume ; stock:number ?quote ; stock:name ?company }}
WHERE {{ BIND(xsd:decimal(?price) AS ?p) }}
"""
PROV = "http://www.w3.org/ns/prov#"
V_SHAPE = (Path(__file__).resolve().parent.parent / "examples" / "stocks" / "v_shape.spaseq").read_text()
NAMES = ("quote", "time", "company", "price", "volume")
_LINE = '{{"quote": {quote}, "time": "{time}", "company": "{company}", "price": {price}, "volume": {volume}}}\n'
PUSHED = 10_000


def quotes(count: int) -> pyarrow.Table:
    """100 companies in turn, a quote every 10 ms, prices that walk at random."""
    walks = np.cumsum(np.random.default_rng(1).integers(-50, 51, count)) % 10_000 + 1_000
    prices = pyarrow.array(walks).cast(pyarrow.decimal128(19, 0)).cast(pyarrow.decimal128(12, 2))
    hundredth = pyarrow.compute.multiply(prices, pyarrow.scalar(1, pyarrow.decimal128(1, 0)))
    numbers = np.arange(count)
    return pyarrow.table({
        "quote": numbers, "time": pyarrow.array(1_767_225_600_000_000 + numbers * 10_000, pyarrow.timestamp("us")),
        "company": pyarrow.array((numbers % 100).astype(str)), "price": hundredth.cast(pyarrow.decimal128(14, 2)),
        "volume": numbers % 1_000,
    })  # fmt: skip


class Files:
    """The same events as N-Quads, CSV and Parquet, and beside them columns that nobody uses."""

    def __init__(self, folder: Path, count: int) -> None:
        self.table = quotes(count)
        endings = ("csv", "parquet", "nq", "jsonl")
        self.csv, self.parquet, self.nquads, self.lines = (str(folder / f"quotes.{ending}") for ending in endings)
        pyarrow.csv.write_csv(self.table, self.csv)
        pyarrow.parquet.write_table(self.table, self.parquet)
        texts = [self.table[name].cast(pyarrow.string()).to_pylist() for name in NAMES]
        rows = (dict(zip(NAMES, row, strict=True)) for row in zip(*texts, strict=True))
        Path(self.lines).write_text("".join(map(_LINE.format_map, rows)))
        more = {f"c{number}": self.table["volume"] for number in range(36)}
        self.wide = str(folder / "wide.parquet")
        pyarrow.parquet.write_table(
            pyarrow.table({**dict(zip(self.table.column_names, self.table, strict=True)), **more}), self.wide
        )
        self.folder = folder
        write_in_order(
            converted(Mapped(self.table, MAPPING), STREAM, WireOptions(), WireReport()), Path(self.nquads), 1 << 30
        )


def encoder(every: bool) -> Encoder:
    """Of an engine with the V shape, or of one that uses all triples."""
    if not every:
        engine = spaseq.Engine()
        engine.register(V_SHAPE)
        return engine.encoder.apart()
    found = Encoder(Terms())
    found.want([(0, 0, 0)])
    return found


def encoded_lines(path: str, every: bool) -> Preparation:
    """Reading N-Quads to encoded events."""

    def prepare() -> Job:
        of = encoder(every)
        return lambda: sum(map(len, read_source(path, STREAM, WireOptions(), WireReport(), of)))

    return prepare


def encoded_columns(table: pyarrow.Table, every: bool) -> Preparation:
    """Columns in memory to encoded events."""

    def prepare() -> Job:
        reading = MappedReading(parse(MAPPING).mapping, open_source(table), encoder(every))
        return lambda: sum(len(made.row) for made in reading.made())

    return prepare


def matches(source: Any, mapping: str | None = None) -> Preparation:
    """A run of the V shape, whose matches are counted."""

    def prepare() -> Job:
        stream = source if mapping is None else Mapped(source, mapping)
        run = Run(V_SHAPE, {"stock": stream}, count_only=True)

        def job() -> int:
            for _ in run.tables():
                pass
            return sum(run.counts().values())

        return job

    return prepare


def wide_mapping() -> str:
    """One with forty columns, of which the V shape uses three."""
    more = "".join(f" ; stock:c{number} ?c{number}" for number in range(36))
    return MAPPING.replace("stock:name ?company }", f"stock:name ?company{more} }}")


def pushed(take: Callable[[spaseq.Engine], object]) -> Preparation:
    """Something given to a new engine with the V shape."""

    def prepare() -> Job:
        engine = spaseq.Engine()
        engine.register(V_SHAPE)
        return lambda: take(engine)

    return prepare


def by_f_strings(source: str, target: str) -> None:
    """The converter that people write by hand."""
    rdf_type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    with Path(source).open(encoding="utf-8") as rows, Path(target).open("w", encoding="utf-8") as lines:
        for row in csv.DictReader(rows):
            quote = f"<{DATA}quote/{row['quote']}>"
            end = f" {quote} .\n"
            lines.write(
                f'{quote} <{PROV}generatedAtTime> "{row["time"].replace(" ", "T")}Z"^^<{XSD}dateTime> .\n'
                f"{quote} <{rdf_type}> <{STOCK}Quote>{end}"
                f"{quote} <{STOCK}company> <{DATA}company/{row['company']}>{end}"
                f'{quote} <{STOCK}price> "{row["price"]}"^^<{XSD}decimal>{end}'
                f'{quote} <{STOCK}volume> "{row["volume"]}"^^<{XSD}integer>{end}'
                f'{quote} <{STOCK}number> "{row["quote"]}"^^<{XSD}integer>{end}'
                f'{quote} <{STOCK}name> "{row["company"]}"{end}'
            )


def told(title: str, seconds: Mapping[str, float], base: str, count: int) -> None:
    """Microseconds an event, and the ratio to one of the lines."""
    print(f"\n{title}")
    for name, one in seconds.items():
        ratio = "" if name == base else f"{one / seconds[base]:8.2f} of the {base}"
        print(f"  {name:34}{one / count * 1e6:9.2f} µs an event{ratio}")


def main() -> None:
    """Print all figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400_000
    with tempfile.TemporaryDirectory() as folder:
        files = Files(Path(folder), count)
        numbers = {name: matches(*source)()() for name, source in sources(files).items()}
        assert len(set(numbers.values())) == 1, numbers
        print(f"{count:,} events, {numbers['N-Quads']:,} matches of each source")
        table = files.table.combine_chunks()
        for title, every in (("Encoded, two triples used", False), ("Encoded, six triples used", True)):
            jobs = {"N-Quads": encoded_lines(files.nquads, every), "columns": encoded_columns(table, every)}
            told(title, interleaved(jobs), "N-Quads", count)
        told("Run", interleaved({name: matches(*one) for name, one in sources(files).items()}), "N-Quads", count)
        wide = {"5 columns": matches(files.parquet, MAPPING), "41 columns": matches(files.wide, wide_mapping())}
        told("Run, three columns used", interleaved(wide), "5 columns", count)
        told("Pushed", interleaved(pushes(files)), "quads, a batch", PUSHED)
        output = Path(folder) / "out.nq"
        written = {
            "f-strings": lambda: lambda: by_f_strings(files.csv, str(output)),
            "convert": lambda: lambda: write_in_order(
                converted(Mapped(files.csv, MAPPING), STREAM, WireOptions(), WireReport()), output, 1 << 28
            ),
        }  # fmt: skip
        told("CSV to N-Quads", interleaved(written), "f-strings", count)


def sources(files: Files) -> dict[str, tuple[Any, ...]]:
    """The arguments of ``matches``."""
    tables = {"CSV": files.csv, "JSON lines": files.lines, "Parquet": files.parquet}
    return {"N-Quads": (files.nquads,)} | {name: (path, MAPPING) for name, path in tables.items()}


def pushes(files: Files) -> dict[str, Preparation]:
    """Some events, as quads, as a frame, and one by one."""
    table, mapping = files.table.slice(0, PUSHED), parse(MAPPING)
    rows = table.to_pylist()
    frame = table.to_pandas().astype({"price": float})
    with Path(files.nquads).open("rb") as file:
        lines = [next(file) for _ in range(7 * PUSHED)]
    graphs = [b"".join(lines[7 * one + 1 : 7 * one + 7]) for one in range(PUSHED)]
    times = [1_767_225_600_000_000 + 10_000 * one for one in range(PUSHED)]
    quads = [(time, list(spaseq_quads(graph))) for time, graph in zip(times, graphs, strict=True)]

    def singles(engine: spaseq.Engine) -> None:
        for row in rows:
            engine.push_rows("stock", [row], mapping)

    def pushed_bytes(engine: spaseq.Engine) -> None:
        for time, graph in zip(times, graphs, strict=True):
            engine.push("stock", graph, time, f"{DATA}quote/{(time - times[0]) // 10_000}")

    return {
        "quads, a batch": pushed(lambda engine: engine.push_batch("stock", quads)),
        "a frame": pushed(lambda engine: engine.push_rows("stock", frame, mapping)),
        "bytes, one by one": pushed(pushed_bytes),
        "dictionaries, one by one": pushed(singles),
    }


def spaseq_quads(graph: bytes) -> Any:
    """The quads of a graph."""
    import pyoxigraph

    return pyoxigraph.parse(graph, pyoxigraph.RdfFormat.N_QUADS)


if __name__ == "__main__":
    main()
