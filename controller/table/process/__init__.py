"""The daemon's process: wiring, end, housekeeping."""
