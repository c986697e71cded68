"""SPAseq: semantic complex event processing."""
