"""What the club's desk decides about fixtures: walkovers, fixtures set aside or called now, and which match was one of
them, which it keeps by itself where a table says so. Pure; times come in.

Must not know the file, the broker or the pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, get_args

from controller.events.doors import name_key, player_of
from controller.events.errors import UnreadableError
from controller.hub.calling import EARLY, Call, calls
from controller.hub.day import Played, played, same_players, some_player
from controller.hub.fixtures import Fixture, club_day, named
from controller.hub.said import FinalSideSaid, GivenSaid, ResultSaid, ScoreSaid
from controller.mqtt.fixtures import named_in

What = Literal["walkover", "aside", "here", "undone", "played", "open"]
_WHAT: tuple[What, ...] = get_args(What)
ANOTHER_S = 6 * 3600.0
"""A match that ended so long before a fixture was first published is none of it: yesterday's of the same pair."""


@dataclass(frozen=True, slots=True)
class Act:
    """One decision about a fixture; the next about the same takes its place, and `undone` takes it away. `here`: its
    players are there, so that it is called before its time. `played`: it was, and stays so whatever the broker forgets.
    `open`: a match, not a fixture, that was taken for one and was another, a warm-up; a later `played` of that match
    outranks it.

    `fixture`: its name, see `named`, of `open` one for the match; `at_s`: when, Unix seconds; `until`: of `aside`,
    `YYYY-MM-DD HH:MM` by the fixtures' clock, or "" for until it is undone; `table`, `result`: of a walkover, whose
    result says no time, of what was played, and of what was not it.
    """

    fixture: str
    what: What
    at_s: float
    until: str = ""
    table: str = ""
    result: ResultSaid | None = None

    def repeats(self, other: Act | None) -> bool:
        """Whether it says the same as another."""
        return other is not None and replace(self, at_s=other.at_s) == other

    @property
    def says(self) -> str:
        """What it is, in a few words for the other desk."""
        match self.what, self.result:
            case "walkover", ResultSaid() as result:
                winner = next((side for side in result.sides if side.name == result.winner), None)
                why = "; ".join(one.why for one in result.given or ())
                return f"a walkover was given to {' & '.join(winner.players) if winner else 'nobody'} ({why})"
            case "played", _:
                return f"it was played on table {self.table}"
            case "aside", _:
                return "it was set aside"
            case "here", _:
                return "it was called"
        return "that match was said to be another one"


@dataclass(frozen=True, slots=True)
class Day:
    """The day as the desk has it. `named`: the fixtures by name; `done`: results and walkovers, by their ends;
    `called`: what is still to be played; `unkept`: which fixtures are played, as far as nobody has kept it yet; `acts`:
    what holds, by the fixtures' names."""

    named: Mapping[str, Fixture]
    done: Sequence[Played]
    called: Sequence[Call]
    unkept: Sequence[Act] = ()
    acts: Mapping[str, Act] = field(default_factory=dict)

    def may_be(self, one: Played) -> list[str]:
        """The open fixtures, by name, that a match may have been whose players typed their names: these are theirs. Or
        one of these, where it was picked for a fixture that is published no more: a name in it was corrected.
        """
        if one.fixture is not None or one.walkover or one.result.fixture is None:
            return []
        free = {id(call.fixture) for call in self.called if call.stage != "playing"}
        fits = some_player if one.result.fixture and one.result.fixture not in self.named else same_players
        return [name for name, each in self.named.items() if id(each) in free and fits(one.result, each)]

    def drawn(self, one: Played) -> bool:
        """Whether nobody won it and another match waits for who did."""
        if one.fixture is None or one.walkover or one.result.winner is not None or len(one.result.sides) != 2:
            return False
        awaited = {name_key(named_in(text)) for each in self.named.values() for text in each.awaits.values()}
        return name_key(one.fixture.id) in awaited


def walked_over(act: Act) -> ResultSaid | None:
    """The result of a walkover, which ended when it was given; None of another act."""
    if act.what != "walkover" or act.result is None:
        return None
    return act.result.model_copy(update={"start": act.at_s, "end": act.at_s})


def day_of(
    fixtures: Sequence[Fixture],
    results: Iterable[tuple[str, ResultSaid]],
    titles: Mapping[str, str],
    playing: Mapping[str, ScoreSaid],
    online: Collection[str],
    acts: Iterable[Act],
    now: datetime,
    early: timedelta = EARLY,
    ahead_s: Mapping[str, float] = MappingProxyType({}),
) -> Day:
    """Brings together what was typed, what the tables tell (see `calls`) and what the desk decided.

    `ahead_s`: how far our clock is ahead of a table's, as far as it is known.
    """
    names, today, acts = named(fixtures, now), club_day(now), list(acts)
    given, aside, here, done = set[int](), list[tuple[Fixture, str]](), list[Fixture](), list[Played]()
    # Of a match the latest act holds: it was this fixture, or another match.
    of_match = {(one.table, one.result.match): one for one in acts if one.what in ("played", "open") and one.result}
    taken_away = {match for match, act in of_match.items() if act.what == "open"}
    # A correction may have taken a match's end back: it is played on.
    goes_on = {(table, score.match) for table, score in playing.items()}
    told = {
        (table, one.match): one.model_copy(update={"fixture": ""}) if (table, one.match) in taken_away else one
        for table, one in results
        if (table, one.match) not in goes_on
    }
    # One that its broker has forgotten is shown on its day, so that it can be bound again.
    told |= {
        match: act.result.model_copy(update={"fixture": ""})
        for match, act in of_match.items()
        if match in taken_away - told.keys() - goes_on
        and act.result is not None
        and club_day(datetime.fromtimestamp(act.result.end)) == today
    }
    kept = {match: act for match, act in of_match.items() if match not in taken_away | goes_on}
    for (table, match), act in kept.items():
        assert act.result is not None
        fixture, last = names.get(act.fixture), _decided(told.get((table, match)), act.result)
        given |= {id(fixture)} if fixture is not None else set()
        if fixture is not None or (table, match) in told:
            done.append(Played(table, titles.get(table, table), last, fixture))
    for act in acts:
        fixture, result = names.get(act.fixture), walked_over(act)
        if act.what in ("played", "open"):
            continue
        if result is None:
            if fixture is not None and act.what == "here":
                here.append(fixture)
            elif fixture is not None:
                aside.append((fixture, act.until))
        # One whose fixture is not published any more is shown on its day, so that it can be undone.
        elif fixture is not None or club_day(datetime.fromtimestamp(act.at_s)) == today:
            table = fixture.table if fixture is not None else act.table
            given.add(id(fixture))
            done.append(Played(table, titles.get(table, table), result, fixture, act.fixture))
    # A match that is played all the same stands beside its walkover, until somebody undoes that.
    left = [(table, result) for (table, _), result in told.items() if (table, result.match) not in kept]
    free = {key: one for key, one in names.items() if id(one) not in given}
    done += played(left, free, titles, partial(_may_be, ahead_s))
    called = calls(fixtures, [one.fixture for one in done], playing, online, now, aside, here, early)
    of = {id(fixture): name for name, fixture in names.items()}
    bound = [
        Act(of[id(one.fixture)], "played", now.timestamp(), table=one.table, result=one.result)
        for one in done
        if one.fixture is not None and not one.walkover
    ]
    unkept = [act for act in bound if not act.repeats(_kept_as(act, kept))]
    by_name = {act.fixture: act for act in acts}
    return Day(names, sorted(done, key=lambda one: one.result.end), called, unkept, by_name)


def _decided(told: ResultSaid | None, kept: ResultSaid) -> ResultSaid:
    """The result as its table tells it, or as it was kept. Who goes on from a draw is the desk's to say."""
    return kept if told is None else told.model_copy(update={"goes_on": None if told.winner else kept.goes_on})


def _may_be(ahead_s: Mapping[str, float], table: str, result: ResultSaid, fixture: Fixture) -> bool:
    """Whether a match may be the one that a fixture names, by when it ended."""
    return not fixture.since or result.end + ahead_s.get(table, 0.0) > fixture.since - ANOTHER_S


def _kept_as(act: Act, kept: Mapping[tuple[str, str], Act]) -> Act | None:
    return kept.get((act.table, act.result.match)) if act.result is not None else None


def act_of(body: Mapping[str, Any], day: Day, now: datetime) -> Act | str:
    """Reads an act as the page sends it; a text says why it cannot be decided now.

    `fixture` and `what`; of a walkover `winner`, the side's first seat, and `reason`; of `aside` `until`, `HH:MM` of
    today or ""; of `played` `table` and `match`, or, who goes on from a draw, `winner`, "" for nobody. Raises
    UnreadableError for what is no act.
    """
    name, what = body.get("fixture"), body.get("what")
    if not isinstance(name, str) or what not in _WHAT:
        raise UnreadableError(f"needs a fixture, and what is one of {', '.join(_WHAT)}")
    at_s = now.timestamp()
    if what == "undone":
        return Act(name, what, at_s)
    if what == "open":
        one = _match_of(name, day)
        if one is None:
            return "no match was played for it"
        return Act(f"match {one.table} {one.result.match}", what, at_s, "", one.table, one.result)
    if what == "played" and "winner" in body:
        return _goes_on(name, at_s, body["winner"], day)
    fixture = day.named.get(name)
    given = any(one.walkover == name for one in day.done)
    open_ones = [one.fixture for one in day.called if one.stage != "playing"]
    if fixture is None or not (given or any(one is fixture for one in open_ones)):
        return "this match is played, under way or no fixture any more"
    if what == "walkover" and fixture.open_seats:
        return "who plays it is not known yet"
    if what == "walkover":
        act = Act(name, what, at_s, table=fixture.table, result=_walkover(name, fixture, body))
        return act if not given or act.repeats(day.acts.get(name)) else f"{day.acts[name].says}; undo it first"
    if given:
        return "a walkover was given; undo it first"
    if what == "played":
        return _played(name, at_s, body, day)
    if what == "here":
        return Act(name, what, at_s)
    until = _until(body.get("until"), now)
    return "this time has passed" if until and until <= f"{now:%Y-%m-%d %H:%M}" else Act(name, what, at_s, until)


def _match_of(name: str, day: Day) -> Played | None:
    """The match that was played for a fixture."""
    fixture = day.named.get(name)
    return next((one for one in day.done if fixture is not None and one.fixture is fixture and not one.walkover), None)


def _goes_on(name: str, at_s: float, winner: object, day: Day) -> Act | str:
    one = _match_of(name, day)
    if one is None:
        return "no match was played for it"
    if winner not in ("", *(side.name for side in one.result.sides)):
        raise UnreadableError("needs a winner, one of its sides, or nobody")
    if one.result.winner is not None:
        return "it has a winner"
    return Act(name, "played", at_s, "", one.table, one.result.model_copy(update={"goes_on": winner or None}))


def _played(name: str, at_s: float, body: Mapping[str, Any], day: Day) -> Act | str:
    table, match = body.get("table"), body.get("match")
    for one in day.done:
        if (one.table, one.result.match) == (table, match) and not one.walkover:
            belongs = one.fixture is not None
            return "it belongs to another fixture" if belongs else Act(name, "played", at_s, "", one.table, one.result)
    return "no such match was played"


def _walkover(name: str, fixture: Fixture, body: Mapping[str, Any]) -> ResultSaid:
    sides = [FinalSideSaid(name=pair[0], players=tuple(fixture.seats[seat] for seat in pair)) for pair in fixture.sides]
    winner, reason = body.get("winner"), body.get("reason")
    losers = [side.name for side in sides if side.name != winner]
    if len(losers) != 1 or not isinstance(reason, str):
        raise UnreadableError(f"needs a winner ({' or '.join(side.name for side in sides)}) and a reason")
    try:
        why = player_of(reason.strip())
    except UnreadableError as error:
        raise UnreadableError(f"reason {error}") from error
    given = (GivenSaid(side=losers[0], how="forfeit", why=why),)
    return ResultSaid(match=f"walkover-{name}", book=fixture.book, winner=winner, sides=tuple(sides), given=given)


def _until(clock: object, now: datetime) -> str:
    if clock == "":
        return ""
    try:
        until = datetime.combine(now.date(), datetime.strptime(str(clock), "%H:%M").time())
    except ValueError as error:
        raise UnreadableError("until needs HH:MM, or nothing") from error
    later = until + timedelta(days=1)
    # A day of play ends after midnight.
    return f"{later if until < now and club_day(later) == club_day(now) else until:%Y-%m-%d %H:%M}"
