"""Values of XSD literals and their lexical forms (for Cython only: nothing to call from Python)."""
