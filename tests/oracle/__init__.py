"""A brute-force evaluator of SPAseq queries, written from the semantics alone, to compare the engine with."""
