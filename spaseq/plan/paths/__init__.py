"""From path expressions to automata."""
