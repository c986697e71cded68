"""What ``--stats`` of a run has told of graph patterns, for ``spaseq explain --stats``."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from spaseq.errors import OptionError
from spaseq.text import did_you_mean


def of_patterns(path: Path, name: str, gpms: Collection[str]) -> str:
    """Some lines on the graph patterns of the query of that name, or the only one, which has these ``gpms``.

    OptionError: the file does not tell of it.
    """
    queries = _queries(path)
    if name not in queries and len(queries) != 1:
        raise OptionError(f"--stats {path}: it tells of no query {name}; {did_you_mean(name, list(queries))}")
    told = queries.get(name) or next(iter(queries.values()))
    try:
        if told["gpms"].keys() != set(gpms):
            raise OptionError(f"--stats {path}: it tells of a query with other graph patterns")
        return "\n".join([f"graph patterns in {path}", *_lines(told["gpms"])])
    except (AttributeError, KeyError, TypeError, ValueError):
        raise OptionError(f"--stats {path}: it is not what --stats of spaseq run has printed") from None


def _queries(path: Path) -> Mapping[str, Any]:
    """What is told of each query; lines before and behind the object, such as warnings, are left out."""
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text[text.index("{\n") : text.rindex("\n}") + 2])["queries"]
    except OSError as error:
        raise OptionError(f"--stats {path}: it cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise OptionError(f"--stats {path}: it is not what --stats of spaseq run has printed")
    return found


def _lines(gpms: Mapping[str, Any]) -> Iterator[str]:
    width = max(map(len, gpms), default=0)
    for name, one in gpms.items():
        came, matched = int(one["events"]), int(one["matched"])
        asked = int(one.get("evaluated", came))
        part = f" ({100 * matched / asked:.1f} %)" if asked else ""
        of_all = "" if asked == came else f" that were asked, of {came:,} that came"
        cost = f"; {one['microseconds']:.3g} µs each by pyoxigraph" if "microseconds" in one else ""
        yield f"  {name:<{width}}  {matched:,} of {asked:,} events{part}{of_all}{cost}"
