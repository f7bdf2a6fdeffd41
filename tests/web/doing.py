"""What tests of the console do to the pretended table and to the line between."""

from __future__ import annotations

import time

from tests.patience import PATIENCE_S

TAKEN_BACK = {"event": "set", "position": {}}
"""What undoes the latest act."""


def held_back(page, asked="**/act"):
    """Requests do not reach the table until they are sent on."""
    held = []

    def hold(route):
        held.append(route)

    page.route(asked, hold)
    return held


def wait_held(page, held, count):
    """A request is told of before it is held; a round trip to the page brings what is on its way."""
    until = time.monotonic() + PATIENCE_S
    while len(held) < count:
        assert time.monotonic() < until, "the page did not ask"
        page.evaluate("0")


def show(table, **changes):
    table.state.update(changes)
    table.feed.push("state")


def heard(page) -> None:
    """What has just come takes keys by now."""
    deaf = "document.getAnimations().filter(({ animationName }) => animationName === 'deaf')"
    page.evaluate(f"Promise.all({deaf}.map((one) => one.finished))")


def resized(page, size):
    """The window has that width and height, and what that moves has moved."""
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.evaluate("async () => { for (const _ of [1, 2]) await new Promise(requestAnimationFrame); }")


def set_wall_clock(page, by_ms):
    """The wall clock is set while the page stands; time goes on as it did."""
    page.evaluate("by => { const now = Date.now.bind(Date); Date.now = () => now() + by; }", by_ms)


def styled(declarations):
    """A script that gives the pages to come these values of the style sheet's."""
    return f"""{{
      const own = new CSSStyleSheet();
      own.replaceSync(":root {{ {declarations} }}");
      document.adoptedStyleSheets.push(own);
    }}"""
