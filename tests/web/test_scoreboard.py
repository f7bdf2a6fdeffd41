"""The scoreboard in a real browser: everybody's page, the hall's and the stream's, on phone, display and TV."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from controller.web import broadcast
from tests.web.doing import set_wall_clock
from tests.web.test_accessibility import found

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SCREENS = {"phone": (390, 844), "display": (800, 480), "tv": (1920, 1080)}
LONG = {"south": {"south": "Chandrasekaran Venkateswaran-Subrahmanyam"}, "north": {"north": "W" * 60}}
RULED = {"clause": "icf-130a", "says": "striker touches one base line only", "status": "ruled"}

SIZES = """() => {
  const height = innerHeight, shown = (e) => e.checkVisibility() && e.textContent.trim();
  const size = (e) => parseFloat(getComputedStyle(e).fontSize) / height * 100;
  const least = (what) => Math.min(...[...document.querySelectorAll(what)].filter(shown).map(size));
  return { names: least('.who .fit'), points: least('.points .fit'), says: least('#saying'), watch: least('#watch b'),
           signs: least('.sign') };
}"""
CUT = """() => [...document.querySelectorAll('.band, .band .who, .band .points, .band .sign, #saying, #watch b')]
  .filter((e) => e.checkVisibility()).map((e) => [e.className || e.id, e.getBoundingClientRect()])
  .filter(([, r]) => r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1 || !r.width)
  .map(([name]) => name)"""
OVERLAP = """() => {
  const found = [], parts = [...document.querySelectorAll('.band')].map((band) => ['.who', '.points', '.signs']
    .map((what) => band.querySelector(what).getBoundingClientRect()));
  for (const [who, points, signs] of parts) {
    if (who.bottom > points.bottom || who.bottom > signs.bottom) found.push('name below');
    const apart = signs.left >= points.right - 1 || signs.top >= points.bottom - 4;
    if (!apart) found.push('signs on points');
  }
  const says = document.querySelector('#says').getBoundingClientRect();
  if (parts.some(([, , signs]) => signs.bottom > says.top + 1)) found.push('signs below the sentence');
  const saying = document.querySelector('#saying');
  if (saying.scrollHeight > saying.clientHeight + 2) found.push('the sentence is cut');
  return found;
}"""


def test_it_follows_the_table(page, table):
    page.goto("/")
    expect(page.locator("[data-points=south]")).to_have_text("12")
    expect(page.locator("#b-pieces >> nth=0").locator("circle.p")).to_have_count(11)
    expect(page.locator("[data-side=north]")).to_have_class(re.compile("turn"))
    expect(page.locator("[data-side=north] .doubt")).to_have_count(2)  # left and turn hang on a question
    expect(page.locator("[data-side=north] .sign.queen")).to_have_attribute("aria-label", re.compile("not yet covered"))
    expect(page.locator("[data-side=south] .sign.due")).to_have_text("−1")
    expect(page.locator("#ruling li.flag")).to_have_count(0)  # flagged, not confirmed: the umpire's alone
    expect(page.locator("#saying")).to_contain_text("Asha pays 1 and owes 1")
    table.state["score"]["sides"][0]["points"] = 15
    table.state["score"]["provisional"] = []
    table.feed.push("state")
    expect(page.locator("[data-points=south]")).to_have_text("15")
    table.feed.push("board", {"t": 2.0, "moving": True, "pieces": [{"piece": "queen", "x": 0, "y": 0}]})
    expect(page.locator("#b-pieces >> nth=0").locator("circle.p")).to_have_count(1)
    table.feed.push("clock", {"running": True, "left": 4.2, "limit": 15.0})
    expect(page.locator("#clock")).to_have_text("5 s")
    expect(page.locator("#clockbar")).to_have_class(re.compile("short"))
    for of_round, says in (
        ({"left": 661.0}, "· Round: 12 min"),
        ({"left": 0.0, "over": True}, "· Last board of the round"),
    ):
        table.state["score"]["round"] = of_round
        table.feed.push("state")
        expect(page.locator("#where")).to_have_text(re.compile(rf"\S {says}$"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.troubles == []


def test_a_table_whose_next_match_was_called_says_who_plays_it(page, table):
    page.set_viewport_size({"width": 800, "height": 480})
    page.goto("/board")
    seats = {"south": "Dev", "north": "Ela", "east": "Fay", "west": "Gita"}
    table.state |= {"called": {"seats": seats}}
    table.feed.push("state")
    expect(page.locator("#saying")).to_have_text("Next here: Dev & Ela : Fay & Gita")
    table.state |= {"called": None}
    table.feed.push("state")
    expect(page.locator("#saying")).to_contain_text("Asha pays 1 and owes 1")
    assert page.troubles == []


@pytest.mark.parametrize("screen", SCREENS)
def test_it_is_read_from_the_back_row(page, table, screen):
    page.set_viewport_size(dict(zip(("width", "height"), SCREENS[screen], strict=True)))
    table.state["ruling"]["fouls"] = [RULED]
    table.state["ruling"]["asks"] = []
    for names in ({}, LONG):
        for side in table.state["score"]["sides"]:
            side["seats"] = names.get(side["name"], side["seats"])
            side["points"] = 29 if names else side["points"]
        table.feed.push("state")
        page.goto("/board")
        expect(page.locator("[data-points=north]")).to_have_text("29" if names else "7")
        sizes = page.evaluate(SIZES)
        assert sizes["names"] >= 8, sizes
        assert sizes["points"] >= 25, sizes
        assert min(sizes["says"], sizes["watch"]) >= 5, sizes
        assert page.evaluate(CUT) == []
        assert page.evaluate(OVERLAP) == []
        assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == list(
            SCREENS[screen]
        )


@pytest.mark.parametrize("screen", ["display", "tv"])
def test_a_short_ruling_is_read_from_five_metres_and_a_long_one_keeps_its_words(page, table, screen):
    page.set_viewport_size(dict(zip(("width", "height"), SCREENS[screen], strict=True)))
    table.state["ruling"] |= {"fouls": [], "asks": [], "dues": [], "returned": [], "provisional": False}
    table.state["score"]["last"]["says"] = "Asha plays on"
    page.goto("/board")
    expect(page.locator("#saying")).to_contain_text("Asha plays on")
    assert page.evaluate(SIZES)["says"] >= 8.3, "25 mm of a 24-inch screen's 299: a 200th of five metres"
    assert page.evaluate(CUT) == page.evaluate(OVERLAP) == []
    long = "Asha pays 1 and owes 1; put back: white, queen; the striker touches one base line only; Ben plays"
    table.state["score"]["last"]["says"] = long
    table.feed.push("state")
    expect(page.locator("#saying")).to_contain_text("Ben plays")
    assert 5 <= page.evaluate(SIZES)["says"] < 8
    assert page.evaluate(CUT) == page.evaluate(OVERLAP) == []


def test_a_line_on_which_nothing_comes_is_lost_within_three_seconds(own_window, page, table, monkeypatch):
    monkeypatch.setattr(broadcast, "BEAT_S", 3600.0)
    page.clock.install()
    page.goto("/board")
    watch = page.locator("#watch")
    expect(watch).to_have_attribute("data-level", "armed")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    table.state["score"]["seq"] += 1
    table.feed.push("state")
    expect(page.locator("body")).to_have_attribute("data-seq", "15")
    page.clock.run_for(2_500)
    assert watch.get_attribute("data-level") == "armed"
    page.clock.run_for(500)
    assert watch.get_attribute("data-level") == "lost"


def test_a_wall_clock_that_is_set_loses_no_line(own_window, page):
    page.clock.install()
    page.goto("/board")
    watch = page.locator("#watch")
    expect(watch).to_have_attribute("data-level", "armed")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    set_wall_clock(page, 3_600_000)
    page.clock.run_for(1000)
    assert watch.get_attribute("data-level") == "armed"


@pytest.mark.parametrize("where", ["/", "/board", "/stream", "/umpire"])
def test_every_page_says_what_the_table_has_lost(page, table, where):
    """What stops: the camera, the eyes, the pocket sensors, the broker, the disk, play, the table itself."""
    page.goto(where)
    watch = page.locator("#watch")
    expect(watch).to_have_attribute("data-level", "armed")
    whole = dict(table.state["health"])
    for part, says, words in [
        ("camera", "stalled", "camera sends no pictures"),
        ("camera", "away", "camera is starting or away"),
        ("node", "stale", "pocket sensors are silent"),
        ("node", "restarting", "pocket sensors keep restarting"),
        ("broker", "lost", "displays are cut off"),
        ("journal", "no space left on device", "nothing is being saved"),
        ("disk", 1000, "the disk is full"),
    ]:
        table.state["health"] = whole | {part: says}
        table.state["score"]["armed"] = "degraded"
        table.feed.push("state")
        expect(watch).to_contain_text(f"Partly{words}")
        if where in ("/", "/board", "/stream"):
            blind = page.locator("#board.blind .seen")
            expect(blind).to_have_count(1 if part == "camera" else 0)
            if part == "camera":
                expect(blind).to_have_text(re.compile(r"last seen \d\d:\d\d"))
    table.state["health"] = whole
    table.state["score"]["state"] = "paused"
    table.feed.push("state")
    expect(watch).to_have_attribute("data-level", "stopped")
    table.feed.close()
    expect(watch).to_contain_text(re.compile(r"No connection.*last heard \d\d:\d\d"))


def test_a_stroke_is_shown_until_the_next_though_pieces_were_put_back(page, table):
    table.state["stroke"] = dict(table.state["ruling"])
    table.state["ruling"] = {"seq": 15, "event": "placed", "fouls": [], "cites": []}
    page.goto("/")
    expect(page.locator("#ruling h2")).to_contain_text("Ruling 14")
    expect(page.locator("#ruling li.cite").first).to_contain_text("pocketing the striker")
    table.state["ruling"] = {"seq": 16, "event": "pause", "fouls": [], "cites": []}
    table.feed.push("state")
    expect(page.locator("#saying")).to_have_text("Play is stopped")


def test_the_history_says_what_fell(page):
    page.goto("/")
    row = page.locator("#history > div", has_text="south plays on")
    expect(row.locator(".piece-dot")).to_have_count(2)
    expect(row.locator(".fallen:has(.piece-dot.white)")).to_have_text("NE")


def test_earlier_strokes_name_who_sat_there_then(page, table):
    table.state["score"]["sides"][0]["seats"] = {"north": "Asha"}
    table.state["score"]["sides"][1]["seats"] = {"south": "Ben"}
    for entry in table.state["history"][:2]:
        entry["seats"] = {"south": {"south": "Asha"}, "north": {"north": "Ben"}}
    page.goto("/")
    expect(page.locator("#history b")).to_have_text(["Ben ", "Asha ", "Asha "])


def test_names_are_text_whatever_they_say(page, table):
    table.state["score"]["sides"][0]["seats"] = {"south": "<img src=x onerror=alert(1)>"}
    page.goto("/")
    expect(page.locator("[data-side=south] .who")).to_contain_text("<img")
    assert page.locator("[data-side=south] img").count() == 0
    assert page.troubles == []


def test_between_boards_the_course_of_the_match_is_shown(page, table):
    page.set_viewport_size({"width": 1280, "height": 720})
    table.state["score"]["state"] = "board_over"
    table.state["ruling"] |= {"dues": [], "returned": [], "asks": [], "provisional": False, "fouls": []}
    table.state["ruling"]["board"] = {"number": 2, "over": True, "winner": "south", "points": 5, "drawn": False}
    one = {"game": 1, "drawn": False, "why": "icf-1"}
    table.state["boards"] = [
        one | {"board": 1, "winner": "north", "points": 7, "score": {"south": 0, "north": 7}},
        one | {"board": 2, "winner": "south", "points": 5, "score": {"south": 5, "north": 7}},
    ]
    page.goto("/board")
    expect(page.locator("#course tbody tr")).to_have_text(["107+7", "25+57"])
    expect(page.locator("#saying")).to_have_text("Asha wins the board with 5 points")


def test_what_is_not_saved_is_said(page, table):
    page.goto("/")
    expect(page.locator("#alerts .alert")).to_have_text(["the NE beam is dirty; wipe its lens"])
    expect(page.locator("[data-saved=no]")).to_have_count(0)
    table.state["ruling"]["saved"] = False
    table.state["history"][-1]["saved"] = False
    table.feed.push("state")
    expect(page.locator("#saying [data-saved=no]")).to_have_text("told, not yet saved")
    expect(page.locator("#history [data-saved=no]")).to_have_count(1)


def test_there_is_room_for_four(page, table):
    one = table.state["score"]["sides"][0]
    names = {"south": "Asha", "east": "Chandrasekaran Venkatesh", "north": "Ben", "west": "Dee"}
    table.state["score"]["sides"] = [one | {"name": seat, "seats": {seat: who}} for seat, who in names.items()]
    for size in SCREENS.values():
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.goto("/board")
        expect(page.locator(".band")).to_have_count(4)
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize(
    ("tag", "watches", "turn"),
    [
        ("mr", "पाहत आहे", "खेळायचे"),
        ("ta", "கவனிக்கிறது", "ஆட வேண்டும்"),
        ("si", "බලා සිටී", "වාරය"),
        ("fr", "Surveille", "à jouer"),
        ("de", "Sieht zu", "am Zug"),
    ],
)
def test_the_scoreboard_and_its_ruling_speak_the_language_that_was_asked_for(page, table, tag, watches, turn):
    page.set_viewport_size({"width": 800, "height": 480})
    page.goto(f"/board?lang={tag}")
    expect(page.locator("#watch b")).to_contain_text(watches)
    expect(page.locator("html")).to_have_attribute("lang", tag)
    expect(page.locator(".band.turn .mark")).to_have_attribute("aria-label", turn)
    shown = page.evaluate("document.body.innerText")
    assert not {"Watching", "owes", "plays on", "put back"} & set(re.findall(r"[A-Za-z ]+", shown)), shown
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [800, 480]
    assert found(page) == []


def test_a_language_that_nobody_reviewed_is_not_chosen_by_itself(chromium, client):
    context = chromium.new_context(base_url=f"http://127.0.0.1:{client.port}", locale="fr-FR")
    page = context.new_page()
    page.goto("/")
    expect(page.locator("#watch b")).to_contain_text("Watching")
    context.close()


@pytest.mark.parametrize(("after_s", "level", "alerts"), [(5, "starting", 0), (120, "off", 2)])
def test_a_table_that_has_just_begun_sets_up_its_camera_and_shows_no_red_alarm(page, table, after_s, level, alerts):
    began = 1_700_000_000.0
    health = {"camera": "away", "node": "down", "beams": "unknown", "armed": "off", "seen": None}
    table.state["health"] |= health | {"t": began + after_s, "began": began}
    table.state["score"]["armed"] = "off"
    table.state["alerts"] = [{"id": name, "level": "fault", "says": "x", "t": began} for name in ("camera", "node")]
    for where in ("/", "/board"):
        page.goto(where)
        watch = page.locator("#watch")
        expect(watch).to_have_attribute("data-level", level)
        if level == "starting":
            expect(watch).to_contain_text("Setting up")
            expect(watch).to_contain_text("setting up the camera…")
        assert found(page) == []
    page.goto("/")
    expect(page.locator("#watch")).to_have_attribute("data-level", level)
    expect(page.locator("#alerts .alert")).to_have_count(alerts)
    assert page.troubles == []


@pytest.mark.parametrize("where", ["/", "/board", "/umpire"])
def test_a_table_without_sensors_is_scored_by_hand_and_shows_no_alarm(page, table, where):
    table.state["score"]["armed"] = "off"
    table.state["health"] |= {"camera": "none", "node": "none", "armed": "off"}
    page.goto(where)
    watch = page.locator("#watch")
    expect(watch.locator("b")).to_contain_text("By hand")
    calm = watch.evaluate("element => getComputedStyle(element).color")
    table.state["health"] |= {"camera": "lost"}
    table.state["score"]["seq"] += 1
    table.feed.push("state")
    expect(watch).to_have_attribute("data-level", "off")
    assert watch.evaluate("element => getComputedStyle(element).color") != calm
