"""What streams, whatever the data are: events in order of time, promises, results, and runs over whole streams."""
