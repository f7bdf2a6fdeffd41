"""Films the demo's scoreboard for the README: `docs/pictures/demo.webp`, some seconds of a real demo in a real browser.

`make film` does it; it takes a minute and a half, and wants a machine with nothing else to do.
"""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from controller.commands.demo.leash import leashed

FILE = Path(__file__).parents[1] / "docs" / "pictures" / "demo.webp"
SEED = 7
SIZE = (800, 450)
FILMED_S, PER_SECOND = 40, 5
PLAYED = "body[data-seq='2']"
"""The page shows the first stroke, the break; the match's beginning was 1."""
QUALITY = 55
SETTING_UP_S = 240


def main() -> None:
    """Starts the demo, waits until it plays, films it, ends it."""
    command = [sys.executable, "-m", "controller.cli", "demo", "--headless", "--seed", str(SEED)]
    with subprocess.Popen(leashed(command), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as demo:
        assert demo.stdout is not None
        try:
            address = next(found[0] for line in demo.stdout if (found := re.search(r"http://\S+", line)))
            frames = filmed(address)
        finally:
            demo.terminate()
    write(frames)
    print(f"{FILE}: {len(frames)} pictures, {FILE.stat().st_size / 1000:.0f} kB")


def filmed(address: str) -> list[Image.Image]:
    """The pictures, evenly spaced in time."""
    taken: list[tuple[float, bytes]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, locale="en-GB")
        page.goto(f"{address}/stream")
        page.wait_for_selector(PLAYED, timeout=SETTING_UP_S * 1000)
        session = page.context.new_cdp_session(page)

        def frame(shot: dict[str, Any]) -> None:
            taken.append((shot["metadata"]["timestamp"], base64.b64decode(shot["data"])))
            session.send("Page.screencastFrameAck", {"sessionId": shot["sessionId"]})

        session.on("Page.screencastFrame", frame)
        session.send("Page.startScreencast", {"format": "png"})
        _watch(page)
        session.send("Page.stopScreencast")
        browser.close()
    return _spaced(taken)


def _watch(page: Page) -> None:
    until = time.monotonic() + FILMED_S
    while time.monotonic() < until:
        page.wait_for_timeout(100)


def _spaced(taken: list[tuple[float, bytes]]) -> list[Image.Image]:
    """The browser sends a picture when something has changed: between two, the earlier one stands."""
    first, frames, at = taken[0][0], [], 0
    for number in range(FILMED_S * PER_SECOND):
        while at + 1 < len(taken) and taken[at + 1][0] <= first + number / PER_SECOND:
            at += 1
        frames.append(Image.open(io.BytesIO(taken[at][1])).convert("RGB"))
    return frames


def write(frames: list[Image.Image]) -> None:
    """Writes an animated WebP that runs for ever."""
    frames[0].save(
        FILE,
        save_all=True,
        append_images=frames[1:],
        duration=round(1000 / PER_SECOND),
        loop=0,
        quality=QUALITY,
        method=6,
        minimize_size=True,
    )


if __name__ == "__main__":
    main()
