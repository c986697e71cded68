"""Row patterns in SQL beside Trino: the same queries on the same tables, and what explains each difference."""
