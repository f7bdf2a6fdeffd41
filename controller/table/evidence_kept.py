"""What the configuration says of evidence: where it is kept, how much, how long, and what is drawn over it."""

from __future__ import annotations

from collections.abc import Callable

from controller.config import Config
from controller.table.evidence import EvidenceShelf
from controller.vision.ring import Picture


def shelf_of(config: Config, picture: Callable[[int], Picture | None]) -> EvidenceShelf:
    """Returns the table's shelf, not yet opened. `picture`: reads the eyes' ring."""
    kept = config.evidence
    budget = kept.budget_mb * 2**20
    if config.camera.kind == "none":
        return EvidenceShelf(picture, kept.folder, budget, keep_days=kept.keep_days)
    # Imported here: a table without a camera never needs it.
    from controller.table.evidence_drawn import Drawing

    return EvidenceShelf(picture, kept.folder, budget, Drawing(config.camera.calibration), keep_days=kept.keep_days)
