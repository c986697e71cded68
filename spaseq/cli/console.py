"""The program as a process of its own, which loads no more than it needs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.abc import MetaPathFinder
from types import ModuleType

from spaseq.cli.main import main

_WITH_FRAMES = "spark"  # the command that hands data frames on


def console(prog_name: str = "spaseq") -> None:
    """Run the command that the arguments of the process say."""
    with nullcontext() if sys.argv[1:2] == [_WITH_FRAMES] else _without_pandas():
        main(prog_name=prog_name)


class _NoPandas(MetaPathFinder):
    """Finds that pandas is not there."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """See ``MetaPathFinder``."""
        if name == "pandas":
            raise ModuleNotFoundError("data frames are not used here", name=name)


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Within, pandas is not loaded, which Arrow does with its first array: that costs 0.2 s and 50 MB.

    Arrow remembers that it is not there, and takes what is no array for a sequence of values.
    """
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
