"""The structures of nfa_native/core, each against a model that is plain to see."""
