"""From a formula over tuples to the complex event automaton that a recognizer runs."""
