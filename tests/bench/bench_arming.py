"""From a stand on the table to a signature, on a phone: real daemon, wire, eyes and browser before simulated pictures.

The camera hangs otherwise than when it was calibrated. What the machine takes is measured: from each act of the person
to what the page shows of it. What the person takes is reckoned: taps and letters by the keystroke-level model (Card,
Moran, Newell 1983: 0.5 s a tap, 0.28 s a letter, 1.35 s to decide), hands at the board by allowances that stand below.
Nobody was timed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from controller.commands.demo.pictures import calibrate_by_pictures
from controller.events.words import Pocket
from controller.simulator.motion import Pose
from controller.simulator.node import EmulatedNode
from controller.simulator.pieces import STRIKER
from tests.bench.bench_console import DECIDE_S, LETTER_S, TAP_S
from tests.bench.figure import Figure
from tests.web.conftest import ARGS
from tests.web.flows import Hand
from tests.web.hall import ELSEWHERE, LOOK, PIN, Hall, standing, until

WHOLE_S = 180.0
PATIENCE_MS = 240_000
CLEAR_S = 10.0
"""Nineteen pieces swept to the side with both hands, five reaches of two seconds."""

RACK_S = 38.0
"""Nineteen pieces, two seconds each: reach, grasp, carry, lay against the others."""

COIN_S = 4.0
"""One coin: reach, carry to a pocket within arm's length, let go; half of them are on the far side."""

STRIKER_S = 4.0
"""One striker between the base lines, and the hand away."""

READ_S = 2.0
"""A line that says what comes next, looked at once."""

POCKETS: tuple[Pocket, ...] = ("NW", "NE", "SW", "SE")
PASSES_S, APART_S = 0.025, 0.02
"""A coin breaks a beam for so long; the lower one so much later."""


@dataclass
class Clocked:
    """What the machine took, part by part, and what the person's hands are allowed."""

    took: dict[str, float] = field(default_factory=dict)
    hands_s: float = 0.0
    read: int = 0

    def awaited(self, what: str, shown: Callable[[], object], hands_s: float = 0.0) -> None:
        """The person has just done something; the page shows it."""
        began = time.monotonic()
        shown()
        self.took[what] = self.took.get(what, 0.0) + time.monotonic() - began
        self.hands_s += hands_s
        self.read += 1


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures; `long`: three times."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGS)
        calibrated = calibrate_by_pictures(LOOK, 1, Path(place))
        for number in range(3 if long else 1):
            node = EmulatedNode(time.monotonic_ns)
            node.start()
            folder = Path(place) / f"hall-{number}"
            folder.mkdir()
            with standing(folder, calibrated, f'port = "{node.port}"') as hall:
                client = hall.client
                until(lambda client=client: client.get("/state").json["score"]["armed"] == "armed")
                page = chromium.new_context(
                    viewport={"width": 390, "height": 844}, base_url=f"http://127.0.0.1:{client.port}", locale="en-GB"
                ).new_page()
                page.set_default_timeout(PATIENCE_MS)
                yield from _figures(*_armed(hall, node, page))
            node.stop()
        chromium.close()


def _armed(hall: Hall, node: EmulatedNode, page: Page) -> tuple[Clocked, Hand]:
    """Goes the whole way."""
    clock, hand = Clocked(), Hand(page)
    hall.hang(*ELSEWHERE)
    page.goto("/umpire")
    page.fill("#pin", PIN)
    page.click("#pin-form .btn.first")
    hand.tap(".tab:text('Table')")
    hand.tap("#match >> text=Get the table ready")
    clock.awaited("parts", lambda: expect(_step(page, "beams")).to_have_class("laid", timeout=PATIENCE_MS))
    hand.tap("dialog >> text=Set the camera up anew")
    hand.tap("dialog >> text=Begin")
    clock.awaited("camera", lambda: _title(page, "the empty board"), CLEAR_S)
    hand.tap("dialog >> text=The board is empty")
    clock.awaited("camera", lambda: _title(page, "the pack"), RACK_S)
    hall.show(hall.rack)
    hand.tap("dialog >> text=The pack is there")
    clock.awaited("camera", lambda: expect(page.locator("dialog .laid")).to_be_visible(timeout=PATIENCE_MS))
    hand.tap("dialog >> text=Go on")
    for what in ("camera", "registration", "rack"):
        clock.awaited("rack", lambda what=what: expect(_step(page, what)).to_have_class("laid", timeout=PATIENCE_MS))
    clock.read -= 2  # three ticks, looked at once
    for pocket in POCKETS:
        _drop(node, pocket)
        step = _step(page, f"coin-{pocket}")
        clock.awaited("coins", lambda step=step: expect(step).to_have_class("laid", timeout=PATIENCE_MS), COIN_S)
    line = LOOK.pieces.board.base_circle_from_centre_mm
    for seat, y in (("south", -line), ("north", line)):
        hall.show(hall.rack | {STRIKER: Pose(60.0, y, 0.0, 0.0)})
        step = _step(page, f"striker-{seat}")
        clock.awaited("strikers", lambda step=step: expect(step).to_have_class("laid", timeout=PATIENCE_MS), STRIKER_S)
    hand.write("Your name", "Meera")
    hand.tap("dialog >> text=Sign")
    clock.awaited("signature", lambda: expect(page.locator("#match")).to_contain_text("Signed by Meera"))
    return clock, hand


def _figures(clock: Clocked, hand: Hand) -> Iterable[Figure]:
    machine = sum(clock.took.values())
    parts = ", ".join(f"{name} {took:.1f}" for name, took in clock.took.items())
    yield Figure("stand to armed, the machine", "host", f"{machine:.1f} s ({parts})")
    taps = hand.taps * (TAP_S + DECIDE_S) + hand.letters * LETTER_S
    person = taps + clock.hands_s + clock.read * READ_S
    told = f"{hand.taps} taps and {hand.letters} letters {taps:.0f}, hands {clock.hands_s:.0f}, {clock.read} looks"
    whole = machine + person
    yield Figure(
        "stand to armed, with a person",
        "host",
        f"{whole:.0f} s (reckoned: {told} {clock.read * READ_S:.0f})",
        f"within {WHOLE_S:g} s",
        whole <= WHOLE_S,
    )


def _step(page: Page, name: str):
    return page.locator(f"dialog li[data-step={name}]")


def _title(page: Page, text: str) -> None:
    expect(page.locator("dialog h3")).to_contain_text(text, timeout=PATIENCE_MS)


def _drop(node: EmulatedNode, pocket: Pocket) -> None:
    """A coin falls through both beams, as the node's own clock has it."""
    now = time.monotonic_ns()
    for at_s, beam, blocked in (
        (0.0, "upper", True),
        (APART_S, "lower", True),
        (PASSES_S, "upper", False),
        (APART_S + PASSES_S, "lower", False),
    ):
        node.beam(pocket, beam, blocked, now + round(at_s * 1e9))
