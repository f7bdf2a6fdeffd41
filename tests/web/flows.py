"""What a person does on the pages of a real table, step by step: every tap is counted, so that tests can count them and
the bench can time them. Each step waits for what the page shows, never for a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from tests.web.client import Client
from tests.web.daemon import PIN


@dataclass
class Hand:
    """A person's hand on one page. `taps`, `letters`: what it has done so far; `repeated`: taps on the same again, for
    which nothing was to be decided."""

    page: Page
    taps: int = 0
    letters: int = 0
    repeated: int = 0
    _last: str = ""

    def tap(self, what: str) -> None:
        """Taps what is there, as soon as it can be tapped."""
        self.page.locator(what).first.click()
        self.taps += 1
        self.repeated += what == self._last
        self._last = what

    def choose(self, label: str, value: str) -> None:
        """Opens a list and taps one of its lines."""
        self.page.select_option(f"dialog label:has-text('{label}') select", value)
        self.taps += 2

    def write(self, label: str, text: str) -> None:
        """Taps a field and types."""
        self.page.fill(f"dialog label:has-text('{label}') input", text)
        self.taps += 1
        self.letters += len(text)

    def shows(self, seq: int) -> None:
        """Waits until the page shows how it stands after an event."""
        expect(self.page.locator("body")).to_have_attribute("data-seq", str(seq))


def let_in(page: Page) -> str:
    """Gives the PIN at the console. Returns the session's cookie."""
    page.goto("/umpire")
    page.fill("#pin", PIN)
    page.click("#pin-form .btn.first")
    expect(page.locator("#deck")).to_be_visible()
    return "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())


def says(client: Client, event: dict[str, Any]) -> int:
    """An event that the page does not make: a stroke, as camera and beams would tell it. Returns its number."""
    said = client.post("/act", event)
    assert said.status == 200, said.body
    return int(said.json["seq"])


def stroke(client: Client, seat: str, *fell: str, **more: Any) -> int:
    """A stroke in which these fell into the pocket NE."""
    return says(
        client, {"event": "shot", "seat": seat, "pocketed": [{"piece": p, "pocket": "NE"} for p in fell], **more}
    )


def start(client: Client, **more: Any) -> int:
    """A match under way, its break made."""
    seats = {"south": "Asha", "north": "Ben"}
    return says(client, {"event": "start", "book": "icf", "seats": seats, "first": "south", **more})


# -- the flows


def fixed(hand: Hand, seq: int) -> None:
    """The last stroke was another colour. `seq`: what the correction becomes."""
    hand.tap("#fix")
    hand.tap(".chip:has-text('it was black in NE')")
    hand.shows(seq)


def rescued(hand: Hand, seq: int) -> None:
    """Points, pieces, turn, who is white, the queen, and why: everything is wrong."""
    hand.tap(".tab:text('Board')")
    hand.tap("#rescue")
    for _ in range(3):
        hand.tap("[aria-label='more: Points of Asha']")
    for _ in range(2):
        hand.tap("[aria-label='less: Left on the board: black']")
    hand.choose("To play", "north")
    hand.choose("Who is white", "north")
    hand.choose("queen", "covered south")
    hand.write("Reason", "lamp fell")
    hand.tap("text=Play on from here")
    hand.tap(".btn:text-is('Do it')")
    hand.shows(seq)


def opened_three_back(hand: Hand, seq: int) -> None:
    """A stroke of before is opened from the timeline."""
    hand.tap(".tab:text('Strokes')")
    hand.tap(f"[aria-label='Fix stroke {seq}']")
    expect(hand.page.locator("dialog h2")).to_contain_text(f"Fix stroke {seq}")


def begun(hand: Hand, decides: str = "umpire") -> None:
    """A match from the lobby, with typed names; one that the configuration began is under way."""
    hand.tap(".tab:text('Table')")
    hand.tap("#match >> text=New match")
    if decides != "umpire":
        hand.choose("Who decides", decides)
    hand.write("South", "Asha")
    hand.write("North", "Ben")
    hand.tap("text=Begin the match")
    hand.tap(".btn:text-is('Do it')")
    expect(hand.page.locator("#tally")).to_contain_text("Asha")
