"""Settings of all tests: hypothesis draws the same examples in every run, unless SPASEQ_RANDOM is set."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile("random" if os.environ.get("SPASEQ_RANDOM") else "same")
