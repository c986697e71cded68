"""From row patterns to automata of positions, and what each position asks of its row."""
