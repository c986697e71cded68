"""Where events, rows and edges come from: bytes, files, pipes and frames, as batches of events or of rows."""
