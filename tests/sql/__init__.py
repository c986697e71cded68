"""Row patterns in SQL: case files, and random queries beside the oracle."""
