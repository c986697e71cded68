"""The kernel: words, expression programs, automaton, cells and nodes; nothing about RDF, SQL or files."""
