"""The scoreboard, derived from the latest ruling and what the table knows about the match. Pure; times come in.

Everything that shows a score (MQTT, the pages, the LED display, the score sheet) shows this one. Must not know how a
ruling comes about: it copies figures and never computes one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from controller.events.ruling import Challenged, Given
from controller.events.words import Colour, Seat, given_in_words
from controller.mqtt.payloads import (
    Armed,
    Clock,
    Earlier,
    FinalBoard,
    FinalSide,
    History,
    Last,
    Result,
    Round,
    Score,
    Side,
    State,
    plain,
)

FIGURES = ("turn", "queen", "queen_side", "left", "in_hand", "owed", "score", "games", "board")
"""The parts of a ruling that are shown as figures and can hang on an open question."""

RESET_S = 0.5
"""A clock whose end differs by less is the same: the wall clock is set by so much now and then."""

EVENTS = {
    "start": "the match begins",
    "set": "the umpire sets the position",
    "override": "the umpire sets a figure",
    "correct": "a stroke is corrected",
    "answer": "a question is answered",
    "challenge": "a stroke is challenged",
    "verdict": "a challenge is decided",
    "placed": "pieces are placed",
    "pause": "play is stopped",
    "resume": "play goes on",
    "play": "the umpire calls play",
    "trial": "trial board",
    "next_board": "the next board opens",
    "timeout": "the stroke clock ran out",
    "seats": "the players change seats",
    "drop": "a piece fell without a stroke",
    "seen": "the camera saw something",
    "round_over": "the round's time is over",
}
"""The text of an event that has no other."""


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """What is known about a match besides its rulings.

    `sides`: side (its first seat) → physical seat now → player, in the order of the start. `colours`: side → colour,
    where the book gives colours. `stroke_seconds`: the clock's limit. `fixture`: the key of the club's fixture.
    """

    table: str
    match: str
    book: str
    sides: Mapping[Seat, Mapping[Seat, str]]
    colours: Mapping[Seat, Colour] = field(default_factory=dict)
    paused: bool = False
    trial: bool = False
    stroke_seconds: float | None = None
    fixture: str = ""


def score(
    ruling: Mapping[str, Any] | None,
    info: MatchInfo,
    t: float,
    *,
    clock: Clock | None = None,
    armed: Armed = "armed",
    provisional: Sequence[str] = (),
    asks: int = 0,
    measures: Mapping[str, Any] | None = None,
    round: Round | None = None,
    challenge: Challenged | None = None,
    challenges_left: Mapping[Seat, int] | None = None,
) -> Score:
    """Builds the scoreboard from the latest ruling (None: nothing has begun). `t` in Unix seconds.

    `provisional`: the figures that hang on open questions (see `hanging`); `asks`: how many are open;
    `measures`: the board's; `round`: the round clock; `challenge`: the one that waits for its verdict.
    """
    shown = ruling or {}
    board = shown.get("board") or {}
    games = shown.get("games") or {}
    over = bool(shown.get("game_over"))
    return Score(
        seq=int(shown.get("seq", 0)),
        t=t,
        table=info.table,
        match=info.match or None,
        book=info.book or None,
        state=_state(shown, info),
        game=max(1, sum(games.values()) + (0 if over else 1)),
        board=int(board.get("number", 1)),
        sides=tuple(_side(name, seats, shown, info) for name, seats in info.sides.items()),
        turn=shown.get("turn"),
        queen=shown.get("queen", "board"),
        clock=clock or Clock(limit=info.stroke_seconds),
        armed=armed,
        provisional=tuple(provisional),
        last=last(ruling, info) if ruling is not None else None,
        queen_side=shown.get("queen_side"),
        winner=shown.get("winner"),
        asks=asks,
        measures=dict(measures or {}),
        fixture=info.fixture,
        round=round,
        challenge=challenge,
        challenges_left=None if challenges_left is None else dict(challenges_left),
    )


def has_news(board: Score, before: Score) -> bool:
    """Whether a scoreboard shows anything but that time has passed since the one before."""
    of_round = _as_before(board.round, before.round) if board.round and before.round else board.round
    return replace(board, t=before.t, clock=_as_before(board.clock, before.clock), round=of_round) != before


_AnyClock = TypeVar("_AnyClock", bound=Clock)


def _as_before(clock: _AnyClock, before: _AnyClock) -> _AnyClock:
    """The clock without what time alone has changed in it."""
    if is_reset(clock.ends, before.ends):
        return clock
    # What is left says more only while nothing says when the time is over.
    left = clock.left if clock.ends is None else before.left
    return replace(clock, left=left, ends=before.ends)


def is_reset(ends: float | None, before: float | None) -> bool:
    """Whether a clock runs out at another time than before, or begins or stops to run."""
    if ends is None or before is None:
        return ends is not before
    return abs(ends - before) >= RESET_S


def idle(table: str, t: float, armed: Armed = "off", measures: Mapping[str, Any] | None = None) -> Score:
    """The scoreboard of a table on which nothing is played."""
    return score(None, MatchInfo(table, "", "", {}), t, armed=armed, measures=measures)


def flat(board: Score) -> dict[str, str]:
    """The same as bare numbers and words, by the last level of the topic; an empty text clears the topic."""
    words: dict[str, str] = {side.name: str(side.points) for side in board.sides}
    words["turn"] = board.turn or "none"
    words["queen"] = board.queen
    words["clock"] = flat_clock(board.clock)
    return words


def flat_clock(clock: Clock) -> str:
    """Whole seconds left, rounded up (0 means over), only while the clock runs."""
    if not clock.running or clock.left is None:
        return ""
    return str(max(0, -int(-clock.left // 1)))


def history(info: MatchInfo, ruled: Sequence[tuple[float, Mapping[str, Any], MatchInfo]], t: float) -> History:
    """Builds the latest rulings in short. `ruled`: each ruling as it stands now, with when it was made in Unix seconds
    and with the match as it was then: who sat where.
    """
    short = (Earlier(**plain(last(ruling, then)), at=at) for at, ruling, then in ruled)
    return History(t, info.table, info.match or None, tuple(short))


def last(ruling: Mapping[str, Any], info: MatchInfo | None = None) -> Last:
    """The latest ruling in short, with one line for people, by name where `info` is given."""
    fouls = tuple(foul["clause"] for foul in ruling.get("fouls") or ())
    return Last(
        seq=int(ruling.get("seq", 0)),
        event=str(ruling.get("event", "")),
        seat=ruling.get("seat"),
        says=in_words(ruling, info),
        fouls=fouls,
        cites=tuple(ruling.get("cites") or ()),
        provisional=bool(ruling.get("provisional")),
        void=bool(ruling.get("void")),
    )


def in_words(ruling: Mapping[str, Any], info: MatchInfo | None = None) -> str:
    """One line about a ruling: foul, end, pieces, turn, in the order in which people ask; by name with `info`."""
    if "error" in ruling:
        return str(ruling["error"])
    # After a change of ends a side's name is no longer the seat it sits on.
    sides = {side: " & ".join(seats.values()) for side, seats in info.sides.items()} if info else {}
    players: dict[Any, str] = {}
    for seats in info.sides.values() if info else ():
        players |= seats

    def side(name: Any) -> str:
        return sides.get(name) or str(name)

    parts = [_verdict_in_words(ruling, side)] if ruling.get("event") == "verdict" and ruling.get("challenge") else []
    parts += [
        f"foul {foul['clause']}: {foul['says']}" + ("" if foul.get("status") != "to confirm" else " (to confirm)")
        for foul in ruling.get("fouls") or ()
    ]
    board = ruling.get("board") or {}
    over = bool(board.get("over") or ruling.get("match_over"))
    for one in _ended_by(ruling):
        parts.append(given_in_words(one.how, side(one.side), one.why, one.game if one.of == "game" else None))
    if board.get("over"):
        won = f"{side(board.get('winner'))} wins the board, {_points(board.get('points', 0))}"
        parts.append("the board is drawn" if board.get("drawn") else won)
    if ruling.get("match_over"):
        parts.append(f"{side(ruling['winner'])} wins the match" if ruling.get("winner") else "the match is over")
        if ruling.get("ranking"):
            parts.append(f"ranking: {', '.join(map(side, ruling['ranking']))}")
    if ruling.get("void"):
        parts.append("the stroke is taken back")
    told_now = "place_now" in ruling  # what was returned and paid may have been placed already: only what is left to do
    if back := [str(entry["piece"]) for entry in ruling.get("returned") or () if not told_now]:
        parts.append(f"back on the board: {', '.join(back)}")
    for due in ruling.get("dues") or ():
        paid, owed = 0 if told_now else due.get("pieces"), due.get("owed")
        if not paid and not owed:
            continue
        says = [f"pays {paid}" if paid else "", f"owes {owed}" if owed else ""]
        parts.append(f"{side(due['side'])} {' and '.join(filter(None, says))}")
    if pieces := _counted(ruling.get("place_now")):
        parts.append(f"to be placed now: {pieces}")
    if pieces := _counted(ruling.get("take_off")):
        parts.append(f"to be taken off: {pieces}")
    if ruling.get("asks"):
        parts.append("a question is open")
    if ruling.get("event") == "shot" and not over and ruling.get("turn_kept") is not None:
        turn = ruling.get("turn")
        parts.append(f"{players.get(turn) or turn} {'plays on' if ruling['turn_kept'] else 'to play'}")
    event = str(ruling.get("event", ""))
    return "; ".join(parts) or EVENTS.get(event, event.replace("_", " "))


def _verdict_in_words(ruling: Mapping[str, Any], side: Callable[[Any], str]) -> str:
    """`challenge upheld (Chitra: seen twice), left: Asha 1, Ben 0`."""
    given = ruling["challenge"]
    who = ": ".join(filter(None, (given.get("by"), given.get("reason"))))
    left = ", ".join(f"{side(name)} {count}" for name, count in (ruling.get("challenges_left") or {}).items())
    word = {"inconclusive": "not clear"}.get(given.get("result"), given.get("result"))
    return f"challenge {word}" + (f" ({who})" if who else "") + (f", left: {left}" if left else "")


def _counted(pieces: Sequence[Mapping[str, Any]] | None) -> str:
    """`2 white, 1 queen`."""
    return ", ".join(f"{n} {piece}" for piece, n in Counter(str(one["piece"]) for one in pieces or ()).items())


def hanging(now: Mapping[str, Any], otherwise: Iterable[Mapping[str, Any]] | None) -> tuple[str, ...]:
    """Returns the figures that would be others under another answer, as paths: `turn`, `score.south`, `left.white`.

    `now`: the ruling shown; `otherwise`: the latest rulings if the open questions were answered in other ways, None
    where there are too many ways: then every figure hangs.
    """
    shown = _figures(now)
    if otherwise is None:
        return tuple(shown)
    found: list[str] = []
    for other in otherwise:
        there = _figures(other)
        found += [path for path in {**shown, **there} if shown.get(path) != there.get(path)]
    return tuple(dict.fromkeys(found))


def result(info: MatchInfo, history: Sequence[tuple[float, Mapping[str, Any], Mapping[str, Any]]]) -> Result:
    """How a match stands or ended, from its whole history: (Unix seconds, event, ruling), in order.

    A board that was taken back or re-ruled counts as the latest ruling about it says.
    """
    rulings = [(t, ruling) for t, _event, ruling in history if "error" not in ruling]
    final: Mapping[str, Any] = rulings[-1][1] if rulings else {}
    points, games = dict(final.get("score") or {}), dict(final.get("games") or {})
    best_first = {side: place for place, side in enumerate(final.get("ranking") or ())}
    return Result(
        match=info.match,
        table=info.table,
        book=info.book,
        winner=final.get("winner"),
        score=points,
        games=games,
        sides=tuple(
            FinalSide(name, tuple(seats.values()), int(points.get(name, 0)), int(games.get(name, 0)))
            for name, seats in sorted(info.sides.items(), key=lambda item: best_first.get(item[0], 0))
        ),
        boards=tuple(boards(ruling for _t, ruling in rulings)),
        start=history[0][0] if history else 0.0,
        end=rulings[-1][0] if rulings else 0.0,
        ranking=tuple(final.get("ranking") or ()),
        given=tuple(Given(**one) for one in final.get("given") or ()),
        fixture=info.fixture,
    )


def _ended_by(ruling: Mapping[str, Any]) -> Iterator[Given]:
    """Who gave what this ruling shows as over."""
    played = sum((ruling.get("games") or {}).values())
    for one in (Given(**each) for each in ruling.get("given") or ()):
        if ruling.get("match_over") if one.of == "match" else ruling.get("game_over") and one.game == played:
            yield one


def boards(rulings: Iterable[Mapping[str, Any]]) -> Iterable[FinalBoard]:
    """The boards that ended, in order, each as the latest ruling before the next board opened says."""
    return (board for board, _since, _until in boards_within(rulings))


def boards_within(rulings: Iterable[Mapping[str, Any]]) -> Iterable[tuple[FinalBoard, int, int]]:
    """The same, each with the places of its rulings: from the first to before the last."""
    held: FinalBoard | None = None
    since = until = 0
    for place, ruling in enumerate(rulings):
        board = ruling.get("board") or {}
        if board.get("over"):
            games, over = ruling.get("games") or {}, bool(ruling.get("game_over"))
            held = FinalBoard(
                game=max(1, sum(games.values()) + (0 if over else 1)),
                board=int(board.get("number", 1)),
                winner=board.get("winner"),
                points=int(board.get("points", 0)),
                drawn=bool(board.get("drawn")),
                why=board.get("why"),
                score=dict(ruling.get("score") or {}),
                slam=board.get("slam"),
            )
            until = place + 1
        elif held is not None:
            # A board that goes on after its end was corrected away has the same number again.
            if int(board.get("number", 1)) != held.board or sum((ruling.get("games") or {}).values()) >= held.game:
                yield held, since, until
                since = place
            held = None
    if held is not None:
        yield held, since, until


def _figures(ruling: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in FIGURES:
        value = ruling.get(name)
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            found[name] = value
    return found


def _state(ruling: Mapping[str, Any], info: MatchInfo) -> State:
    if not ruling:
        return "idle"
    if ruling.get("match_over"):
        return "match_over"
    if (ruling.get("board") or {}).get("over"):
        return "board_over"
    if info.paused:
        return "paused"
    return "trial" if info.trial else "playing"


def _side(name: Seat, seats: Mapping[Seat, str], ruling: Mapping[str, Any], info: MatchInfo) -> Side:
    def of(key: str) -> int:
        return int((ruling.get(key) or {}).get(name, 0))

    colour = info.colours.get(name)
    left = (ruling.get("left") or {}).get(colour) if colour else None
    queen = ruling.get("queen")
    held = queen if ruling.get("queen_side") == name and queen in ("pending", "covered") else None
    return Side(
        name=name,
        seats=dict(seats),
        colour=colour,
        points=of("score"),
        games=of("games"),
        left=left,
        in_hand=of("in_hand"),
        owed=of("owed"),
        queen=held,
    )


def _points(count: int) -> str:
    return f"{count} point" if count == 1 else f"{count} points"
