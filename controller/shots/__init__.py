"""Turns what was seen and felt into one shot with its evidence and doubts. Knows no rulebook."""
