"""The same queries on Spark: streams cut into parts, each with an engine of its own."""

from spaseq.spark.finishing import finish
from spaseq.spark.matching import match
from spaseq.spark.sources.rdfstream import RdfStream, register

__all__ = ["RdfStream", "finish", "match", "register"]
