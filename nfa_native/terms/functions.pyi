"""SPARQL's operators and functions on decoded operands (for Cython only: nothing to call from Python)."""
