"""Structures that all lanes of the kernel use: C++ headers, each with the Cython declarations of what it has."""
