"""From a checked query to the automaton that the kernel runs: ``sequences`` for joins, ``formulas`` for events."""
