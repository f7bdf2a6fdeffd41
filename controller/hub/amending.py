"""How a secretary puts a season right, by a command or on its page: what each act needs, and what it changes.

Each raises EventError, which says what is wrong with what was wanted, and ConfigError or DeviceError where the season
cannot be read or written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from controller.events.doors import name_key, player_of
from controller.events.errors import EventError, UnreadableError
from controller.hub import season
from controller.hub.amendments import Amendment
from controller.hub.season import Kept
from controller.hub.season_store import SeasonStore

MOST_LATEST = 30
"""So many matches a page offers, the latest first: what is wrong is noticed soon."""


def merge(store: SeasonStore, name: str, into: str) -> tuple[str, str]:
    """From now on one name counts as another player's. Returns both as they are written."""
    matches, amended = store.matches(), store.amendments()
    player = known(amended.player(into), matches)
    if amended.player(name) == name:
        name = known(name, matches)
    store.amend(*amended.merging(name, player))
    return name, player


def split(store: SeasonStore, name: str) -> None:
    """From now on a name that was merged counts alone."""
    if not store.take_back("player", name):
        raise EventError(f"{name} is merged with nobody. Fix: write the name that was merged")


def strike(store: SeasonStore, match: str, why: str) -> Kept:
    """From now on a match counts for nothing. `match`: its id, or `table/id`. Returns it."""
    one = _played(match, store.matches())
    if not why.strip():
        raise EventError("a match that does not count needs a reason. Fix: write it in a few words")
    try:
        reason = player_of(why.strip())
    except UnreadableError as error:
        raise EventError(f"the reason {error}. Fix: write it in a few words") from error
    store.amend(Amendment("match", one.result.match, one.table, reason))
    return one


def restore(store: SeasonStore, match: str) -> Kept:
    """From now on a match that was struck counts again. Returns it."""
    one = _played(match, store.matches())
    if not store.take_back("match", one.result.match, one.table):
        raise EventError(f"{match} was not struck. Fix: carrom season export names the matches that are")
    return one


def known(name: str, matches: Sequence[Kept]) -> str:
    """The name as it was written last. Raises EventError with the nearest ones if nobody has it."""
    names = season.known(matches)
    if name_key(name) in names:
        return names[name_key(name)]
    near = season.nearest(name, names)
    fix = f"did you mean {', '.join(near)}?" if near else "carrom season standings lists the names"
    raise EventError(f"nobody in the season is called {name}. Fix: {fix}")


def _played(word: str, matches: Sequence[Kept]) -> Kept:
    """The match of this id, or `table/id`. Raises EventError where there is none, or several."""
    found = [one for one in matches if word in (one.result.match, f"{one.table}/{one.result.match}")]
    if len(found) > 1:
        ways = " or ".join(f"{one.table}/{one.result.match}" for one in found)
        raise EventError(f"{word} is a match of several tables. Fix: say {ways}")
    if not found:
        raise EventError(f"no match in the season is {word}. Fix: carrom season export writes their ids")
    return found[0]


def by_page(store: SeasonStore, body: Mapping[str, Any]) -> None:
    """Does what the season's page asks for: `what` is `merge` (`name`, `into`), `split` (`name`), `strike` (`match`,
    `why`) or `restore` (`match`). Raises UnreadableError for what is none of these.
    """
    takes = {"merge": ("name", "into"), "split": ("name",), "strike": ("match", "why"), "restore": ("match",)}
    what = str(body.get("what"))
    words = [body.get(name) for name in takes.get(what, ())]
    if not words or not all(isinstance(word, str) and word for word in words):
        raise UnreadableError(f"needs what, one of {', '.join(takes)}, and of it {takes}")
    does: dict[str, Callable[..., object]] = {"merge": merge, "split": split, "strike": strike, "restore": restore}
    does[what](store, *words)


def for_page(store: SeasonStore) -> dict[str, Any]:
    """What may be put right, as JSON values: `players`, which names are `merged`, the `latest` matches."""
    matches, amended = store.matches(), store.amendments()
    return {
        "players": sorted(season.known(matches).values(), key=name_key),
        "merged": sorted(amended.players.items()),
        "latest": [
            {
                "match": f"{one.table}/{one.result.match}",
                "table": one.table,
                "end": one.result.end,
                "sides": [[" & ".join(side.players), side.points] for side in one.result.sides],
                "struck": one.struck,
            }
            for one in matches[: -MOST_LATEST - 1 : -1]
        ],
    }
