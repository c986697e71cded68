"""The oracle of path queries: brute force from the definitions, without code of an engine."""
