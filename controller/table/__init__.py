"""The daemon: wiring, and the small parts that belong to no room.

Stroke clock, open questions, evidence index, health, supervision; every part below is handed what it needs.
"""
