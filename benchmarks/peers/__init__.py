"""SPAseq beside other engines: the same queries on the same data, and what they find compared."""
