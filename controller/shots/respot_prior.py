"""Prior for a piece put back on its spot that no detection showed there: what sets out from it and falls was that.

A queen on the red middle is the one that detections miss. Values in, values out; must not know interruptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot

from controller.events.expectation import Expectation, ToPlace
from controller.events.observation import Track
from controller.shots.fusion import Missing
from controller.shots.odds import COINS, Count

SET_OUT_MM = 40.0
"""The first picture that shows it run shows it no farther from its spot."""

PLACED = 0.9
"""How likely it was put there, and is what ran: counting what is left has its say too."""

Priors = tuple[tuple[Count, float], ...]


def with_respotted(
    gone: Sequence[Missing], priors: Priors, tracks: Sequence[Track], expectation: Expectation | None
) -> tuple[list[Missing], Priors]:
    """Returns what is gone and what may have lain there, with a piece that was put back unseen and fell.

    `priors`: as vision and book agree on them; where they do not, nothing is added.
    """
    if expectation is None or len(priors) > 1:
        return list(gone), priors
    lay = priors[0][0]
    had = {piece: count for piece, count in expectation.on_board if piece in COINS}
    runs = {f"track {track.track}": track for track in tracks if track.start is None and not track.by_hand}
    for waiting in expectation.to_place:
        if waiting.piece not in COINS or lay[COINS.index(waiting.piece)] >= had.get(waiting.piece, 0):
            continue
        for index, lost in enumerate(gone):
            track = runs.get(lost.name)
            if track is None or not _fell_from(track, lost, waiting):
                continue
            odds = {kind: (1.0 - PLACED) * share for kind, share in lost.odds.items()}
            odds[waiting.piece] = odds.get(waiting.piece, 0.0) + PLACED
            more = tuple(n + (kind == waiting.piece) for n, kind in zip(lay, COINS, strict=True))
            named = [*gone[:index], replace(lost, odds=odds), *gone[index + 1 :]]
            return named, ((lay, 1.0 - PLACED), ((more[0], more[1], more[2]), PLACED))
    return list(gone), priors


def _fell_from(track: Track, lost: Missing, waiting: ToPlace) -> bool:
    """Says whether a track out of nowhere that ran into a pocket began where a piece was to be placed."""
    if waiting.at_mm is None or not track.samples or lost.vanished is None or lost.vanished.how != "pocket":
        return False
    first = track.samples[0]
    near = hypot(first.x_mm - waiting.at_mm[0], first.y_mm - waiting.at_mm[1]) < SET_OUT_MM
    return near and track.piece in ("unknown", waiting.piece)
