"""CEQL and SQL on Spark: any table, cut by PARTITION BY."""
