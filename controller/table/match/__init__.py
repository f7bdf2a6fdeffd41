"""One match as a value: the umpire's state, questions, stroke clock, what is unresolved. No thread, no outlet."""
