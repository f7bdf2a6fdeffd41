"""A referee's phone at the hub: who waits longest stands first, the chime, the door, an answer in two taps."""

from __future__ import annotations

import json
import re
import time

import pytest
from playwright.sync_api import expect

from tests.web.pretend_club import ANY, SIDES, SMALL, said
from tests.web.test_accessibility import found

pytestmark = pytest.mark.browser
SOUND = """(state) => {
  window.started = 0;
  const step = () => {};
  const node = { gain: { setValueAtTime: step, exponentialRampToValueAtTime: step }, frequency: {}, connect: (to) => to,
    start: () => { window.started += 1; }, stop: step };
  window.AudioContext = class extends EventTarget {
    state = state;
    currentTime = 0;
    createOscillator() { return { ...node }; }
    createGain() { return { ...node }; }
    async resume() {
      if (!navigator.userActivation.hasBeenActive) throw new Error("not touched");
      this.state = "running";
      this.dispatchEvent(new Event("statechange"));
    }
  };
}"""
"""A browser's sound, `running` or `suspended` until the page is touched; counts the tones."""


def listens(phone, state: str = "running") -> None:
    """The referee's page with its clock in the test's hand, less than a minute after it was opened."""
    phone.add_init_script(f"({SOUND})({json.dumps(state)})")
    phone.clock.install()
    phone.goto("/referee")
    expect(phone.locator(".waits")).to_have_count(2)
    phone.clock.pause_at(phone.evaluate("Date.now()") / 1000 + 20)


def chimes(phone) -> int:
    """How often it has chimed since the last look."""
    tones = phone.evaluate("(() => { const tones = window.started; window.started = 0; return tones; })()")
    assert tones % 2 == 0
    return tones // 2


def answered_all(phone, club) -> None:
    club.hears("t4/alert/ask-2", b"")
    expect(phone.locator(".waits")).to_have_count(1)  # a fault waits, and does not chime


def test_a_referees_phone_shows_the_oldest_first_and_leads_to_the_tables_own_console(phone, club):
    phone.goto("/referee")
    first = phone.locator(".waits").first
    expect(phone.locator(".waits")).to_have_count(2)
    expect(first).to_contain_text("Which piece fell in NE?")
    # Five minutes when the table said so; the page may be opened much later.
    expect(first).to_contain_text(re.compile(r"since \d\d:\d\d, for \d+ min"))
    phone.click("#login summary")
    phone.fill("#pin", "1234")
    phone.click("#pin-form .btn")
    expect(phone.locator("#pin-says")).to_be_visible()
    phone.fill("#pin", "4711")
    phone.click("#pin-form .btn")
    expect(phone.locator(".waits")).to_have_count(3)
    expect(first).to_contain_text("Elbow over the line?")
    expect(first.locator(".btn.first")).to_have_attribute("href", "http://t.local:8080/umpire")
    expect(first.get_by_text("Picture")).to_have_attribute("href", "http://t.local:8080/picture/8")
    expect(first.get_by_text("Watch")).to_have_attribute("href", "http://t.local:8080/clip/3-9")
    expect(phone.locator("#login")).to_be_hidden()
    club.hears("t2/umpire/alert/ask-9", b"")
    expect(first).to_contain_text("Which piece fell in NE?")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.troubles == []


def test_a_referees_phone_chimes_at_once_and_every_minute_until_no_question_waits(own_window, phone, club):
    listens(phone)
    expect(phone.locator("#silent")).to_be_hidden()
    assert chimes(phone) == 1
    phone.clock.run_for(30_000)
    assert chimes(phone) == 0
    phone.clock.run_for(31_000)
    assert chimes(phone) == 1
    club.hears("t3/alert/ask-5", said(level="ask", says="Whose stroke?", t=time.time()))
    expect(phone.locator(".waits")).to_have_count(3)
    assert chimes(phone) == 1
    club.hears("t3/score", said(t=time.time(), state="playing", book="icf", sides=SIDES, turn="north", asks=1))
    club.hears("t3/alert/beam", said(level="fault", says="beam NE is dirty", t=time.time()))
    expect(phone.locator("main")).to_contain_text("beam NE is dirty")
    assert chimes(phone) == 0, "the same question"
    phone.clock.run_for(61_000)
    assert chimes(phone) == 1, "a minute after the last that came"
    club.hears("t3/alert/beam", b"")
    club.hears("t3/score", said(t=time.time(), state="playing", book="icf", sides=SIDES, turn="north"))
    club.hears("t3/alert/ask-5", b"")
    answered_all(phone, club)
    phone.clock.run_for(200_000)
    assert chimes(phone) == 0
    assert phone.troubles == []


def test_the_next_question_of_a_table_chimes_though_as_many_wait_as_before(own_window, phone, club):
    listens(phone)
    assert chimes(phone) == 1
    club.hears("t4/score", said(t=time.time(), state="playing", book="icf", sides=SIDES, asks=1))
    club.hears("t4/alert/ask-2", b"")
    # Referees alone are told which: everybody hears that one is open.
    expect(phone.locator('[data-table="t4"]')).to_contain_text("A question is open")
    assert chimes(phone) == 0
    club.hears("t4/alert/ask-3", said(level="ask", says="Whose stroke?", t=time.time()))
    expect(phone.locator('[data-table="t4"]')).to_contain_text("Whose stroke?")
    assert chimes(phone) == 1


def test_the_chime_is_switched_off_on_this_device(own_window, phone, club):
    listens(phone)
    assert chimes(phone) == 1
    switch = phone.locator("#chime")
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    for _ in range(2):
        expect(switch).to_have_attribute("aria-pressed", "false")
        expect(phone.locator(".waits")).to_have_count(2)
        phone.clock.run_for(130_000)
        assert chimes(phone) == 0
        phone.reload()
    switch.click()
    assert chimes(phone) == 1, "it is heard what it sounds like"
    phone.clock.run_for(61_000)
    assert chimes(phone) == 1


REFEREED = [
    {"seats": {"south": "Asha Rao", "north": "Ben Kim"}, "referee": "Gita"},
    {"seats": {"south": "Ela", "north": "Fay"}, "referee": "GITA "},
]


def test_a_referee_narrows_the_page_to_the_matches_that_name_him(own_window, phone, club):
    club.hears("t4/fixtures", said(fixtures=REFEREED))
    club.hears("t6/fixtures", said(fixtures=[{**REFEREED[0], "referee": "Hari"}]))
    club.hears("t3/fixtures", said(fixtures=[{**REFEREED[1], "referee": "Hari"}]))
    club.hears("t3/score", said(t=time.time(), state="idle"))
    listens(phone)
    chimes(phone)
    whose, waits = phone.get_by_label("Tables of"), phone.locator(".waits")
    expect(whose.locator("option")).to_have_text(["All tables", "GITA", "Hari"])
    whose.select_option("Hari")
    expect(waits).to_have_count(1)
    expect(waits).to_contain_text("beam SE is dirty")
    expect(phone.locator("#called")).to_contain_text("Table 3 Ela : Fay")
    chimes(phone)
    phone.clock.run_for(61_000)
    assert chimes(phone) == 0, "the question is another's"
    phone.goto("/referee?lang=hi")
    expect(phone.get_by_label("किसकी मेज़ें")).to_have_value("hari")
    expect(waits).to_have_count(1)
    assert chimes(phone) == 0
    phone.get_by_label("किसकी मेज़ें").select_option("GITA")
    expect(waits).to_contain_text("Which piece fell in NE?")
    expect(phone.locator("#next")).to_be_hidden()
    assert chimes(phone) == 1
    phone.clock.resume()
    ended = {
        "match": "m",
        "sides": [{"name": "south", "players": ["Asha Rao"]}, {"name": "north", "players": ["Ben Kim"]}],
    }
    club.hears("t4/score", said(t=time.time(), state="match_over", sides=SIDES, asks=1))
    club.hears("t4/result/m", said(**ended, end=1.0))
    for table in ("t3", "t6"):
        club.hears(f"{table}/fixtures", b"")
    options = phone.locator("#whose option")
    expect(options).to_have_count(2)
    expect(waits).to_contain_text("Which piece fell in NE?")
    club.hears("t4/fixtures", b"")
    expect(options).to_have_count(1)
    expect(waits).to_have_count(2)
    assert phone.troubles == []


@pytest.mark.parametrize("lang", ["en", "hi"])
def test_the_choice_of_a_referee_is_within_everybodys_reach(phone, club, lang):
    phone.goto(f"/referee?lang={lang}")
    expect(phone.locator(".waits")).to_have_count(2)
    expect(phone.locator("#mine")).to_be_hidden()
    club.hears("t4/fixtures", said(fixtures=REFEREED))
    expect(phone.locator("#mine")).to_be_visible()
    assert found(phone) == []
    assert phone.evaluate(SMALL) == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_where_the_browser_keeps_the_page_silent_it_says_so_until_it_is_touched(own_window, phone, club):
    listens(phone, "suspended")
    silent = phone.locator("#silent")
    expect(silent).to_have_text("This browser keeps the page silent until you touch it.")
    phone.clock.run_for(61_000)
    assert chimes(phone) == 0
    phone.click("h1")
    expect(silent).to_be_hidden()
    assert chimes(phone) == 1, "what waits is chimed now"


def test_each_card_says_which_match_and_how_long_it_waits_and_counts_on(own_window, phone, club):
    phone.clock.install()
    phone.goto("/referee")
    card = phone.locator(".waits").first
    expect(card).to_contain_text(re.compile(r"Table 4.*Asha Rao 12 : Ben Kim 8.*for 5 min"))
    club.later_s = 120.0
    phone.clock.run_for(120_000)
    expect(card).to_contain_text("for 7 min")
    club.hears("t5/alert/beam", said(level="fault", says="beam NE is dirty", t=time.time()))
    club.hears("t5/score", said(t=time.time(), state="playing", book="icf", sides=SIDES, asks=1))
    unseen = phone.locator('[data-table="t5"]')
    expect(unseen).to_contain_text("A question is open")
    expect(unseen).to_contain_text("beam NE is dirty")


def test_a_referee_answers_in_two_taps_and_is_told_why_an_answer_was_not_taken(phone, club):
    club.hears("t4/alert/ask-2", said(level="ask", says="Which?", t=1, ask=2, choices=["white", {"pocketed": []}]))
    phone.goto("/referee")
    card = phone.locator('[data-table="t4"]')
    expect(card).to_contain_text("Which?")
    expect(card.get_by_role("button", name="white")).to_have_count(0)
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    card.get_by_role("button", name="white").click()
    card.get_by_role("button", name="Leave it as it is").click()
    club.table_says = {"error": "no question 2 is open"}
    card.get_by_role("button", name="nothing fell").click()
    assert club.called == []
    card.get_by_role("button", name="Answer: nothing fell").click()
    expect(card.get_by_role("alert")).to_have_text("no question 2 is open")
    assert club.called == [("t4", 2, {"pocketed": []})]
    odd = [*ANY, *({"piece": word, "pocket": word} for word in ANY), *({word: [word]} for word in ANY), None, 3]
    club.hears("t5/alert/ask-9", said(level="ask", says="Odd?", t=2, ask=9, choices=odd[:50]))
    expect(phone.locator('[data-table="t5"] button')).to_have_count(len(odd[:50]))
    assert [one for one in phone.troubles if "409" not in one] == []
