"""The umpire's flows on a phone by the stopwatch: a real daemon, a headless browser, each tap as soon as it can be.

What the machine takes is measured. What a person takes is reckoned by the keystroke-level model (Card, Moran, Newell
1983): 0.5 s a tap, 0.28 s a letter, and 1.35 s to decide before each tap but one on the same button again. Nobody was
timed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.bench.figure import Figure
from tests.web import flows
from tests.web.client import Client
from tests.web.conftest import ARGS, opened
from tests.web.daemon import bare_daemon
from tests.web.flows import Hand, let_in, start, stroke

TAP_S, LETTER_S, DECIDE_S = 0.5, 0.28, 1.35
FIX_S, RESCUE_S = 5.0, 30.0
TIMES = 10

Flow = Callable[[Client, Hand], Callable[[], None]]


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures; `long`: three times as often."""
    with tempfile.TemporaryDirectory() as folder, bare_daemon(Path(folder)) as umpire, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGS)
        with opened(chromium, umpire) as page:
            umpire.cookie = let_in(page)
            for name, flow, limit in (
                ("Fix: another colour", _fix, FIX_S),
                ("Fix: a stroke three back, two more played meanwhile", _three_back, None),
                ("rescue: points, pieces, turn, colours, queen, reason", _rescue, RESCUE_S),
            ):
                yield from _timed(name, flow, umpire, page, TIMES * (3 if long else 1), limit)
        chromium.close()


def _timed(name: str, flow: Flow, umpire: Client, page: Page, times: int, limit: float | None) -> Iterator[Figure]:
    took, hand = [], Hand(page)
    for _ in range(times):
        page.goto("/umpire")
        hand = Hand(page)
        go = flow(umpire, hand)
        began = time.monotonic()
        go()
        took.append(time.monotonic() - began)
    middle, worst = sorted(took)[len(took) // 2], max(took)
    spread = f"{middle:.2f} s median, {worst:.2f} s worst of {len(took)}"
    yield Figure(f"{name}, the machine", "host", f"{hand.taps} taps, {spread}")
    whole = middle + hand.taps * TAP_S + hand.letters * LETTER_S + (hand.taps - hand.repeated) * DECIDE_S
    within = f"within {limit:g} s" if limit else ""
    yield Figure(f"{name}, with a person", "host", f"{whole:.1f} s", within, whole <= limit if limit else None)


def _fix(umpire: Client, hand: Hand) -> Callable[[], None]:
    start(umpire)
    seq = stroke(umpire, "south", "white")
    hand.shows(seq)
    return lambda: flows.fixed(hand, seq + 1)


def _three_back(umpire: Client, hand: Hand) -> Callable[[], None]:
    start(umpire)
    first = stroke(umpire, "south", "white")
    hand.shows(stroke(umpire, "south"))

    def go() -> None:
        flows.opened_three_back(hand, first)
        stroke(umpire, "north", "black")
        seq = stroke(umpire, "north")
        hand.shows(seq)
        hand.tap(".chip:has-text('and white')")
        hand.tap("dialog .btn.first:text-is('Do it')")
        hand.shows(seq + 1)

    return go


def _rescue(umpire: Client, hand: Hand) -> Callable[[], None]:
    start(umpire)
    seq = stroke(umpire, "south", "white")
    hand.shows(seq)
    return lambda: flows.rescued(hand, seq + 1)
