"""Tables as streams of events: a mapping says what a row means (``spaseq.pattern.mappings``)."""
