"""What happened, written before it is published: an append-only SQLite file, and its replay.

`journal` is the file, `scribe` the thread that commits, `replay` compares what was ruled with what is ruled now,
`pruning` moves whole matches out.
Knows nothing of the network, and rulings only as JSON.
"""

from controller.journal.journal import Entry, Journal, MatchRow, MovedRow
from controller.journal.replay import Difference, replay
from controller.journal.scribe import PATIENCE_S, Receipt, Scribe

__all__ = ["PATIENCE_S", "Difference", "Entry", "Journal", "MatchRow", "MovedRow", "Receipt", "Scribe", "replay"]
