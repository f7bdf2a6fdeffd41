"""What the configuration says of evidence: where it is kept, how much, how long, and what is drawn over it."""

from __future__ import annotations

from collections.abc import Callable

from controller.config import Config, EvidenceSection
from controller.table.evidence.store import EvidenceShelf
from controller.table.machine.computer import memory_bytes
from controller.vision.ring import Picture

SHARE = 8
"""In memory the store gets one part in so many: pictures, processes and broker need theirs, too."""


def budget_bytes(kept: EvidenceSection, memory: int | None = None) -> int:
    """Returns how much the store holds: what is asked for, in memory no more than its share of it. `memory`: bytes that
    the machine has, asked of it by default."""
    asked = kept.budget_mb * 2**20
    if kept.folder is not None:
        return asked
    return min(asked, (memory_bytes() if memory is None else memory) // SHARE)


def shelf_of(config: Config, picture: Callable[[int], Picture | None]) -> EvidenceShelf:
    """Returns the table's store, not yet opened. `picture`: reads the ring of pictures."""
    kept = config.evidence
    budget = budget_bytes(kept)
    if config.camera.kind == "none":
        return EvidenceShelf(picture, kept.folder, budget, keep_days=kept.keep_days)
    # Imported here: a table without a camera never needs it.
    from controller.table.evidence.drawn import Drawing

    return EvidenceShelf(
        picture, kept.folder, budget, Drawing(config.camera.calibration).over, keep_days=kept.keep_days
    )
