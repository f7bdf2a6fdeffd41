"""The daemon: wiring, and the small parts that belong to no room: stroke clock, questions, reconcile, health, supervision."""
