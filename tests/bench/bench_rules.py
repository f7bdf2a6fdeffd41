"""Figures of the rules engine: strokes a second, growth with the match's length, re-ruling a long match.

Times are of the processor, so that other programs on the machine do not count.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from random import Random
from typing import Any

from controller.events.codec import event_from_json, ruling_to_json
from controller.events.match import Event
from controller.rules import MatchState, apply, begin
from controller.rules.shelf import load_books
from tests.bench.figure import Figure

BOOKS = load_books()


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures; `long` plays more strokes."""
    strokes = 50_000 if long else 10_000
    for book in BOOKS if long else ("icf", "club", "world-point"):
        rate = best_of(3, lambda book=book: strokes_a_second(book, strokes))
        yield Figure(
            f"strokes a second through apply, {book}", "host", f"{rate:,.0f}", "at least 10,000", rate >= 10_000
        )
    first, last = growth(20_000 if not long else 100_000)
    yield Figure(
        "cost of a stroke late in a match against early",
        "host",
        f"{last / first:.2f} ×",
        "does not grow (below 1.5 ×)",
        last / first < 1.5,
        note=f"{first * 1e6:.0f} µs, {last * 1e6:.0f} µs",
    )
    seconds = best_of(3, lambda: 1 / re_ruling(500))
    yield Figure("re-ruling a match of 500 events", "host", f"{1000 / seconds:.0f} ms", "below 100 ms", seconds > 10)
    yield Figure("the JSON of a stroke in and of its ruling out", "host", f"{json_cost() * 1e6:.0f} µs")


def best_of(times: int, measure: Any) -> float:
    """Returns the best of several measurements: other programs only ever make it slower."""
    return max(measure() for _ in range(times))


def opening(book: str) -> dict[str, Any]:
    seats = {"south": "A", "north": "B"}
    if 2 not in BOOKS[book].players:
        seats = {"south": "A", "east": "B", "north": "C", "west": "D"}
    return {"event": "start", "book": book, "seats": seats, "first": "south", "policy": {"points": 0, "games": 99}}


def match(book: str, length: int, seed: int = 7) -> tuple[MatchState, list[Event]]:
    """Plays strokes of all kinds and returns the state and the events."""
    dice = Random(seed)
    state, events = begin(BOOKS), [event_from_json(opening(book))]
    state, _ = apply(state, events[0])
    while len(events) < length:
        play = state.play
        assert play is not None
        if play.phase == "done":
            body: dict[str, Any] = opening(book)
            state = begin(BOOKS)
        else:
            fell = []
            if dice.random() < 0.4:
                colour = dice.choice(["white", "black"])
                fresh = play.phase == "over"
                if fresh or play.left(colour) > 0:  # type: ignore[arg-type]
                    fell.append({"piece": colour, "pocket": "NE"})
            if dice.random() < 0.1:
                fell.append({"piece": "striker", "pocket": "SW"})
            seat = play.seat(play.turn) if play.turn else "south"
            body = {"event": "shot", "seat": seat, "t": 1.0, "elapsed": 4.0, "pocketed": fell}
            body["placement"] = {"x": 1.0, "y": -252.6, "lines": "one" if dice.random() < 0.05 else "both"}
            body["contacts"] = [{"with": "white", "at": [1.0, 2.0]}]
        event = event_from_json(body)
        events.append(event)
        state, _ = apply(state, event)
    return state, events


def strokes_a_second(book: str, strokes: int) -> float:
    _, events = match(book, strokes)
    state = begin(BOOKS)
    began = time.process_time()
    for event in events:
        state, _ = apply(state, event)
    return len(events) / (time.process_time() - began)


def growth(strokes: int) -> tuple[float, float]:
    """Seconds a stroke in the first and in the last thousand of one long match."""
    dull = [event_from_json({"event": "shot", "seat": seat}) for seat in ("south", "north")]
    state, _ = apply(begin(BOOKS), event_from_json(opening("icf")))
    times = []
    for _ in range(strokes // 1000):
        began = time.process_time()
        for i in range(1000):
            state, _ = apply(state, dull[i % 2])
        times.append((time.process_time() - began) / 1000)
    return min(times[:5]), min(times[-5:])


def re_ruling(length: int) -> float:
    """Seconds to correct the first stroke of a match of so many events."""
    state, events = match("icf", length)
    correct = event_from_json(
        {"event": "correct", "seq": 2, "with": {"event": "shot", "seat": "south", "pocketed": [{"piece": "white"}]}}
    )
    assert len(events) == length
    began = time.process_time()
    apply(state, correct)
    return time.process_time() - began


def json_cost() -> float:
    body = {
        "event": "shot",
        "seat": "south",
        "t": 12.4,
        "elapsed": 6.2,
        "placement": {"x": -40.0, "y": -252.6, "lines": "both", "circle": "clear", "arrow": False, "touching": False},
        "contacts": [{"with": "cushion", "at": [0, 355]}, {"with": "white", "at": [10, 120]}],
        "pocketed": [{"piece": "white", "pocket": "NE", "t": 13.1}],
    }
    state, _ = apply(begin(BOOKS), event_from_json(opening("icf")))
    _, ruling = apply(state, event_from_json(body))
    began = time.process_time()
    for _ in range(2000):
        event_from_json(body)
        ruling_to_json(ruling)
    return (time.process_time() - began) / 2000
