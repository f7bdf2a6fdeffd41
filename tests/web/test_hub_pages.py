"""The club's pages in a browser: who waits longest stands first, the referees' door, Hindi, what axe finds."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
from playwright.sync_api import expect

from controller.config import HubSection
from controller.hub.app import create_app
from controller.hub.tables import Tables
from controller.web import Feed, WebServer
from controller.web.app import STATIC
from controller.web.broadcast import Broadcast
from controller.web.login import Login
from controller.web.sessions import Sessions
from controller.web.tries import Tries
from tests.patience import PATIENCE_S
from tests.web.client import Client
from tests.web.test_accessibility import found

SIDES = [
    {"name": "south", "seats": {"south": "Asha Rao"}, "points": 12},
    {"name": "north", "seats": {"north": "Ben Kim"}, "points": 8},
]


def said(**what) -> bytes:
    return json.dumps(what).encode()


class PretendClub:
    """The hub's pages on tables that say what a test lets them say."""

    def __init__(self) -> None:
        self._tables, self._guard, self.feed = Tables(answers=True), threading.Lock(), Feed()
        self.called, self.table_says = [], {"seq": 3}
        told = Broadcast(
            self.feed, lambda referee: self.read(lambda t: t.plain(referee=referee)), gap_s=0.0, umpires_first=False
        )
        login = Login(Sessions(lambda: "4711", time.time), Tries(time.time))
        app = create_app(self.read, told, login, STATIC, HubSection(), call=self.call)
        self.server = WebServer(app, self.feed, "127.0.0.1", 0)
        self.client = Client(self.server.start())
        now = time.time()
        for number in range(1, 9):
            table = f"t{number}"
            self.hears(f"{table}/availability", b"online")
            self.hears(
                f"{table}/health", said(t=now, armed="armed", name=f"Table {number}", page="http://t.local:8080")
            )
            self.hears(f"{table}/score", said(t=now, state="playing", book="icf", sides=SIDES, turn="south"))
            self.hears(f"{table}/board", said(pieces=[{"piece": "queen", "x": 0, "y": 0}]))
        self.hears("t4/alert/ask-2", said(level="ask", says="Which piece fell in NE?", t=now - 300, picture=7))
        elbow = said(level="ask", says="Elbow over the line?", t=now - 900, picture=8, clip=[3, 9])
        self.hears("t2/umpire/alert/ask-9", elbow)
        self.hears("t6/alert/beam", said(level="fault", says="beam SE is dirty", t=now - 2000))
        self.hears("t7/availability", b"offline")
        self.hears("t8/link", b"0")

    def call(self, table, event):
        self.called.append((table, event["ask"], event["choice"]))
        return self.table_says

    def read(self, asked):
        with self._guard:
            return asked(self._tables)

    def hears(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        with self._guard:
            changed = self._tables.heard(f"carrom/{topic}", payload, retained=retained)
            assert changed
            clocks = self._tables.clocks()
        self.feed.push(changed, clocks)

    def lose(self) -> None:
        """The broker is heard no more."""
        with self._guard:
            self._tables.lost()
        self.feed.push("state")


@pytest.fixture
def club():
    one = PretendClub()
    yield one
    one.server.stop()


@pytest.mark.live
def test_what_is_not_confirmed_is_told_to_who_gave_the_pin_alone(club):
    referee = Client(club.client.port)
    assert referee.login("0815").status == 403
    assert referee.login().status == 200
    for asks, sees in ((club.client, False), (referee, True)):
        stream = asks.stream()
        told = [asks.get("/tables").body, asks.get("/tables/t2/state").body, json.dumps(next(stream)).encode()]
        stream.close()
        assert [b"Elbow" in one for one in told] == [sees] * 3
        for which in (b'"picture":8', b'"clip":[3,9]'):
            assert [which in one.replace(b" ", b"") for one in told] == [sees] * 3
    assert [row["table"] for row in referee.get("/tables").json][:3] == ["t2", "t4", "t6"]
    assert [row["table"] for row in club.client.get("/tables").json][:2] == ["t4", "t6"]


@pytest.mark.live
def test_a_referee_who_logs_out_is_told_no_more(club):
    referee = Client(club.client.port)
    referee.login()
    stream = referee.stream()
    assert "Elbow" in json.dumps(next(stream))
    assert referee.post("/logout", {}).status == 200
    club.hears("t3/umpire/alert/ask-4", said(level="ask", says="Shaken?", t=time.time()))
    assert "Shaken" not in json.dumps(list(stream))


@pytest.mark.live
def test_nothing_can_be_done_at_the_hub(club):
    referee = Client(club.client.port)
    referee.login()
    assert referee.post("/act", {"event": "pause"}).status == 404


@pytest.fixture
def phone(chromium, club):
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, base_url=f"http://127.0.0.1:{club.client.port}", locale="en-GB"
    )
    context.set_default_timeout(PATIENCE_S * 1000)
    opened = context.new_page()
    opened.troubles = []
    opened.on("pageerror", lambda error: opened.troubles.append(str(error)))
    yield opened
    context.close()


@pytest.mark.browser
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
    expect(first.get_by_text("Play the stroke")).to_have_attribute("href", "http://t.local:8080/clip/3-9")
    expect(phone.locator("#login")).to_be_hidden()
    club.hears("t2/umpire/alert/ask-9", b"")
    expect(first).to_contain_text("Which piece fell in NE?")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.troubles == []


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


@pytest.mark.browser
def test_a_referees_phone_chimes_at_once_and_every_minute_until_no_question_waits(phone, club):
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


@pytest.mark.browser
def test_the_next_question_of_a_table_chimes_though_as_many_wait_as_before(phone, club):
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


@pytest.mark.browser
def test_the_chime_is_switched_off_on_this_device(phone, club):
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


@pytest.mark.browser
def test_where_the_browser_keeps_the_page_silent_it_says_so_until_it_is_touched(phone, club):
    listens(phone, "suspended")
    silent = phone.locator("#silent")
    expect(silent).to_have_text("This browser keeps the page silent until you touch it.")
    phone.clock.run_for(61_000)
    assert chimes(phone) == 0
    phone.click("h1")
    expect(silent).to_be_hidden()
    assert chimes(phone) == 1, "what waits is chimed now"


@pytest.mark.browser
def test_each_card_says_which_match_and_how_long_it_waits_and_counts_on(phone, club):
    phone.clock.install()
    phone.goto("/referee")
    card = phone.locator(".waits").first
    expect(card).to_contain_text(re.compile(r"Table 4.*Asha Rao 12 : Ben Kim 8.*for 5 min"))
    phone.clock.run_for(120_000)
    expect(card).to_contain_text("for 7 min")
    club.hears("t5/alert/beam", said(level="fault", says="beam NE is dirty", t=time.time()))
    club.hears("t5/score", said(t=time.time(), state="playing", book="icf", sides=SIDES, asks=1))
    unseen = phone.locator('[data-table="t5"]')
    expect(unseen).to_contain_text("A question is open")
    expect(unseen).to_contain_text("beam NE is dirty")


@pytest.mark.browser
def test_a_table_whose_bridge_fell_says_that_it_plays_on_and_since_when(phone, club):
    phone.goto("/")
    tile = phone.locator('[data-table="t8"]')
    expect(tile).to_contain_text("no line to it; it plays on since")
    club.hears("t8/link", b"1")
    expect(tile).to_contain_text("Playing")


@pytest.mark.browser
@pytest.mark.parametrize("where", ["/", "/referee", "/tables/t4", "/hall", "/day", "/season"])
def test_every_page_speaks_hindi_and_axe_finds_nothing(phone, where):
    for language in ("en", "hi"):
        phone.goto(f"{where}?lang={language}")
        shown = {
            "/": '[data-table="t4"]',
            "/referee": ".waits",
            "/tables/t4": "#answer a",
            "/hall": ".hall-table",
            "/day": "#next p",
            "/season": "#standings p",
        }
        expect(phone.locator(shown[where]).first).to_be_visible()
        assert found(phone) == []
    # What is left in Latin letters: names, the table's and the book's own words (marked as English), names of files.
    left = phone.evaluate(
        """() => { for (const own of document.querySelectorAll('[lang="en"], svg, button[lang]')) own.remove();
        return document.body.innerText }"""
    )
    names = ("Asha Rao", "Ben Kim", "Table", "icf", "CSV", "JSON", "SoL", "Carrom club", "PIN")
    assert re.findall(r"[A-Za-z]{2,}", re.sub("|".join(names), "", left)) == []
    assert phone.troubles == []


SMALL = """() => [...document.querySelectorAll('a, button, summary, input, select')]
  .filter((e) => e.checkVisibility())
  .map((e) => [e.textContent, e.getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.min(width, height) < 44)
  .map(([text]) => text)"""


@pytest.mark.browser
@pytest.mark.parametrize("where", ["/", "/referee", "/tables/t4", "/hall", "/day", "/season"])
def test_on_a_phone_a_finger_hits_what_it_wants_and_the_hall_is_read_whole(phone, where):
    phone.goto(where)
    expect(phone.locator("#title, h1").first).to_be_visible()
    assert phone.evaluate(SMALL) == []
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    if where == "/hall":
        expect(phone.locator(".hall-table")).to_have_count(6)
        assert phone.evaluate("document.documentElement.scrollHeight") == 844
        points = phone.locator(".hall-table b").first
        assert points.bounding_box()["height"] < 60, "12 stands in one line"


@pytest.mark.browser
@pytest.mark.parametrize(("lang", "says"), [("en", "not heard yet"), ("hi", "अभी ख़बर की प्रतीक्षा")])
def test_a_table_of_which_only_what_was_kept_is_known_is_grey_until_it_is_heard(phone, club, lang, says):
    health = said(t=time.time(), armed="armed", name="Table 9")
    club.hears("t9/health", health, retained=True)
    club.hears("t9/availability", b"online", retained=True)
    phone.goto(f"/?lang={lang}")
    tile = phone.locator('[data-table="t9"]')
    expect(tile.locator(".hub-state")).to_have_text(f"{says} ")
    expect(phone.locator("#count")).to_contain_text(f"{says}: 1")
    away = phone.locator('[data-table="t7"]')
    lamp = "(one) => getComputedStyle(one.querySelector('.lamp')).backgroundColor"
    assert tile.evaluate(lamp) == away.evaluate(lamp)
    club.hears("t9/health", health)
    expect(tile).to_have_attribute("data-lamp", "fine")
    assert tile.evaluate(lamp) != away.evaluate(lamp)


@pytest.mark.browser
def test_the_days_results_say_who_gave_a_match(phone, club):
    given = [{"side": "north", "how": "forfeit", "of": "match", "game": 1, "why": "icf-143"}]
    sides = [{"name": "south", "players": ["Asha Rao"]}, {"name": "north", "players": ["Ben Kim"]}]
    club.hears("t1/result/m", said(match="m", book="icf", winner="south", sides=sides, given=given, end=time.time()))
    phone.goto("/day")
    expect(phone.locator("#results")).to_contain_text("Ben Kim forfeited (icf-143)")


@pytest.mark.browser
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


@pytest.mark.browser
def test_a_freed_table_calls_its_next_match_on_the_day_and_to_the_referee(phone, club):
    listed = [{"seats": {"south": "Ela", "north": "Fay"}, "time": "00:00", "referee": "Gita"}]
    club.hears("t1/fixtures", said(fixtures=[*listed, {"seats": {"south": "Asha Rao", "north": "Dev"}}]))
    phone.goto("/day")
    rows = phone.locator("#next tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).not_to_contain_text("called")
    club.hears("t1/score", said(t=time.time(), state="match_over", sides=SIDES))
    expect(rows.nth(0)).to_contain_text("waits for Asha Rao")
    expect(rows.nth(1)).to_contain_text("called")
    phone.goto("/referee")
    expect(phone.locator("#next")).to_contain_text("Table 1 Ela : Fay")
    assert phone.troubles == []


@pytest.mark.browser
def test_every_page_of_the_hub_says_what_a_table_has_lost_and_greys_its_board(phone, club):
    """The camera that sends nothing, the beams that are silent, the broker that is gone."""
    seen = time.time() - 120
    lost = {"t": time.time(), "armed": "degraded", "node": "up", "beams": "ok", "journal": "ok", "seen": seen}
    tabs = {"/": '[data-table="t3"]', "/hall": '.hall-table:has-text("Table 3")', "/tables/t3": "main"}
    for where, tile in tabs.items():
        phone.goto(where)
        for part, words in [("camera", "camera sends no pictures"), ("node", "pocket sensors are silent")]:
            health = {**lost, "camera": "ok", "name": "Table 3", part: "stalled" if part == "camera" else "stale"}
            club.hears("t3/health", said(**health))
            expect(phone.locator(f"{tile} .watch")).to_have_text(re.compile(f"Partly.*{words}"))
            if where == "/tables/t3":
                blind = phone.locator("#board.blind .seen")
                expect(blind).to_have_count(1 if part == "camera" else 0)
                if part == "camera":
                    expect(blind).to_have_text(time.strftime("last seen %H:%M", time.localtime(seen)))
        assert found(phone) == []
    club.lose()
    expect(phone.locator("#board.blind")).to_be_visible()
    expect(phone.locator("#state")).to_contain_text("no line to it")
    phone.goto("/")
    expect(phone.locator('[data-lamp="off"]')).to_have_count(8)
    assert phone.troubles == []


ANY = (
    "",
    " a ",
    ".",
    "a b",
    "a.b c..",
    "in",
    "#",
    "<b>",
    "__proto__",
    "constructor",
    "x" * 120,
    "आशा",
    "\\",
    "'\"",
    "%",
    "toString",
)


@pytest.mark.browser
@pytest.mark.parametrize("where", ["/tables/t3", "/", "/hall", "/referee"])
def test_no_word_of_a_table_ends_a_page(phone, club, where):
    phone.goto(where)
    for number, word in enumerate(ANY):
        club.hears("t3/board", said(pieces=[{"piece": word, "x": number, "y": 0}, {"piece": "queen", "x": 9, "y": 9}]))
        sides = [{"name": word, "seats": {word: word or "."}, "colour": word}]
        measures = {"arrow_mm": word, "side_mm": word, "outer_line_mm": 5, word: word}
        about = {"state": word, "turn": word, "winner": word, "book": word, "measures": measures}
        club.hears("t3/score", said(t=9e18, asks=1, sides=sides, **about, last={"says": f"ruled {number}"}))
        club.hears("t3/history", said(rulings=[{"seq": number, "event": word, "seat": word}]))
        club.hears(
            "t3/health", said(armed=word, camera=word, node=word, beams=word, journal=word, page=word, seen=number)
        )
        club.hears("t3/alert/any", said(level="ask", says=f"ask {number} {word}", t=9e18))
        expect(phone.locator("main")).to_contain_text(f"ask {number}" if where != "/hall" else "Table 1")
        if where == "/tables/t3":
            expect(phone.locator("#says")).to_have_text(f"ruled {number}")
            expect(phone.locator("#b-pieces .queen")).to_have_attribute("cx", "9")
            expect(phone.locator("#b-pieces .p")).to_have_count(2)
    assert phone.troubles == []


@pytest.mark.browser
@pytest.mark.parametrize(("where", "place"), [("/", '[data-table="t3"]'), ("/hall", "main"), ("/tables/t3", "main")])
def test_the_stroke_clock_runs_beside_what_a_table_does(phone, club, where, place):
    club.hears("t3/score/clock", b"15")
    phone.goto(where)
    clock = phone.locator(f'{place} [data-clock="t3"]')
    expect(clock).to_have_text(" · 15 s")
    club.hears("t3/score/clock", b"14")
    expect(clock).to_have_text(" · 14 s")
    club.hears("t5/score/clock", b"9")
    expect(clock).to_have_text(" · 14 s")
    club.hears("t3/score/clock", b"")
    expect(clock).to_have_text("")
    assert phone.troubles == []
