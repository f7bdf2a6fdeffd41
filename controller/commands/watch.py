"""`carrom watch`: recorded video and beam log in, `shot` events out; with `--rulings` every event and its ruling.

The recording goes through the very packages a live table uses: vision, shots, rules. Times count from the middle of the
first frame's exposure.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, TypeAdapter
from typing_extensions import TypedDict

from controller import rules, shots
from controller.commands.follower import follow_recording
from controller.events.beams import Beam, BeamEdge, BeamHealth
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.doors import RECORD, json_object, text_of
from controller.events.errors import ConfigError, EventError, UnreadableError
from controller.events.match import Correct, Event, Position, Start
from controller.events.observation import BoardSeen, EyesHealth, Observation, StrokeSeen
from controller.events.reading import Number, YesNo, read, shown
from controller.events.ruling import Refusal
from controller.events.words import Pocket, Seat
from controller.rules.shelf import load_books, shipped_books
from controller.shots.limits import Limits
from controller.vision.calibration_file import load
from controller.vision.sources.choose import recording

S = 1_000_000_000
LAST_S = 5
"""So long after a recording's end nothing waits for anything any more."""
LONGEST_S = 7 * 86400.0
"""No recording lasts longer than a tournament's week."""
OPPOSITE: dict[Seat, Seat] = {"south": "north", "north": "south", "east": "west", "west": "east"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("--calibration", type=Path, required=True, metavar="FILE", help="made by carrom calibrate")
    parser.add_argument("--video", type=Path, required=True, metavar="FILE or FOLDER", help="video, or pictures")
    parser.add_argument("--fps", type=float, metavar="N", help="pictures a second where the recording does not say")
    parser.add_argument("--beams", type=Path, metavar="FILE", help="beam log, JSON lines; no beams if left out")
    parser.add_argument("--start", type=Path, metavar="FILE", help="the events before: book, seats, position")
    parser.add_argument("--rulings", action="store_true", help="print every event with its ruling")


def run(args: argparse.Namespace) -> int:
    """Watches the recording. Raises ConfigError or DeviceError for input that cannot be used."""
    if args.fps is not None and not 0 < args.fps <= 1000:
        raise ConfigError(f"--fps {args.fps:g}: is no frame rate. Fix: give pictures a second, such as --fps 30")
    calibration = load(args.calibration)
    edges = None if args.beams is None else read_beams(args.beams)
    before = None if args.start is None else read_start(args.start)
    seen = follow_recording(
        recording(args.video, args.fps),
        calibration.model,
        calibration.looks,
        calibration.board,
        allows=calibration.grade,
    )
    for line in watch(merged(seen, edges), before, args.rulings, shots.begin(calibration.board)):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    return 0


def _in_time(seconds: float) -> float:
    if abs(seconds) > LONGEST_S:
        raise ValueError(f"must be within {LONGEST_S:.0f} s of the first picture, not {shown(seconds)}")
    return seconds


class _BeamLine(TypedDict):
    """A line of a beam log; what else stands in it is not ours."""

    t: Annotated[Number, AfterValidator(_in_time)]
    pocket: Pocket
    beam: NotRequired[Beam]
    blocked: YesNo


_BEAM_LINE = TypeAdapter(_BeamLine)


def read_beams(file: Path) -> list[BeamEdge]:
    """Reads a beam log. Raises ConfigError naming file, line and what is wrong."""
    edges = []
    for at, line in _lines(file):
        fix = 'Fix: write lines such as {"t": 0.684, "pocket": "NE", "beam": "upper", "blocked": true}'
        try:
            edge = read(_BEAM_LINE, json_object(line))
        except (UnreadableError, EventError) as error:
            raise ConfigError(f"{file}:{at}: {error}. {fix}") from error
        edges.append(
            BeamEdge(round(edge["t"] * S), edge["pocket"], edge.get("beam", "upper"), edge["blocked"], "log", at)
        )
    return edges


def read_start(file: Path) -> list[Event]:
    """Reads the events before. Raises ConfigError naming file, line and what is wrong."""
    events: list[Event] = []
    for at, line in _lines(file):
        try:
            events.append(event_from_json(json_object(line)))
        except (UnreadableError, EventError) as error:
            raise ConfigError(f"{file}:{at}: {error}. Fix: write one event a line, as for `carrom rule`") from error
    if not events or not isinstance(events[0], Start):
        raise ConfigError(
            f'{file}: does not begin with a start. Fix: begin with {{"event": "start", "book": "icf", …}}'
        )
    return events


def merged(seen: Iterable[Observation], edges: list[BeamEdge] | None) -> Iterator[shots.Input]:
    """Puts observations and beams into one stream by time, with the signs of life that a live table would give."""
    waiting = sorted(edges or (), key=lambda edge: edge.t_ns)
    latest, limits = 0, Limits()
    for said in seen:
        latest = max(latest, said.t_ns)
        while waiting and waiting[0].t_ns <= latest:
            yield waiting.pop(0)
        if edges is not None:
            yield BeamHealth(latest, "up")
        yield said
        yield shots.Tick(latest)
    yield from waiting
    looked_ns, latest = latest, max([latest, *(edge.t_ns for edge in waiting)])
    if edges is not None:
        yield BeamHealth(latest + S, "up")
    yield shots.Tick(latest + S, latest)
    if latest - looked_ns <= limits.eyes_silent_ns:
        # The recording is over; that is no camera that has gone, with strokes that only the beams feel.
        yield EyesHealth(latest + LAST_S * S, "ok", looked_ns)
    last_ns = latest + LAST_S * S
    yield shots.Tick(last_ns, beams_until_ns=None if edges is None else last_ns)


def watch(
    stream: Iterator[shots.Input], before: list[Event] | None, rulings: bool, begun: shots.ShotState
) -> Iterator[dict[str, Any]]:
    """Yields what is printed: shots, or every event and its ruling. `before`: None if nobody gave what was before."""
    books = load_books([path for path in _books_of(before or ()) if path not in shipped_books()])
    match = rules.begin(books)
    held: list[shots.Input] = []
    if before is None:
        before = [_start_seen(stream, held, begun)]
    for event in before:
        match, ruling = rules.apply(match, event)
        if isinstance(ruling, Refusal):
            raise ConfigError(f"the events before: {ruling.event}: {ruling.error}. Fix: correct --start")
    state = begun
    seqs: dict[int, int] = {}
    state, outputs = shots.step(state, rules.expectation(match))
    queue = list(outputs)
    for item in _again(held, stream):
        state, outputs = shots.step(state, item)
        queue += outputs
        while queue:
            output = queue.pop(0)
            found = _event_of(output, seqs)
            if found is None:
                continue
            match, ruling = rules.apply(match, found)
            if isinstance(output, shots.ShotRead):
                seqs[output.began_ns] = match.seq
                yield event_to_json(output.shot)
            elif rulings:
                yield event_to_json(found)
            if rulings:
                yield ruling_to_json(ruling)
            state, more = shots.step(state, rules.expectation(match))
            queue += more


def _event_of(output: shots.Output, seqs: dict[int, int]) -> Event | None:
    match output:
        case shots.ShotRead(shot=shot, revises=revised):
            if revised is not None and revised in seqs:
                return Correct(seqs[revised], event_to_json(shot))
            return shot
        case shots.DropRead(drop=drop, choices=choices):
            # A piece that may be another is not guessed: the engine asks if it matters.
            return drop if len(choices) < 2 else replace(drop, piece="unknown")
        case shots.PlacedRead(placed=placed):
            return placed
        case shots.SeenRead(seen=seen):
            return seen
        case _:
            return None


def _start_seen(stream: Iterator[shots.Input], held: list[shots.Input], begun: shots.ShotState) -> Start:
    """Reads ahead to the first stroke, and takes from it who is on turn and from the board what is left.

    What was read is appended to `held`, to be played again.
    """
    state, board, seat = begun, None, None
    for item in stream:
        held.append(item)
        if board is None and isinstance(item, StrokeSeen | BoardSeen):
            board = item if isinstance(item, BoardSeen) else item.before
        if isinstance(item, StrokeSeen) and item.struck is not None:
            board = item.before
        state, outputs = shots.step(state, item)
        read = next((one for one in outputs if isinstance(one, shots.ShotRead)), None)
        if read is not None:
            seat = read.shot.seat if read.shot.seat != "unknown" else None
            break
    struck: Seat = seat or "south"
    seats: dict[Seat, str] = {struck: struck, OPPOSITE[struck]: OPPOSITE[struck]}
    return Start("icf", seats, struck, position=_position(board, struck))


def _position(board: BoardSeen | None, turn: Seat) -> Position:
    """What lies on the board tells what is left; a whole set in the middle is an opening."""
    if board is None:
        return Position(turn=turn)
    names = [piece.piece for piece in board.pieces]
    white, black, queen = min(names.count("white"), 9), min(names.count("black"), 9), "queen" in names
    racked = all(piece.x_mm**2 + piece.y_mm**2 < 95.0**2 for piece in board.pieces if piece.piece != "striker")
    if white == black == 9 and queen and racked:
        return Position(turn=turn)
    had: dict[Seat, bool] = {turn: True, OPPOSITE[turn]: True}
    return Position(
        left={"white": max(1, white), "black": max(1, black)},
        queen="board" if queen else "covered",
        queen_side=None if queen else turn,
        turn=turn,
        break_done=True,
        had_pocketed=had,
    )


def _again(held: list[shots.Input], stream: Iterator[shots.Input]) -> Iterator[shots.Input]:
    yield from held
    yield from stream


def _books_of(events: Iterable[Event]) -> list[str]:
    return [event.book for event in events if isinstance(event, Start)]


def _lines(file: Path) -> list[tuple[int, str]]:
    """Returns the lines that say something, with their numbers."""
    try:
        # Not `splitlines`: JSON may hold the rarer separators of lines inside a text.
        lines = text_of(file, RECORD).split("\n")
    except UnreadableError as error:
        raise ConfigError(f"{file}: {error}. Fix: name a file of JSON lines") from error
    return [(at, line) for at, line in enumerate(lines, 1) if line.strip()]


__all__ = ["add_arguments", "merged", "read_beams", "read_start", "run", "watch"]
