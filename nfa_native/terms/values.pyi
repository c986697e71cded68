"""Decoded operands of expressions (for Cython only: nothing to call from Python)."""
