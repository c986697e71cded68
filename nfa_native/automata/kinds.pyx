# distutils: language = c++
# cython: language_level=3
"""The enums and limits of ``kinds.pxd``, as Python sees them."""

globals().update(DEEPEST=DEEPEST, VIEW_BOUNDS=VIEW_BOUNDS)
