"""Fuzzers of our own: whatever comes in by one of the doors, an answer or an error of ours (``python -m "
"tests.fuzz``)."""
