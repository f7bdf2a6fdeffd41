"""What there is to tell of a match: its result, its lines, its players' figures. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from controller import rules
from controller.commands.recorded import Recorded
from controller.events.codec import event_to_json, ruling_to_json
from controller.events.words import given_in_words
from controller.mqtt.payloads import FinalBoard, Result
from controller.mqtt.scoreboard import MatchInfo, boards_within, in_words, result
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One event as it stands, in the words of a table."""

    seq: int
    time: str
    board: int
    event: str
    seat: str | None
    player: str
    pocketed: tuple[str, ...]
    off_board: tuple[str, ...]
    fouls: tuple[str, ...]
    returned: tuple[str, ...]
    dues: int
    queen: str
    turn: str | None
    score: Mapping[str, int]
    void: bool
    says: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """One player's figures. `pocketed`: pieces that fell in own strokes; `seconds`: mean time to strike, if known."""

    player: str
    strokes: int = 0
    pocketed: int = 0
    queen: int = 0
    striker: int = 0
    fouls: int = 0
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class BoardLine:
    """What a score sheet says of a board that ended, besides its result: who broke, whose white was, who had the queen
    at the end; names, "" where it is not known or nobody's."""

    final: FinalBoard
    breaker: str
    white: str
    queen: str


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a match was part of; "" is left to be written by hand."""

    competition: str = ""
    round: str = ""
    referee: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A match as a report. `note`: what the reader must know about it, if anything; `state`: as it was ruled again."""

    title: str
    result: Result
    lines: tuple[Line, ...]
    players: tuple[PlayerFigures, ...]
    history: tuple[tuple[float, Json, Json], ...]
    over: bool
    state: rules.MatchState
    note: str = ""
    boards: tuple[BoardLine, ...] = ()
    occasion: Occasion = Occasion()


def given(told: Report) -> str:
    """Who forfeited, was disqualified or conceded, in words; "" where all was played out."""
    names = _names(told.result)
    return "; ".join(
        given_in_words(one.how, names[one.side], one.why, one.game if one.of == "game" else None)
        for one in told.result.given
    )


def report(match: Recorded, umpire: Umpire, said: Occasion = Occasion()) -> Report:
    """Rules the match again and tells it as it stands. `said`: wins over what the match's start says of the occasion.

    Where an event can no longer be ruled (another book by now), it is reported as it was recorded, with a note.
    """
    seated: dict[int, Mapping[str, str]] = {}
    whites: dict[int, str] = {}
    note, chairs = "", {}
    for entry in match.entries:
        taken = umpire.take_again(entry.event)
        if not isinstance(taken, Taken):
            note = f"told as recorded: event {entry.seq} can no longer be ruled ({taken.error})"
            break
        now = umpire.info("", "")
        chairs = {str(seat): name for seats in now.sides.values() for seat, name in seats.items()}
        seated[entry.seq] = chairs
        white = next((side for side, colour in now.colours.items() if colour == "white"), None)
        whites[entry.seq] = " & ".join(now.sides[white].values()) if white else ""
    recorded = tuple((entry.t_unix, entry.event, entry.ruling) for entry in match.entries)
    history = recorded if note else _standing(match, umpire)
    info = umpire.info(match.row.place, match.row.match)
    book = umpire.book_json() or {}
    lines = _once(tuple(_line(*entry, seated.get(int(entry[2]["seq"]), chairs), info) for entry in history))
    final = result(info, history)
    start = match.entries[0].event
    return Report(
        title=str(book.get("title") or info.book or match.row.book),
        result=final,
        lines=lines,
        players=_figures(lines, history, seated),
        history=history,
        over=bool(history and history[-1][2].get("match_over")),
        state=umpire.state,
        note=note,
        boards=tuple(_boards(_names(final), lines, history, whites)),
        occasion=Occasion(
            *(getattr(said, one.name) or str(start.get(one.name) or "") for one in fields(Occasion)),
        ),
    )


def _names(final: Result) -> dict[str, str]:
    return {side.name: " & ".join(side.players) for side in final.sides}


def _boards(
    names: Mapping[str, str],
    lines: Sequence[Line],
    history: Sequence[tuple[float, Json, Json]],
    whites: Mapping[int, str],
) -> Iterator[BoardLine]:
    """The boards that ended, in order. `names`: by side; `whites`: by event, who has white after it."""
    told = [
        (line, event, ruling)
        for line, (_at, event, ruling) in zip(lines, history, strict=True)
        if "error" not in ruling
    ]
    # A board is under way already where a match was taken over in the middle of one: nobody saw who broke.
    under_way = bool((history[0][1].get("position") or {}).get("break_done")) if history else False
    for final, since, until in boards_within(ruling for _line, _event, ruling in told):
        breaker, trial = "", False
        for line, _event, _ruling in told[since:until]:
            if line.event in ("trial", "play"):
                trial = line.event == "trial"
            elif line.event == "shot" and not line.void and not trial and not under_way:
                breaker = line.player
                break
        line, _event, ruling = told[until - 1]
        held = ruling.get("queen_side") if ruling.get("queen") == "covered" else None
        yield BoardLine(final, breaker, whites.get(line.seq, ""), names.get(str(held), ""))
        under_way = False


def _standing(match: Recorded, umpire: Umpire) -> tuple[tuple[float, Json, Json], ...]:
    """Every event with the ruling that stands now: corrections taken in, strokes taken back void."""
    times = {entry.seq: entry.t_unix for entry in match.entries}
    return tuple(
        (times[ruling.seq], event_to_json(event), ruling_to_json(ruling))
        for event, ruling in rules.rulings(umpire.state)
    )


RESTATING = frozenset({"correct", "answer", "override", "verdict"})


def _once(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Every foul once, at its stroke: what re-rules a stroke (a correction, a call about it) repeats its fouls."""
    found: list[Line] = []
    stroke: Line | None = None
    for line in lines:
        told: frozenset[str] = frozenset()
        if line.event == "shot":
            stroke = line
        elif line.event in RESTATING:
            told = frozenset(line.fouls)
        elif stroke is not None and line.seat == stroke.seat:
            told = frozenset(stroke.fouls)
        found.append(replace(line, fouls=tuple(foul for foul in line.fouls if foul not in told)))
    return tuple(found)


def _line(at: float, event: Json, ruling: Json, seated: Mapping[str, str], info: MatchInfo) -> Line:
    seat = ruling.get("seat")
    return Line(
        seq=int(ruling["seq"]),
        time=datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
        board=int((ruling.get("board") or {}).get("number", 1)),
        event=str(event["event"]),
        seat=seat,
        player=seated.get(str(seat), ""),
        pocketed=tuple(f"{p['piece']}:{p.get('pocket') or '?'}" for p in event.get("pocketed") or ()),
        off_board=tuple(event.get("off_board") or ()),
        fouls=tuple(f["clause"] for f in ruling.get("fouls") or () if f["status"] == "ruled"),
        returned=tuple(r["piece"] for r in ruling.get("returned") or ()),
        dues=sum(due["pieces"] for due in ruling.get("dues") or ()),
        queen=str(ruling.get("queen", "")),
        turn=ruling.get("turn"),
        score=dict(ruling.get("score") or {}),
        void=bool(ruling.get("void")),
        says=in_words(ruling, info),
        reason=str(event.get("reason", "")),
    )


def _figures(
    lines: tuple[Line, ...], history: tuple[tuple[float, Json, Json], ...], seated: Mapping[int, Mapping[str, str]]
) -> tuple[PlayerFigures, ...]:
    found: dict[str, PlayerFigures] = {}
    elapsed: dict[str, list[float]] = {}
    for names in seated.values():
        for name in names.values():
            found.setdefault(name, PlayerFigures(name))
    for line, (_at, event, _ruling) in zip(lines, history, strict=True):
        if not line.player or line.void:
            continue
        mine = found.setdefault(line.player, PlayerFigures(line.player))
        mine = replace(mine, fouls=mine.fouls + len(line.fouls))
        if line.event == "shot":
            fell = [pocketed.partition(":")[0] for pocketed in line.pocketed]
            mine = replace(
                mine,
                strokes=mine.strokes + 1,
                pocketed=mine.pocketed + sum(piece != "striker" for piece in fell),
                queen=mine.queen + fell.count("queen"),
                striker=mine.striker + fell.count("striker"),
            )
            if isinstance(event.get("elapsed"), int | float):
                elapsed.setdefault(line.player, []).append(float(event["elapsed"]))
        found[line.player] = mine
    return tuple(
        replace(figures, seconds=round(sum(times) / len(times), 1)) if (times := elapsed.get(name)) else figures
        for name, figures in found.items()
    )
