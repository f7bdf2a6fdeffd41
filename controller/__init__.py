"""The umpire: from light and beams to a ruling. `docs/architecture.md` has the map of the packages."""

__version__ = "0.1.0"
