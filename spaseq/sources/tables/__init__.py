"""Tables: CSV, Parquet, Arrow, frames and dictionaries, as record batches."""
