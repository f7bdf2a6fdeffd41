"""Strokes as anybody can play them: what was observed, and the least that must be told ([format](README.md))."""
