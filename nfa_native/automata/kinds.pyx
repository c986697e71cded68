# distutils: language = c++
# cython: language_level=3
"""The enums of ``kinds.pxd``, as Python sees them."""
