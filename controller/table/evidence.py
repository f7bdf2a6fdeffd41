"""The evidence of strokes that were asked about, flagged or disputed: their pictures, copied out of the eyes' ring.

In memory, or in a folder where one is configured (not on the journal's device); the oldest go when the budget is
full. Pictures are the camera's own JPEGs, never decoded here. Must not know why a stroke was doubted.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.events.errors import DeviceError

MOST_PICTURES = 300
"""Pictures of one stroke: five seconds at 60 a second."""


@dataclass(frozen=True)
class Kept:
    """One stroke's evidence. `pictures`: number → JPEG, in order; `facts`: what was measured, in JSON's terms."""

    key: str
    pictures: Mapping[int, bytes]
    facts: Mapping[str, Any]

    @property
    def size(self) -> int:
        """Bytes of pictures."""
        return sum(map(len, self.pictures.values()))


class EvidenceShelf:
    """Keeps what is asked for until the budget is used up; then the oldest goes."""

    def __init__(self, picture: Callable[[int], bytes | None], folder: Path | None, budget_bytes: int) -> None:
        self._picture = picture
        self._folder = folder
        self._budget = budget_bytes
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def keep(self, key: str, first: int, last: int, facts: Mapping[str, Any]) -> Kept:
        """Copies pictures `first` to `last`, as far as the ring still has them, evenly thinned if there are many."""
        step = max(1, (last - first + 1) // MOST_PICTURES)
        numbers = sorted({*range(first, last + 1, step), last})
        pictures = {number: jpeg for number in numbers if (jpeg := self._picture(number)) is not None}
        kept = Kept(key, pictures, dict(facts))
        self._kept.pop(key, None)
        self._kept[key] = kept
        while self._kept and sum(held.size for held in self._kept.values()) > self._budget:
            self._kept.popitem(last=False)
        if self._folder is not None:
            self._write(kept)
        return kept

    def get(self, key: str) -> Kept | None:
        """Returns a stroke's evidence if it is still there."""
        return self._kept.get(key)

    def picture(self, number: int) -> bytes | None:
        """Returns a picture by its number: from the ring, or from what was kept."""
        fresh = self._picture(number)
        if fresh is not None:
            return fresh
        return next((kept.pictures[number] for kept in self._kept.values() if number in kept.pictures), None)

    def _write(self, kept: Kept) -> None:
        assert self._folder is not None
        place = self._folder / kept.key
        try:
            place.mkdir(parents=True, exist_ok=True)
            for number, jpeg in kept.pictures.items():
                (place / f"{number:09d}.jpg").write_bytes(jpeg)
            (place / "facts.json").write_text(json.dumps(kept.facts, indent=1))
            stale = sorted(self._folder.iterdir(), key=lambda found: found.stat().st_mtime)
            used = {found: sum(part.stat().st_size for part in found.iterdir()) for found in stale if found.is_dir()}
            for found in list(used)[:-1]:
                if sum(used.values()) <= self._budget:
                    break
                for part in found.iterdir():
                    part.unlink()
                found.rmdir()
                del used[found]
        except OSError as error:
            raise DeviceError(
                f"{place}: evidence cannot be kept: {error}. Mend: set [evidence] folder to a writable one, or leave "
                "it out to keep it in memory"
            ) from error
