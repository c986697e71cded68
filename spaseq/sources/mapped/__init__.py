"""From rows of tables to events, by a mapping (``spaseq.pattern.mappings``)."""
