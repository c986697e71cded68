"""CEQL on Spark: any table, cut by PARTITION BY, with the rows that variables hold as results."""
