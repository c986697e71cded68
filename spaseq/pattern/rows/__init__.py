"""What a query for row patterns is: an expression over variables, what they ask of rows, and what matches tell."""
