"""Following the pieces from frame to frame: what moves, where it goes, when everything lies still. Knows no rules."""
