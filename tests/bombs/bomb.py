"""What a bomb is, and the list that they are kept in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Make = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Bomb:
    """``make(size)`` is the text of a query.

    ``sizes`` are measured by the benchmark: near the bounds that docs/limits.md has, and beyond; tests read ``small``.
    """

    name: str
    language: str
    make: Make
    sizes: tuple[int, ...]
    small: int


class Bombs(list[Bomb]):
    """The bombs of one language, in the order in which they are written down."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def add(self, *sizes: int, small: int = 0) -> Callable[[Make], Make]:
        """A decorator: its function, by whose name the bomb goes, makes the text of a size."""

        def added(make: Make) -> Make:
            name = make.__name__.replace("_", " ")
            self.append(Bomb(name, self._language, make, sizes, small or min(sizes)))
            return make

        return added


def lines(count: int, text: str, start: int = 0) -> str:
    """``text`` for each number, which stands where it has ``#``."""
    return "\n".join(text.replace("#", str(number)) for number in range(start, start + count))


def chain(count: int, text: str, joint: str) -> str:
    """``text`` for each number, which stands where it has ``#``, with ``joint`` between."""
    return joint.join(text.replace("#", str(number)) for number in range(count))


def nested(count: int, opening: str, core: str, closing: str) -> str:
    """``core`` in ``count`` pairs of brackets."""
    return opening * count + core + closing * count
