"""One walk through every state of a table on one page, for whoever looks at each of them: axe, sizes."""

from __future__ import annotations

import copy
from collections.abc import Callable

from playwright.sync_api import expect

from tests.web.doing import styled

SMALL = """() => [...document.querySelectorAll('button, a, input, select, summary')].filter((e) => e.checkVisibility())
  .map((e) => [e.textContent || e.type, (e.closest('label') ?? e).getBoundingClientRect()])
  .filter(([, r]) => r.width && (r.height < 43.5 || r.width < 43.5))
  .map(([name, r]) => `${name} ${r.width}×${r.height}`)"""
"""Targets that are too small for a thumb."""
STAYS_MS = 3000
"""So long a card of the console that was settled elsewhere stays in its place."""


def walked(page, table, where: str, look: Callable[..., list], asked: str = "") -> dict[str, list]:
    """What `look(page)` finds on the page `where` in each state, by the state's name; nothing where all is well."""
    troubles = {}
    page.add_init_script(styled(f"--stays: {STAYS_MS}ms"))  # it is looked at while it stays
    page.clock.install()
    page.goto(where + asked)
    if where == "/umpire":
        expect(page.locator("#pin")).to_be_visible()
        troubles["login"] = look(page)
        page.fill("#pin", "4711")
        page.click("#pin-form .btn.first")
        expect(page.locator("[data-ask]")).to_be_visible()
    for seq, name in enumerate(in_every_state(table), 1):
        table.state["score"]["seq"] = 100 + seq
        table.feed.push("state")
        expect(page.locator("body")).to_have_attribute("data-seq", str(100 + seq))
        if page.locator(".settled").count():
            troubles[f"a card settled before {name}"] = look(page)
            page.clock.fast_forward(STAYS_MS)
            expect(page.locator(".settled")).to_have_count(0)
        troubles[name] = look(page)
    return {name: said for name, said in troubles.items() if said}


def in_every_state(table):
    """The states of a table, each with its name."""
    whole = copy.deepcopy(table.state)
    yield "questions"
    table.state |= {"asks": [], "flags": []}
    yield "playing"
    table.state["health"] = whole["health"] | {"camera": "setup"}
    yield "the camera is set up"
    table.state["health"] = whole["health"] | {"camera": "stalled", "journal": "full"}
    table.state["score"]["armed"] = "degraded"
    yield "blind"
    table.state["score"] |= {"armed": "off", "state": "paused"}
    yield "stopped"
    table.state |= copy.deepcopy({name: whole[name] for name in ("health", "score", "ruling")}) | {
        "asks": [],
        "flags": [],
    }
    table.state["score"]["state"] = "board_over"
    table.state["ruling"]["board"] = {"number": 2, "over": True, "winner": "south", "points": 5, "on_demand": 1}
    table.state["boards"] = [
        {
            "game": 1,
            "board": 1,
            "winner": "south",
            "points": 5,
            "drawn": False,
            "why": "x",
            "score": {"south": 5, "north": 0},
        }
    ]
    yield "between boards"
    table.state["score"]["state"] = "playing"
    table.state["lay"] = {
        "pieces": [{"piece": p, "x": x, "y": 0.0} for p, x in (("white", 0.0), ("black", 50.0))],
        "within_mm": 8,
    }
    table.state["asks"] = [
        {"ask": "board-moved", "question": "white lies apart", "about": "board", "choices": ["seen"]}
    ]
    yield "pieces to be put back"
    table.state["asks"] = []
    table.state["score"] |= {"state": "match_over", "winner": "south"}
    yield "match over"
    table.state["score"] |= {"state": "idle", "sides": [], "turn": None, "last": None}
    table.state |= {"ruling": None, "shot": None, "history": [], "boards": [], "to_place": [], "board": None}
    table.state["alerts"] = []
    yield "idle"
