"""Events as lines of N-Quads, put in order of time on disk."""
