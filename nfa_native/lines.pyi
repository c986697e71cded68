"""A quick look at N-Quads: which blocks are so plain that nobody needs to check them again."""

def plain_runs(block: bytes) -> tuple[int, list[int]] | None:
    """``(statements, starts)`` of a block of N-Quads lines, or None if the block needs a closer look.

    In a plain block every line is certainly valid (blank lines and comments count as such), except that its bytes may
    be no UTF-8; ``starts`` are the numbers of the statements at which another graph begins than that of the statement
    before.
    """
