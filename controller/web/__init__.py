"""Scoreboard and umpire's console. Does not know how a ruling comes about."""
