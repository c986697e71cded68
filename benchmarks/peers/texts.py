"""A query in the language of each engine.

All of them mean the same: every way to choose the events, less than ten seconds apart.  Flink's ``within`` and Esper's
``timer:within`` end before the tenth second, those of SPAseq and Siddhi include it, so there it is 9,999 ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.peers.queries import Query, Step

_INCLUDED = 9_999  # ms


def ceql(query: Query) -> str:
    """In SPAseq's language for tuples."""
    events = " ; ".join(f"{_ceql_types(step)} AS x{number}" for number, step in enumerate(query.steps))
    filters = " AND ".join(
        f"x{number}[{condition}]" for number, step in enumerate(query.steps) for condition in _conditions(step, "=")
    )
    partition = "\nPARTITION BY volume" if query.by_volume else ""
    return f"SELECT *\nFROM Stock\nWHERE {events}\nFILTER {filters}{partition}\nWITHIN {_INCLUDED} MILLISECONDS"


def _ceql_types(step: Step) -> str:
    types = " OR ".join(step.types)
    return (f"({types})" if len(step.types) > 1 else types) + ("+" if step.repeated else "")


def _conditions(step: Step, equals: str) -> Iterator[str]:
    """What an event's attributes must be, without its type."""
    if step.name:
        yield f"name {equals} '{step.name}'"
    if step.price:
        yield f"price {step.price}"
    if step.volume is not None:
        yield f"volume {equals} {step.volume}"


def esper(query: Query) -> str:
    """EPL; ``every`` before each step starts it anew for each event that could come before.

    A pattern's repetitions do not give all choices of events, so a query with one is written with match_recognize.
    """
    if any(step.repeated for step in query.steps):
        return _match_recognize(query)
    steps = [f"every x{number}=Stock({_esper(query, number)})" for number in range(len(query.steps))]
    rest = " -> ".join(steps[1:])
    return f"select * from pattern [{steps[0]}\n-> ({rest}) where timer:within(10 sec)]"


def _esper(query: Query, number: int) -> str:
    step = query.steps[number]
    same = ["volume = x0.volume"] if query.by_volume and number else []
    types = " or ".join(f"type = '{kind}'" for kind in step.types)
    return ", ".join([types, *_conditions(step, "="), *same])


def _match_recognize(query: Query) -> str:
    """Any event (s) may be skipped behind a step and between its repetitions; what comes too late fits nothing."""
    names = [f"x{number}" for number in range(len(query.steps))]
    named = list(zip(names, query.steps, strict=True))
    pattern = " s* ".join(f"({name} s*)* {name}" if step.repeated else name for name, step in named)
    defines = [*(f"{name} as {_row_condition(name, step)}" for name, step in named), f"s as {_in_time('s')}"]
    measures = ", ".join(f"{name}.id as {name}" for name, step in named if not step.repeated)
    return (
        f"select * from Stock match_recognize (\nmeasures {measures}\nall matches\nafter match skip to current row\n"
        f"pattern ({pattern})\ndefine {', '.join(defines)})"
    )


def _row_condition(name: str, step: Step) -> str:
    types = f"{name}.type in ({', '.join(repr(kind) for kind in step.types)})"
    time = [_in_time(name)] if name != "x0" else []
    return " and ".join([types, *(f"{name}.{condition}" for condition in _conditions(step, "=")), *time])


def _in_time(name: str) -> str:
    return f"{name}.time - x0.time < 10000"


def siddhi(query: Query) -> str:
    """SiddhiQL: an application with a stream and the query on it.

    Behind a second ``every``, ``within`` forgets what is too old, but not always in time: so steps look at it, too.
    """
    steps = [_siddhi(number, step) for number, step in enumerate(query.steps)]
    ids = ", ".join(f"x{number}.id as id{number}" for number in range(len(steps)))
    text = f"from {' -> '.join(steps)}\nwithin {_INCLUDED} milliseconds\nselect {ids}\ninsert into Found;"
    if query.by_volume:
        text = f"partition with (volume of Stock) begin\n{text}\nend;"
    return f"@app:playback\n{_SIDDHI_STREAM}\n{text}"


_SIDDHI_STREAM = "define stream Stock (id int, type string, name string, volume int, price double, time long);"


def _siddhi(number: int, step: Step) -> str:
    types = " or ".join(f"type == '{kind}'" for kind in step.types)
    time = ["time - x0.time < 10000"] if number else []
    conditions = " and ".join([f"({types})", *_conditions(step, "=="), *time])
    return f"every x{number}=Stock[{conditions}]{'<1:>' if step.repeated else ''}"


def flink(queries: Iterable[Query]) -> str:
    """A Java class with the pattern of each query."""
    chosen = list(queries)
    cases = "\n".join(f'            case "{query.name}": return {_pattern(query)};' for query in chosen)
    partitioned = ", ".join(f'"{query.name}"' for query in chosen if query.by_volume)
    return _CLASS.format(cases=cases, partitioned=partitioned)


_CLASS = """\
import java.time.Duration;
import java.util.Set;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;

/** Written by benchmarks.peers. */
final class FlinkQueries {{
    static final Set<String> PARTITIONED = Set.of({partitioned});

    static Pattern<Stock, ?> pattern(String query) {{
        switch (query) {{
{cases}
            default: throw new IllegalArgumentException(query);
        }}
    }}
}}
"""


def _pattern(query: Query) -> str:
    first, *others = enumerate(query.steps)
    begin = f'Pattern.<Stock>begin("x0", AfterMatchSkipStrategy.noSkip()){_flink(first[1])}'
    rest = "".join(f'.followedByAny("x{number}"){_flink(step)}' for number, step in others)
    return f"{begin}{rest}.within(Duration.ofSeconds(10))"


def _flink(step: Step) -> str:
    conditions = [
        " || ".join(f'event.getType().equals("{kind}")' for kind in step.types),
        f'event.getName().equals("{step.name}")',
    ]
    conditions += [f"event.getPrice() {step.price}"] * bool(step.price)
    conditions += [f"event.getVolume() == {step.volume}"] * (step.volume is not None)
    where = " && ".join(f"({condition})" for condition in conditions)
    return f".where(SimpleCondition.of(event -> {where}))" + (
        ".oneOrMore().allowCombinations()" if step.repeated else ""
    )
