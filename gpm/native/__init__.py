"""The compiled part of graph patterns: from bytes to encoded triples, and from those to rows."""
