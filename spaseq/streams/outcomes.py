"""What native reading comes to (``gpm/native/delimiters.pxd``)."""

from __future__ import annotations

TAKEN, CUT_OFF, UNSURE = range(3)  # all was read; the end of the rest is not there; pyoxigraph has to read on
DELIMITER = b"MESSAGE\n"  # the line behind a message
