"""A board, players, a camera and a pocket node that are not there; knows the truth, never how vision works."""
