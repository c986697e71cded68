"""The version of SPAseq that is installed.  To find it out costs an import that is seldom needed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

NOT_INSTALLED = "0+unknown"  # run from a source tree

try:
    __version__ = version("spaseq")
except PackageNotFoundError:
    __version__ = NOT_INSTALLED
