"""Matches as a pandas data frame or an Arrow table.

Columns: the selected variables, before them ``first`` and ``last`` (UTC, microseconds), after them ``events``.  One of
these three gets an underscore at its end where the query selects a variable of its name.  Literals become Python
values, IRIs and blank nodes text, unbound is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rdflib

from spaseq.errors import OptionError
from spaseq.results.table import MatchTable
from spaseq.results.terms import Value

if TYPE_CHECKING:
    import pandas
    import pyarrow


def to_pandas(table: MatchTable) -> pandas.DataFrame:
    """The matches as a data frame; OptionError if pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise _missing("pandas", "pandas") from error
    times = {name: getattr(table, name).astype("datetime64[us]") for name in ("first", "last")}
    data: dict[str, Any] = {
        _free(table, name): pandas.Series(values).dt.tz_localize("UTC") for name, values in times.items()
    }
    for name, values in _columns(table).items():
        data[name] = pandas.Series(values, dtype=object).infer_objects()
    data[_free(table, "events")] = pandas.Series(_events(table), dtype=object)
    return pandas.DataFrame(data)


def to_arrow(table: MatchTable) -> pyarrow.Table:
    """The matches as an Arrow table; OptionError if pyarrow is not installed.

    A variable with values of one kind gets their type, any other the type string, with the lexical forms.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise _missing("pyarrow", "arrow") from error
    stamp = pyarrow.timestamp("us", tz="UTC")
    data: dict[str, Any] = {
        _free(table, name): pyarrow.array(getattr(table, name)).cast(stamp) for name in ("first", "last")
    }
    for name, values in _columns(table).items():
        data[name] = _arrow_column(table, name, values)
    picks = pyarrow.map_(pyarrow.string(), pyarrow.list_(pyarrow.string()))
    data[_free(table, "events")] = pyarrow.array([list(events.items()) for events in _events(table)], picks)
    return pyarrow.table(data)


def _arrow_column(table: MatchTable, name: str, values: list[Any]) -> pyarrow.Array:
    import pyarrow

    if len({type(value) for value in values if value is not None}) <= 1:
        try:
            return pyarrow.array(values)
        except (pyarrow.ArrowException, OverflowError):
            pass
    index = table.columns.index(name)
    words = (table.decoder.value(word) for word in table.words[:, index].tolist())
    return pyarrow.array([None if value is None else value.text for value in words], pyarrow.string())


def _columns(table: MatchTable) -> dict[str, list[Any]]:
    values = {word: _python(table.decoder.value(word)) for word in set(table.words.ravel().tolist())}
    return {name: [values[word] for word in table.words[:, index].tolist()] for index, name in enumerate(table.columns)}


def _python(value: Value | None) -> Any:
    if value is None or value.kind != "literal" or value.language:
        return value and value.text
    literal = value.to_rdflib()
    assert isinstance(literal, rdflib.Literal)
    result = literal.toPython()
    return str(result) if isinstance(result, rdflib.Literal) else result


def _events(table: MatchTable) -> list[dict[str, list[str]]]:
    return [table.events(index) for index in range(len(table))]


def _free(table: MatchTable, name: str) -> str:
    return name + "_" if name in table.columns else name


def _missing(package: str, extra: str) -> OptionError:
    return OptionError(f"this needs {package}; install it with: pip install 'spaseq[{extra}]'")
