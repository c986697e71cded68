"""Native structures that know nothing of words, automata or Python: C++17 headers, each with a thin ``.pxd``."""
