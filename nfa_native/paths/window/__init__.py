"""Path queries on a window of edges that come and go: shortest walks are kept up to date, and what appears is given."""
