"""The club's day: results, which match a freed table calls, and what the desk decides."""

from __future__ import annotations

import json
import time
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.hub.seasons import filled
from tests.web.client import Client
from tests.web.doing import resized
from tests.web.pretend_club import SIDES, SMALL, PretendClub, said
from tests.web.test_accessibility import found

SIZES = [(390, 844), (800, 480), (1366, 768), (1920, 1080)]
SHIFTS = """() => {
  window.shifts = [];
  window.watched = new PerformanceObserver((list) => window.shifts.push(...list.getEntries()));
  window.watched.observe({ type: 'layout-shift', buffered: true });
}"""
SHIFTED = """async () => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(requestAnimationFrame);
  window.shifts.push(...window.watched.takeRecords());
  return window.shifts.reduce((sum, { value }) => sum + value, 0);
}"""
ROWS = """() => [...document.querySelectorAll('#matches tbody tr')].map((row) => {
  const { top, height } = row.getBoundingClientRect();
  return [row.querySelector('bdi').textContent, Math.round(top), Math.round(height)];
})"""


@pytest.mark.browser
def test_nothing_moves_as_a_page_of_the_club_comes_nor_as_a_match_ends(phone, club, tmp_path):
    """Each match is as high before its end as after it: whatever is above it and below stays where it was."""
    names = ["Asha Rao", "Zoë Łukasz", "Sinnathamby Balasubramaniam", "आशा कुलकर्णी", "Ela", "Fay", "Gita", "Hari"]
    pairs = list(zip(names[::2], names[1::2], strict=True))
    for number, (south, north) in enumerate(pairs, 1):
        one = {"seats": {"south": south, "north": north}, "time": f"1{number}:00", "event": "Open", "key": f"k{number}"}
        club.hears(f"t{number}/fixtures", said(fixtures=[one]))
    club.tells(filled(tmp_path / "season.sqlite"))

    def ends(number, points):
        sides = [
            {"name": seat, "players": [name], "points": points * (seat == "north"), "games": 2 * (seat == "north")}
            for seat, name in zip(("south", "north"), pairs[number - 1], strict=True)
        ]
        about = {"match": f"m{number}", "winner": "north", "end": time.time() + points, "fixture": f"k{number}"}
        club.hears(f"t{number}/result/m{number}", said(book="icf", sides=sides, **about))

    ends(1, 25)
    phone.add_init_script(f"({SHIFTS})()")
    shown = {"/season": "#standings tbody", "/hall": ".hall-table", "/day": "#next tbody"}
    for number, size in enumerate(SIZES):
        resized(phone, size)
        for where, part in shown.items():
            phone.goto(where)
            expect(phone.locator(part).first).to_be_visible()
            assert phone.evaluate(SHIFTED) <= 0.01, (where, size)
        before = phone.evaluate(ROWS)
        # The first that is still to be played ends, then what its result says is put right.
        ends(min(number + 2, 3), 26 + number)
        expect(phone.locator("#results tbody tr").last.locator(".won")).to_contain_text(f"2 ({26 + number})")
        assert phone.evaluate(SHIFTED) <= 0.01, size
        after = phone.evaluate(ROWS)
        assert [height for *_, height in after] == [height for *_, height in before]
        assert (after[0], after[-1]) == (before[0], before[-1])
    assert phone.troubles == []


@pytest.mark.browser
def test_a_result_is_two_names_with_their_figures_at_the_right_and_the_winner_bold(phone, club):
    sides = [{"name": seat, "players": [name]} for seat, name in (("south", "Asha Rao"), ("north", "Ben Kim"))]
    had = [{**sides[0], "points": 4, "games": 0}, {**sides[1], "points": 25, "games": 2}]
    club.hears("t1/result/m", said(match="m", book="icf", winner="north", sides=had, end=time.time()))
    phone.goto("/day")
    lines = phone.locator("#results .draw-side")
    expect(lines).to_have_text(["Asha Rao0 (4)", "Ben Kim2 (25)"])
    weights, tops, rights = phone.evaluate(
        """() => {
          const [one, other] = document.querySelectorAll('#results .draw-side');
          const ends = (line) => line.lastChild.getBoundingClientRect().right;
          return [[one, other].map((line) => Number(getComputedStyle(line.firstChild).fontWeight)),
            [one.offsetTop, other.offsetTop], [ends(one), ends(other)]];
        }"""
    )
    assert weights[0] < 600 <= weights[1]
    assert tops[0] < tops[1]
    assert rights[0] == rights[1] == 390 - 18


@pytest.mark.browser
def test_the_days_results_say_who_gave_a_match(phone, club):
    given = [{"side": "north", "how": "forfeit", "of": "match", "game": 1, "why": "icf-143"}]
    sides = [{"name": "south", "players": ["Asha Rao"]}, {"name": "north", "players": ["Ben Kim"]}]
    club.hears("t1/result/m", said(match="m", book="icf", winner="south", sides=sides, given=given, end=time.time()))
    phone.goto("/day")
    expect(phone.locator("#results")).to_contain_text("Ben Kim forfeited (icf-143)")


@pytest.mark.browser
def test_a_freed_table_calls_its_next_match_on_the_day_and_to_the_referee(phone, club):
    listed = [{"seats": {"south": "Ela", "north": "Fay"}, "time": "12:00", "referee": "Gita"}]
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


LISTED = [
    {"seats": {"south": "Ela", "north": "Fay"}, "time": "11:00", "event": "Open"},
    {"seats": {"south": "Gita", "north": "Hari", "east": "Indu", "west": "Jay"}, "time": "11:01"},
]
WALKOVER = {"what": "walkover", "winner": "south", "reason": "did not come"}


def free(club) -> None:
    """The first table is free, and has two matches to play."""
    club.hears("t1/fixtures", said(fixtures=LISTED))
    club.hears("t1/score", said(t=time.time(), state="idle"))


@pytest.mark.live
def test_the_desk_is_the_referees_and_what_it_decided_is_there_after_a_restart(club, tmp_path):
    free(club)
    anybody, referee = club.client, Client(club.client.port)
    first = referee.get("/day/state").json["next"][0]["fixture"]
    assert anybody.post("/day/act", {"fixture": first, **WALKOVER}).status == 401
    referee.login()
    assert referee.get("/day/act").status == 405
    for bad in (b"[]", b"{", {}, {"fixture": first, "what": "walkover", "winner": "east", "reason": "x"}):
        assert referee.post("/day/act", bad).status == 400
    assert referee.post("/day/act", {"fixture": "none", **WALKOVER}).status == 409
    assert len(referee.get("/day/state").json["next"]) == 2
    for _ in range(2):
        assert referee.post("/day/act", {"fixture": first, **WALKOVER}).status == 200
    again = PretendClub(tmp_path / "season.sqlite")
    free(again)
    try:
        for one in (club, again):
            told = one.client.get("/day/state").json
            assert [one["stage"] for one in told["next"]] == ["called"]
            assert [(row["winner"], row["walkover"], row["why"]) for row in told["results"]] == [
                ("Ela", first, ["did not come"])
            ]
    finally:
        again.server.stop()
    assert b"walkover (did not come)" in anybody.get("/day/results.csv").body
    _head, tourney = json.loads(anybody.get("/day/results.sol").body)
    assert [(match["score1"], match["score2"]) for match in tourney["matches"]] == [(25, 0)]
    assert referee.post("/day/act", {"fixture": first, "what": "undone"}).status == 200
    assert anybody.get("/day/state").json["results"] == []


@pytest.mark.live
def test_what_the_file_does_not_take_is_said_and_a_hub_without_a_season_decides_nothing(club, tmp_path):
    free(club)
    (tmp_path / "season.sqlite").mkdir()
    without = PretendClub()
    try:
        for one, status in ((club, 503), (without, 404)):
            referee = Client(one.client.port)
            referee.login()
            first = club.client.get("/day/state").json["next"][0]["fixture"]
            refused = referee.post("/day/act", {"fixture": first, **WALKOVER})
            assert (refused.status, "season" in refused.json["error"]) == (status, True)
        assert without.client.get("/day/state").json["desk"] is False
    finally:
        without.server.stop()


@pytest.mark.browser
@pytest.mark.parametrize("lang", ["en", "hi"])
def test_a_secretary_gives_a_walkover_and_sets_a_match_aside_on_a_phone_and_takes_both_back(phone, club, lang):
    free(club)
    words = {
        "en": (
            "did not come",
            "Ela wins",
            "walkover for Ela: did not come",
            "Set aside",
            "postponed",
            "Undo",
            "Say the reason first.",
        ),
        "hi": ("नहीं आए", "Ela की जीत", "Ela को वॉकओवर: नहीं आए", "टालें", "टला", "वापस लें", "पहले कारण बताएँ।"),
    }
    why, wins, says, aside, postponed, undo, first = words[lang]
    phone.goto(f"/day?lang={lang}")
    rows, results = phone.locator("#next tbody tr"), phone.locator("#results")
    expect(rows).to_have_count(2)
    expect(phone.locator("[data-fixture]")).to_have_count(0)
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    rows.first.locator("[data-fixture]").click()
    sheet = phone.locator("dialog")
    sheet.get_by_role("button", name=wins).click()
    expect(sheet.get_by_role("alert")).to_have_text(first)
    sheet.locator("input[list]").fill(why)
    assert found(phone) == []
    assert phone.evaluate(SMALL) == []
    sheet.get_by_role("button", name=wins).click()
    expect(sheet).to_have_count(0)
    expect(results).to_contain_text(says)
    expect(results).not_to_contain_text("0 : 0")
    expect(rows).to_have_count(1)
    expect(rows.locator("bdi")).to_have_text(["Gita & Hari", "Indu & Jay"])
    rows.first.locator("[data-fixture]").click()
    sheet.get_by_role("button", name=aside).click()
    expect(rows.first).to_contain_text(postponed)
    assert found(phone) == []
    assert phone.evaluate(SMALL) == []
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    rows.first.get_by_role("button", name=undo).click()
    expect(rows.first).not_to_contain_text(postponed)
    results.get_by_role("button", name=undo).click()
    expect(rows).to_have_count(2)
    expect(results).not_to_contain_text(says)
    assert phone.troubles == []


@pytest.mark.browser
@pytest.mark.parametrize(
    ("lang", "waits", "call", "called", "undo"),
    [
        ("en", "called from 13:45", "Call it now", "called", "Undo"),
        ("hi", "13:45 से बुलाया जाएगा", "अभी बुलाएँ", "बुलाया गया", "वापस लें"),
    ],
)
def test_a_free_table_says_when_it_calls_and_the_desk_calls_before_that(phone, club, lang, waits, call, called, undo):
    listed = [{"seats": {"south": "Ela", "north": "Fay"}, "time": at} for at in ("14:00", "15:00")]
    club.hears("t1/fixtures", said(fixtures=listed))
    club.hears("t1/score", said(t=time.time(), state="idle"))
    phone.goto(f"/day?lang={lang}")
    rows = phone.locator("#next tbody tr")
    expect(rows.first).to_contain_text(waits)
    expect(rows.last).not_to_contain_text(waits)
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    rows.first.locator("[data-fixture]").click()
    assert found(phone) == []
    phone.locator("dialog").get_by_role("button", name=call).click()
    expect(rows.first).to_contain_text(called)
    rows.first.get_by_role("button", name=undo).click()
    expect(rows.first).to_contain_text(waits)
    club.now += timedelta(minutes=105)
    club.feed.push("state")
    expect(rows.first).to_contain_text(called)
    assert phone.troubles == []


@pytest.mark.browser
def test_what_the_desk_may_not_decide_any_more_is_said_in_the_sheet(phone, club):
    free(club)
    phone.goto("/day")
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    phone.locator("#next [data-fixture]").first.click()
    sheet = phone.locator("dialog")
    club.hears("t1/fixtures", b"")
    sheet.get_by_role("button", name="Set aside").click()
    expect(sheet.get_by_role("alert")).to_contain_text("no fixture any more")
    sheet.get_by_role("button", name="Close").click()
    expect(phone.locator("#next [data-fixture]")).to_have_count(0)
    assert phone.troubles == []


@pytest.mark.browser
def test_the_hall_shows_a_walkover_and_no_points(own_window, phone, club):
    free(club)
    referee = Client(club.client.port)
    referee.login()
    first = referee.get("/day/state").json["next"][0]["fixture"]
    referee.post("/day/act", {"fixture": first, **WALKOVER})
    phone.clock.install()
    phone.goto("/hall")
    phone.clock.run_for(12_000)  # the page after the tables
    given = phone.locator(".hall-table", has_text="walkover for Ela: did not come")
    expect(given.locator(".won")).to_have_text("Ela won")


@pytest.mark.browser
@pytest.mark.parametrize(("lang", "says"), [("en", "no referee · no display"), ("hi", "रेफ़री नहीं · डिस्प्ले नहीं")])
def test_the_day_says_which_table_has_no_referee_and_no_display(phone, club, lang, says):
    free(club)
    club.hears(
        "t2/fixtures", said(fixtures=[{**LISTED[0], "seats": {"south": "Kai", "north": "Lea"}, "referee": "Mo"}])
    )
    phone.goto(f"/day?lang={lang}")
    first = phone.locator("#next tbody tr", has_text="Ela").first
    expect(first).to_be_visible()
    expect(first).not_to_contain_text(says[-10:])
    club.hears("t1/health", said(t=time.time(), armed="armed", name="Table 1", display="none"))
    expect(first).to_contain_text(says)
    for other in ("Gita", "Kai"):
        expect(phone.locator("#next tbody tr", has_text=other)).not_to_contain_text(says[:10])
    assert phone.troubles == []


LATER = {
    "seats": {"south": "winner SF1", "north": "Dev"},
    "awaits": {"south": "winner SF1"},
    "time": "12:00",
    "round": "2",
    "id": "F",
}


@pytest.mark.browser
def test_who_is_not_known_yet_and_who_would_be_another_now_are_told(phone, club):
    first = {"seats": {"south": "Ela", "north": "Fay"}, "time": "11:00", "id": "SF1"}
    club.hears("t1/fixtures", said(fixtures=[first]))
    club.hears("t2/fixtures", said(fixtures=[LATER]))
    for table in ("t1", "t2"):
        club.hears(f"{table}/score", said(t=time.time(), state="idle"))
    phone.goto("/day")
    final = phone.locator("#next tbody tr").last
    for told in ("waits for winner of SF1 (Table 1)", "2 · F"):
        expect(final).to_contain_text(told)
    expect(final.locator("bdi")).to_have_text(["winner of SF1", "Dev"])
    club.hears("t2/fixtures", said(fixtures=[{**LATER, "seats": {"south": "Ela", "north": "Dev"}}]))
    sides = [{"name": "south", "players": ["Ela"]}, {"name": "north", "players": ["Fay"]}]
    club.hears("t1/result/m", said(match="m", book="icf", winner="north", sides=sides, end=time.time()))
    expect(final).to_contain_text("by the corrected result: Fay")
    expect(final.locator("bdi")).to_have_text(["Ela", "Dev"])
    assert phone.troubles == []


@pytest.mark.browser
@pytest.mark.parametrize(
    ("lang", "was", "other"),
    [("en", "It was 11:00 Open", "It was another match"), ("hi", "यही मैच था: 11:00 Open", "यह दूसरा मैच था")],
)
def test_the_desk_says_in_one_tap_which_fixture_a_match_was_and_takes_it_back(phone, club, lang, was, other):
    free(club)
    sides = [{"name": "south", "players": ["Ela"]}, {"name": "north", "players": ["Fay"]}]
    match = {"match": "m", "book": "icf", "winner": "south", "sides": sides, "end": time.time(), "fixture": ""}
    club.hears("t1/result/m", said(**match))
    phone.goto(f"/day?lang={lang}")
    rows, result = phone.locator("#next tbody tr"), phone.locator("#results tbody tr")
    expect(result).to_have_count(1)
    expect(result.get_by_role("button")).to_have_count(0)
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    expect(rows).to_have_count(2)
    result.get_by_role("button", name=was).click()
    expect(rows).to_have_count(1)
    expect(result).to_contain_text("Open")
    assert found(phone) == []
    assert phone.evaluate(SMALL) == []
    result.get_by_role("button", name=other).click()
    expect(rows).to_have_count(2)
    expect(result.get_by_role("button", name=was)).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    assert phone.troubles == []


@pytest.mark.browser
@pytest.mark.parametrize(("lang", "goes_on", "undo"), [("en", "Fay goes on", "Undo"), ("hi", "आगे: Fay", "वापस लें")])
def test_the_desk_says_who_goes_on_from_a_draw(phone, club, lang, goes_on, undo):
    key = {"key": "sf1", "id": "SF1"}
    later = {"seats": {"south": "winner SF1", "north": "Gita"}, "awaits": {"south": "winner SF1"}, "key": "f"}
    club.hears("t1/fixtures", said(fixtures=[LISTED[0] | key, later]))
    sides = [{"name": "south", "players": ["Ela"]}, {"name": "north", "players": ["Fay"]}]
    club.hears("t1/result/m", said(match="m", book="icf", sides=sides, end=time.time(), fixture="sf1"))
    phone.goto(f"/day?lang={lang}")
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    result = phone.locator("#results tbody tr")
    result.get_by_role("button", name=goes_on).click()
    expect(result.get_by_role("button", name=goes_on)).to_have_count(0)
    result.get_by_role("button", name=undo).click()
    expect(result.get_by_role("button", name=goes_on)).to_be_visible()
    assert found(phone) == []
    assert phone.evaluate(SMALL) == []
    assert phone.troubles == []
