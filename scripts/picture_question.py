"""Pictures a question on an umpire's phone for the README: `docs/pictures/question.png`, three moments of a real demo.

The question with its picture and answers, the answer that is tapped, the ruling with its clauses. `make film` makes it.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

from controller.commands.demo.leash import leashed

FILE = Path(__file__).parents[1] / "docs" / "pictures" / "question.png"
DEMO = ("--headless", "--seed", "11", "--scenario", "sensors", "--speed", "max")
"""Camera and beams have faults in it: a question comes early."""
PHONE = (412, 860)
GAP, FINGER = 24, 34
COLOURS = 200
QUESTION_S = 300
CARD = ".card.ask"
ASKED = ".card.ask:not(.flagged):has(.evidence-frame)"
NOTHING_FOLLOWS = re.compile("it lies on the board|we put it right|wave away", re.IGNORECASE)
WHERE = re.compile(r"umpire's page: (http://\S+) \(PIN (\d+)\)")


def main() -> None:
    """Starts the demo, waits for a question, answers it, ends the demo."""
    command = [sys.executable, "-m", "controller.cli", "demo", *DEMO]
    with subprocess.Popen(leashed(command), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as demo:
        assert demo.stdout is not None
        try:
            address, pin = next(found.groups() for line in demo.stdout if (found := WHERE.search(line)))
            moments = taken(address, pin)
        finally:
            demo.terminate()
    write(moments)
    print(f"{FILE}: {FILE.stat().st_size / 1000:.0f} kB")


def taken(address: str, pin: str) -> list[Image.Image]:
    """The three moments. Whoever logs in umpires: the simulated umpire answers nothing."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]}, has_touch=True, locale="en-GB")
        page.goto(address)
        page.fill("#pin", pin)
        page.click("#pin-form .btn.first")
        until_s = time.monotonic() + QUESTION_S
        page.wait_for_selector(CARD, timeout=QUESTION_S * 1000)
        while not page.locator(ASKED).count() and time.monotonic() < until_s:
            passed_by(page)
            page.wait_for_selector(CARD, timeout=QUESTION_S * 1000)
        page.locator("#toast .undo").wait_for(state="hidden")
        page.wait_for_timeout(1_500)  # the picture is there
        answer = page.locator(f"{ASKED} .answers .btn").first
        box = answer.bounding_box()
        assert box is not None
        moments = [picture(page)]
        moments.append(tapped(picture(page), box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        answer.click()
        page.wait_for_selector(".card.ruling .clause", timeout=30_000)
        page.wait_for_timeout(500)
        moments.append(picture(page))
        browser.close()
    return moments


def passed_by(page: Page) -> None:
    """Answers what has no picture of its own so that nothing follows: play waits for who is logged in."""
    for answer in page.locator(f"{CARD} .answers .btn:enabled", has_text=NOTHING_FOLLOWS).all()[:1]:
        answer.dispatch_event("click")
    page.wait_for_timeout(1_000)


def picture(page: Page) -> Image.Image:
    """The page as it is now."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def tapped(moment: Image.Image, x: float, y: float) -> Image.Image:
    """The same with the mark of a finger."""
    drawn = ImageDraw.Draw(moment)
    around = (x - FINGER, y - FINGER, x + FINGER, y + FINGER)
    drawn.ellipse(around, outline=(255, 210, 122), width=6)
    return moment


def write(moments: list[Image.Image]) -> None:
    """Puts the moments side by side, with few colours."""
    whole = Image.new("RGB", (len(moments) * (PHONE[0] + GAP) - GAP, PHONE[1]), "white")
    for number, moment in enumerate(moments):
        whole.paste(moment, (number * (PHONE[0] + GAP), 0))
    whole.quantize(COLOURS).save(FILE, optimize=True)


if __name__ == "__main__":
    main()
