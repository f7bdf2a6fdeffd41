"""The words of a sheet of fixtures: whoever writes one, reads one or publishes one has them from here."""

from __future__ import annotations

import re

COLUMNS = (
    "date", "time", "table", "event", "round", "book", "south", "north", "east", "west", "referee", "protest", "id",
)  # fmt: skip
"""A sheet's columns, in the order in which they are written. A match without a table is played on the next free one."""
REFERENCE = re.compile(r"(winner|loser) (\S.*)", re.IGNORECASE)
"""How a fixture names a player whom another one decides, by that one's `id`."""
DRAWN_ID = re.compile(r"[0-9a-f]{32}-\d+-[0-9a-f]{8}")
"""The id of a match that SoL drew: the tourney's own id, the round, and who plays. It stays when the archive is read
again, and is the fixture's key too: a result names its match of SoL's long after the fixture is published no more."""
NOBODY = frozenset({"bye", "freilos", "n.n.", "nn", "tbd", "tba", "-", "?"})
"""What stands in a sheet where nobody plays."""
