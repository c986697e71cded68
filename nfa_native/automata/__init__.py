"""The automata that the evaluators run: frozen, shareable, free of any language."""
