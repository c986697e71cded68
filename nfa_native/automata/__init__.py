"""The automata that the lanes run: frozen, shareable, free of any language."""
