"""The umpire: from light and beams to a ruling. `docs/architecture.md` has the map of the rooms."""

__version__ = "0.1.0"
