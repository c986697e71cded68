"""JSON Lines: one object for each match."""

from __future__ import annotations

import json
from typing import TextIO

from spaseq.results.formats.writer import Layout
from spaseq.results.table import MatchTable, derived_to_dict
from spaseq.results.times import iso


class JsonLinesWriter:
    """One object a line: ``first``, ``last``, ``events``, ``bindings``; ``query`` if there are several."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._several = layout.several

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        prefix = f'{{"query": {_text(table.query)}, ' if self._several else "{"
        names = [_text(name) for name in table.columns]
        self._output.writelines(prefix + _line(table, index, names) for index in range(len(table)))

    def close(self) -> None:
        """Nothing stands at the end."""


def _line(table: MatchTable, index: int, names: list[str]) -> str:
    """The members of the object and its end; terms come as ready text, since they repeat a lot."""
    words = table.words[index].tolist()
    bindings = ", ".join(f"{name}: {table.decoder.json(word)}" for name, word in zip(names, words, strict=True) if word)
    times = f'"first": "{iso(int(table.first[index]))}", "last": "{iso(int(table.last[index]))}"'
    line = f'{times}, "events": {_text(table.events(index))}, "bindings": {{{bindings}}}'
    if table.derived is not None:
        line += ", " + _text(derived_to_dict(table.derived[index]))[1:-1]
    return line + "}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
