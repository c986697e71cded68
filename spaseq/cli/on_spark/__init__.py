"""``spaseq spark``: a job on Spark, and what becomes of its results."""

import spaseq.spark  # noqa: F401  (OptionError: pyspark is not installed)
