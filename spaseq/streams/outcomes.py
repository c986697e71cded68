"""What native reading comes to (``gpm/native/delimiters.pxd``)."""

from __future__ import annotations

# All was read; the end of the rest is not there; pyoxigraph has to read on; it goes on with the next call.
TAKEN, CUT_OFF, UNSURE, PAUSED = range(4)
DELIMITER = b"MESSAGE\n"  # the line behind a message
