"""How strong each player is, by whom he beat, drew with and lost to. Pure.

A match is rated if it counts in the standings and was played: by the model of Weng and Lin (Bradley-Terry), which
openskill reckons. A pair is as strong as both together.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from controller.events.doors import name_key
from controller.hub.said import ResultSaid
from controller.hub.season import FORGOTTEN, Kept, given_by, standings

if TYPE_CHECKING:
    from openskill.models import BradleyTerryPart, BradleyTerryPartRating

UNSURE_POINTS = 250.0
"""One standard deviation of what is not known of a newcomer. So 400 points of strength more are nearly ten wins to
one, as with Elo's figures."""
CAUTION = 3.0
"""So many standard deviations below the likeliest strength is the figure shown: who played little is not ahead."""
NEWCOMER_POINTS = 1000.0
"""The figure of somebody who has not played: so many that figures stay above nought."""
SURE_POINTS = UNSURE_POINTS / 2
"""Above it a rating is provisional: less than three quarters of what is known was played, the rest is assumed."""

_LUCK_POINTS = UNSURE_POINTS / 2
_DRIFT_POINTS = UNSURE_POINTS / 100
"""A match's luck, and how much a strength changes from match to match: the library's proportions."""

_FORGOTTEN = name_key(FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's, in points. `mean`: the likeliest strength; `uncertainty`: its standard deviation; `shown`: the
    strength that he has almost certainly."""

    mean: float
    uncertainty: float
    shown: int
    provisional: bool


def ratings(matches: Iterable[Kept]) -> dict[str, Rating]:
    """Everybody's rating over the matches that are rated, by name key."""
    model = _model()
    newcomer = model.rating()
    found: dict[str, BradleyTerryPartRating] = {}
    for result in sorted((one.result for one in matches if is_rated(one)), key=_order):
        keys = [[name_key(name) for name in side.players] for side in result.sides]
        before = [[deepcopy(found.get(key, newcomer)) for key in side] for side in keys]
        ranks = [1.0 if result.winner == side.name else 2.0 for side in result.sides]
        after = zip(chain(*keys), chain(*model.rate(before, ranks)), strict=True)
        # Where several were forgotten, what it says of each of them is not known.
        several = list(chain(*keys)).count(_FORGOTTEN) > 1
        found.update({key: one for key, one in after if not (several and key == _FORGOTTEN)})
    return {key: _rating(one) for key, one in found.items() if key != _FORGOTTEN}


def is_rated(match: Kept) -> bool:
    """Whether a match changes ratings: it counts, and nobody gave it."""
    return match.counts and not given_by(match.result)


def rated_standings(matches: Iterable[Kept]) -> list[dict[str, Any]]:
    """The standings as JSON values, each with the player's rating; None where no match of his is rated."""
    kept = list(matches)
    rated = ratings(kept)
    return [asdict(one) | {"rating": _plain(rated.get(name_key(one.player)))} for one in standings(kept)]


def _plain(rating: Rating | None) -> dict[str, Any] | None:
    return None if rating is None else asdict(rating)


def _order(result: ResultSaid) -> tuple[object, ...]:
    """By the end; of two with the same one always the same is first. Not by table: which one is kept is chance."""
    names = [name_key(name) for side in result.sides for name in side.players]
    return result.end, result.start, result.match, names, result.winner or ""


def _model() -> BradleyTerryPart:
    # Here, as only who asks for ratings needs it. Means are counted from a newcomer's: so one against two newcomers is
    # even.
    from openskill.models import BradleyTerryPart

    return BradleyTerryPart(mu=0.0, sigma=UNSURE_POINTS, beta=_LUCK_POINTS, tau=_DRIFT_POINTS, gamma=_whole)


def _whole(*_match: object) -> float:
    """A match tells as much as the model says. The library's own choice takes less from it, and foretells worse."""
    return 1.0


def _rating(one: BradleyTerryPartRating) -> Rating:
    mean = NEWCOMER_POINTS + CAUTION * UNSURE_POINTS + one.mu
    shown = round(mean - CAUTION * one.sigma)
    return Rating(round(mean, 1), round(one.sigma, 1), shown, one.sigma > SURE_POINTS)
