"""What queries cost on Spark, beside jobs that only count: ``python -m benchmarks.spark [PART …]``."""
