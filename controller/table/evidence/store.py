"""The evidence of strokes that were asked about, flagged or disputed: their pictures, copied out of the ring.

In memory, or in a folder where one is configured (not on the journal's device); the oldest go when the budget is
full, and whatever is older than a limit. In the folder each stroke is a recording that `carrom watch` reads, with what
was measured in `facts.json`; it is found again after a restart. Pictures are the camera's own JPEGs, never decoded
here. Must not know why a stroke was doubted.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from controller.events.doors import RECORD, json_object, text_of, whole_number
from controller.events.errors import CarromError, DeviceError
from controller.vision.ring import Picture, save_clip

log = logging.getLogger(__name__)

MOST_PICTURES = 300
"""Pictures of one stroke: five seconds at 60 a second; of a longer one every second, every third."""
LEAD_NS = 3_000_000_000
"""So much rest before the first motion is kept: where the striker lay, and whose hand was where."""

FACTS = "facts.json"
UNFINISHED = ".unfinished"
"""Ending of the folder of a stroke that is being written: one that was cut off is nobody's evidence."""

DAY_S = 86_400.0


@dataclass(frozen=True)
class Kept:
    """One stroke's evidence. `pictures`: their numbers, in order; `facts`: what was measured, in JSON's terms; `at`:
    when it was kept, Unix seconds; `size`: bytes of both."""

    key: str
    pictures: tuple[int, ...]
    facts: Mapping[str, Any]
    size: int
    at: float


@dataclass(frozen=True)
class Bundle:
    """What is to be kept of one stroke: pictures `first` to `last` of the ring, facts, and further texts by file name.

    `rest`: the last picture of rest before it: of what came earlier only `LEAD_NS` are kept, and the first picture.
    `zero_ns`: since when the facts count their seconds. A text may hang on when the first picture was taken: it is
    given that time in ns.
    """

    key: str
    first: int
    last: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, Callable[[int], str]] = field(default_factory=dict)
    rest: int | None = None
    zero_ns: int | None = None


class EvidenceShelf:
    """Keeps what is asked for until the budget is used up; then the oldest goes. Methods may be called from any thread.

    `picture`: reads the ring; None for one that is gone. `drawing`: further facts from the facts, for what is drawn
    over a picture; called beside play, as pictures are copied. `keep_days`: `tidy` forgets what is older, 0:
    nothing. `now_unix`: the wall's clock.
    """

    def __init__(
        self,
        picture: Callable[[int], Picture | None],
        folder: Path | None,
        budget_bytes: int,
        drawing: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _facts: {},
        *,
        keep_days: float = 0,
        now_unix: Callable[[], float] = time.time,
    ) -> None:
        self._picture = picture
        self._folder = folder
        self._budget = budget_bytes
        self._drawing = drawing
        self._keep_days = keep_days
        self._now = now_unix
        self._guard = threading.RLock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._jpegs: dict[str, dict[int, bytes]] = {}

    def open(self) -> None:
        """Finds what an earlier run kept in the folder. What was cut off is removed, what cannot be read left alone."""
        if self._folder is None or not self._folder.is_dir():
            return
        for place in self._folder.glob(f"*{UNFINISHED}"):
            shutil.rmtree(place, ignore_errors=True)
        for place in sorted(self._folder.iterdir(), key=lambda found: found.stat().st_mtime):
            try:
                facts = json_object(text_of(place / FACTS, RECORD), RECORD)
                files = sorted(place.glob("*.jpg"))
                numbers = tuple(number for file in files if (number := whole_number(file.stem)) >= 0)
                size = sum(file.stat().st_size for file in files) + (place / FACTS).stat().st_size
                at = place.stat().st_mtime
            except (OSError, ValueError):
                continue
            self._kept[place.name] = Kept(place.name, numbers, facts, size, at)

    def keep(self, bundle: Bundle) -> Kept:
        """Copies the pictures, as far as the ring still has them, evenly thinned if there are many: the facts say when
        each was taken (`times`), and of how many one was kept (`every`). What was kept of the stroke already stays
        where the ring has less of it by now.

        Raises DeviceError where the folder cannot be written.
        """
        pictures, every = self._pictures_of(bundle)
        held = self._kept.get(bundle.key)
        if held is not None and len(held.pictures) > len(pictures):
            return held
        facts = {**bundle.facts, **self._drawing(bundle.facts)}
        if bundle.zero_ns is not None:
            facts["times"] = [round((one.t_ns - bundle.zero_ns) / 1e9, 4) for one in pictures]
            facts["every"] = every
        # A stroke whose pictures are gone takes room, too.
        size = sum(len(found.jpeg) for found in pictures) + len(json.dumps(facts, indent=1))
        kept = Kept(bundle.key, tuple(found.number for found in pictures), facts, size, self._now())
        with self._guard:
            if self._folder is not None:
                self._write(kept, pictures, bundle.texts)
            else:
                self._jpegs[bundle.key] = {found.number: found.jpeg for found in pictures}
            self._kept.pop(bundle.key, None)
            self._kept[bundle.key] = kept
            while self._kept and sum(held.size for held in self._kept.values()) > self._budget:
                self.drop(next(iter(self._kept)))
        return kept

    def _pictures_of(self, bundle: Bundle) -> tuple[list[Picture], int]:
        begins = bundle.first
        rest = self._picture(bundle.rest) if bundle.rest is not None else None
        if rest is not None:
            begins = rest.number
            while (earlier := self._picture(begins - 1)) is not None and rest.t_ns - earlier.t_ns <= LEAD_NS:
                begins -= 1
        every = max(1, -(-(bundle.last - begins + 1) // MOST_PICTURES))
        numbers = {bundle.first, *range(begins, bundle.last + 1, every), bundle.last}
        numbers |= {bundle.rest} if bundle.rest is not None else set()
        return [found for number in sorted(numbers) if (found := self._picture(number)) is not None], every

    def tidy(self, sure_unix: float) -> tuple[str, ...]:
        """Forgets what was older than the limit at `sure_unix` (see `SeenDays`); returns what went. A clip of a time
        still to come (the clock was wrong then, or is now) counts from now on."""
        if not self._keep_days:
            return ()
        now = self._now()
        with self._guard:
            for kept in [one for one in self._kept.values() if one.at > now]:
                self._kept[kept.key] = replace(kept, at=now)
                self._date(kept.key, now)
            old = [kept.key for kept in self._kept.values() if kept.at < sure_unix - self._keep_days * DAY_S]
            for key in old:
                self.drop(key)
        return tuple(old)

    def get(self, key: str) -> Kept | None:
        """Returns a stroke's evidence if it is still there."""
        return self._kept.get(key)

    def picture(self, number: int) -> bytes | None:
        """Returns a picture by its number: from the ring, or from what was kept."""
        fresh = self._picture(number)
        if fresh is not None:
            return fresh.jpeg
        with self._guard:
            held = next((kept for kept in reversed(self._kept.values()) if number in kept.pictures), None)
            if held is None:
                return None
            if self._folder is None:
                return self._jpegs[held.key].get(number)
            try:
                return (self._folder / held.key / f"{number:09d}.jpg").read_bytes()
            except OSError:
                return None

    def _write(self, kept: Kept, pictures: Sequence[Picture], texts: Mapping[str, Callable[[int], str]]) -> None:
        assert self._folder is not None
        place = self._folder / kept.key
        fresh = place.with_name(place.name + UNFINISHED)
        try:
            shutil.rmtree(fresh, ignore_errors=True)
            save_clip(pictures, fresh)
            began = pictures[0].t_ns if pictures else 0
            for name, text in texts.items():
                (fresh / name).write_text(text(began), encoding="utf-8")
            (fresh / FACTS).write_text(json.dumps(kept.facts, indent=1), encoding="utf-8")
            shutil.rmtree(place, ignore_errors=True)
            fresh.rename(place)
            self._date(kept.key, kept.at)
        except (OSError, CarromError) as error:
            raise DeviceError(
                f"{place}: evidence cannot be kept: {error}. Fix: set evidence.folder to a writable one, or leave "
                "it out to keep it in memory"
            ) from error

    def _date(self, key: str, at: float) -> None:
        if self._folder is not None:
            with contextlib.suppress(OSError):
                os.utime(self._folder / key, (at, at))

    def drop(self, key: str) -> None:
        """Forgets a stroke; nothing where it is not kept."""
        with self._guard:
            self._kept.pop(key, None)
            self._jpegs.pop(key, None)
            if self._folder is not None:
                shutil.rmtree(self._folder / key, ignore_errors=True)
