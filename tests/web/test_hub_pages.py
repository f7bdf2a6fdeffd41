"""The club's pages: what everybody may see, Hindi, what axe finds, a finger's size, a table that is lost."""

from __future__ import annotations

import json
import re
import time

import pytest
from playwright.sync_api import expect

from tests.web.client import Client
from tests.web.doing import resized
from tests.web.pretend_club import ANY, SIDES, SMALL, said
from tests.web.test_accessibility import found


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
def test_no_umpires_act_is_taken_at_the_hub(club):
    referee = Client(club.client.port)
    referee.login()
    assert referee.post("/act", {"event": "pause"}).status == 404


@pytest.mark.browser
def test_a_table_whose_bridge_fell_says_that_it_plays_on_and_since_when(phone, club):
    phone.goto("/")
    tile = phone.locator('[data-table="t8"]')
    expect(tile).to_contain_text("no line to it; it plays on since")
    club.hears("t8/link", b"1")
    expect(tile).to_contain_text("Playing")


@pytest.mark.long
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
            "/day": "#next p:not(.hub-ends)",
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


@pytest.mark.browser
@pytest.mark.parametrize("where", ["/", "/referee", "/tables/t4", "/hall", "/day", "/season"])
def test_on_a_phone_a_finger_hits_what_it_wants_and_the_hall_is_read_whole(phone, where):
    phone.goto(where)
    expect(phone.locator("#title, h1").first).to_be_visible()
    assert phone.evaluate(SMALL) == []
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    if where == "/hall":
        expect(phone.locator(".hall-table")).to_have_count(8)
        assert phone.evaluate("document.documentElement.scrollHeight") == 844
        points = phone.locator(".hall-table b").first
        assert points.bounding_box()["height"] < 60, "12 stands in one line"


LONGEST = "Venkatanarasimharajuvaripeta Ramanathan-Subrahmanyam Iyer Jr"
NAMES = (LONGEST, "Asha Rao", "वेंकटेशन सुब्रमण्यम", "Zoë Łukasz", "வெங்கடேஸ்வரன் ராமநாதன்", "Sinnathamby Balasubramaniam")
TILES = """() => {
  const box = (one) => one.getBoundingClientRect();
  const within = (one, other) => one.left > other.left - 1 && one.right < other.right + 1
    && one.top > other.top - 1 && one.bottom < other.bottom + 1;
  const page = box(document.getElementById('page'));
  return [...document.querySelectorAll('.hall-table')].map((tile) => {
    const lines = [...tile.querySelectorAll('bdi span, .won i, .hall-games')];
    return {
      title: tile.querySelector('h2').firstChild.data,
      names: [...tile.querySelectorAll('bdi')].map((name) => name.textContent.trim()),
      place: [box(tile).left, box(tile).top].map(Math.round),
      whole: within(box(tile), page) && lines.every((line) => within(box(line), box(tile))
        && box(line).right < box(line.closest('.hall-side').lastChild).left
        && (line.className || box(line).right < box(line.closest('.hall-side').children[2]).left + 1)),
      letters: Math.max(...[...tile.querySelectorAll('.hall-name')].map((name) => parseFloat(name.style.fontSize)))
        / innerHeight,
      share: box(tile).width * box(tile).height / page.width / page.height,
    };
  });
}"""


def match(names, **more):
    sides = [
        {"name": seat, "seats": {seat: name}, "points": points, "games": games}
        for seat, name, points, games in zip(("south", "north"), names, (0, 33), (0, more.pop("games", 0)), strict=True)
    ]
    return said(t=time.time(), match="m", state=more.pop("state", "playing"), book="icf", board=3, sides=sides, **more)


def stand(phone, club, count):
    """So many tables stand in the hall, and all play."""
    club.read(lambda tables: tables.anew())
    for number in range(1, count + 1):
        club.hears(f"t{number}/availability", b"online")
        club.hears(f"t{number}/health", said(t=time.time(), armed="armed", name=f"Table {number}"))
        over = {"state": "match_over", "winner": "north", "games": 2} if number % 3 == 2 else {}
        club.hears(f"t{number}/score", match((NAMES[(number - 1) * 2 % 6], NAMES[(number * 2 - 1) % 6]), **over))
    expect(phone.locator(".hall-table bdi")).to_have_count(2 * count)


@pytest.mark.browser
def test_the_halls_tables_fill_every_screen_with_whole_names(phone, club):
    phone.goto("/hall")
    for count, least in ((1, 0.08), (3, 0.05), (12, 0.03), (24, 0.016)):
        stand(phone, club, count)
        for size in [(390, 844)] * (count < 12) + [(1366, 768), (3840, 2160)]:
            resized(phone, size)
            phone.evaluate("document.fonts.ready")
            tiles = phone.evaluate(TILES)
            assert [one["title"] for one in tiles] == [f"Table {number}" for number in range(1, count + 1)]
            assert [one for one in tiles if not one["whole"]] == []
            assert {" ".join(name.split()) for one in tiles for name in one["names"]} <= {*NAMES}
            assert tiles[0]["letters"] > least * (0.4 if size[0] == 390 else 1)
            assert sum(one["share"] for one in tiles) > 0.85


@pytest.mark.browser
def test_a_match_that_ends_keeps_its_place_in_the_hall_and_says_who_won_and_by_what(phone, club):
    phone.goto("/hall?lang=hi")
    stand(phone, club, 3)
    club.hears("t2/score", match(NAMES[2:4], games=1))
    second = phone.locator(".hall-table", has_text="Table 2")
    expect(second.locator("h2")).to_contain_text("गेम 2, बोर्ड 3")
    expect(second.locator(".hall-games")).to_have_text(["0", "1"])
    places = [(one["title"], one["place"]) for one in phone.evaluate(TILES)]
    club.hears("t2/score", match(NAMES[2:4], state="match_over", winner="north", games=2))
    expect(second.locator(".won bdi")).to_have_text(NAMES[3])
    expect(second.locator(".won i")).to_have_text("विजेता")
    expect(second.locator(".won .hall-games")).to_have_text("2")
    club.hears("t3/alert/ask-1", said(level="ask", says="Which piece?", t=time.time()))
    expect(phone.locator(".hall-table", has_text="Table 3")).to_have_attribute("data-lamp", "ask")
    assert [(one["title"], one["place"]) for one in phone.evaluate(TILES)] == places
    club.hears("t3/fixtures", said(fixtures=[{"seats": {"south": "Ela", "north": "Fay"}}]))
    club.hears("t3/score", said(t=time.time(), state="idle"))
    expect(phone.locator(".hall-call")).to_contain_text("Table 3 Ela : Fay")
    assert found(phone) == []
    assert [(one["title"]) for one in phone.evaluate(TILES)] == ["Table 1", "Table 2", "Table 3"]
    assert phone.troubles == []


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
@pytest.mark.parametrize(
    ("where", "place"), [("/", '[data-table="t3"]'), ("/hall", "article:has-text('Table 3')"), ("/tables/t3", "main")]
)
def test_the_stroke_clock_runs_beside_what_a_table_does(phone, club, where, place):
    def scores(**clock):
        club.hears("t3/score", said(t=time.time(), state="playing", sides=SIDES, clock={"limit": 15.0, **clock}))

    scores(running=True, left=600.0, ends=time.time() + 600.0)
    phone.goto(where)
    clock = phone.locator(place).locator(".hub-clock")
    # It goes on by itself.
    expect(clock).to_have_text(re.compile(r" · 5\d\d s"))
    expect(clock).not_to_have_text(clock.text_content())
    scores(running=True, left=9.3)
    expect(clock).to_have_text(" · 10 s")
    scores(running=False)
    expect(clock).to_have_text("")
    of_round = {"running": True, "limit": 1200.0, "left": 600.0, "ends": time.time() + 600.0}
    club.hears("t3/score", said(t=time.time(), state="playing", sides=SIDES, round=of_round))
    expect(phone.locator(place).locator(".hub-round")).to_have_text(" · Round: 10 min")
    assert phone.troubles == []
