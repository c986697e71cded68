"""Where tuples come from, each kind as record batches: files, pipes, Arrow data, frames, rows of dictionaries."""
