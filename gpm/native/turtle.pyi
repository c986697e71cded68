"""From Turtle and TriG to N-Quads lines."""

class Translator:
    """Translates one source; ``graphs``: it is TriG; ``messages``: it consists of messages.

    A delimiter of messages becomes a line ``MESSAGE``.
    """

    prefixes: dict[str, str]
    """The prefixes in force, with their IRIs."""

    def __init__(self, graphs: bool, messages: bool = False) -> None: ...
    @property
    def inside(self) -> bool:
        """The last call stopped in a graph, whose closing brace is still to be found."""

    def read(self, text: bytes, at: int, comments: bool = False) -> tuple[bytes, int, int]:
        """Translate whole units, or messages, of ``text`` from byte ``at`` on; ``comments``: ``# @message`` delimits.

        Gives the lines, where the first unit begins that was not translated, and why not: CUT_OFF (its end is not
        there), UNSURE, or PAUSED (there are many lines already).
        """

    def place(self, line: int) -> int:
        """Where in the text what became this line (from 0) of the last call's ended."""
