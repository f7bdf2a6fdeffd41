"""The console and the scoreboard say aloud what is confirmed, once and in order, where that is switched on."""

from __future__ import annotations

import copy

import pytest
from playwright.sync_api import expect

from controller.web import Feed, WebServer, create_app
from tests.web.doing import held_back, show, wait_held

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FAKE = """(voices) => {
  const said = [], listeners = [];
  let now = null;
  const ended = (how) => { const one = now; now = null; one?.[how]?.({}); };
  const speechSynthesis = {
    getVoices: () => voices, said, end: () => ended('onend'),
    speak: (one) => { now = one; said.push(one.text); },
    cancel: () => { said.push('(cut)'); ended('onerror'); },
    addEventListener: (kind, does) => listeners.push(does),
    gain: (voice) => { voices.push(voice); for (const does of listeners) does(); },
  };
  const SpeechSynthesisUtterance = function (text) { this.text = text; };
  Object.defineProperty(window, 'speechSynthesis', { value: speechSynthesis });
  window.SpeechSynthesisUtterance = SpeechSynthesisUtterance;
}"""
"""A browser's voice: what it was told to say is in `said`; it is done with the first by `end()`."""
ENGLISH = {"lang": "en_GB", "localService": True}
HINDI = {"lang": "hi-IN", "localService": True}
SLEPT = """() => {
  const now = Date.now() + 60_000;
  Date.now = () => now;
  document.dispatchEvent(new Event('visibilitychange'));
}"""
ON = "localStorage.setItem('carrom-voice', 'on')"
SAID = "speechSynthesis.said"
FOUL = {"fouls": [{"clause": "x-1", "says": "a push", "status": "ruled"}]}


def ruled(seq: int, event: str = "shot", seat: str | None = "south", **ruling) -> dict:
    """An entry of the history, as a table tells it."""
    entry = {"seq": seq, "event": event, "seat": seat, "says": "in the table's own words", "provisional": False}
    entry |= {name: ruling.pop(name) for name in ("provisional", "taken_back", "void") if name in ruling}
    stroke = {"turn": seat, "turn_kept": True} if event == "shot" else {}
    return entry | {"ruled": {"event": event, "seat": seat, **stroke, **ruling, "void": entry.get("void", False)}}


def told(table, *entries: dict, open_: tuple[str, ...] = (), points: int | None = None) -> None:
    """The table tells of these rulings, in place of those of their numbers."""
    numbers = [one["seq"] for one in entries]
    history = [one for one in table.state["history"] if one["seq"] not in numbers]
    score = copy.deepcopy(table.state["score"]) | {"provisional": list(open_)}
    score["seq"] += 100  # what the page shows
    if points is not None:
        score["sides"][0]["points"] = points
    show(table, history=sorted([*history, *entries], key=lambda one: one["seq"]), score=score)


def shows(page, table) -> None:
    expect(page.locator("body")).to_have_attribute("data-seq", str(table.state["score"]["seq"]))


def happens(page, table, *entries: dict, **more) -> None:
    """And the page shows it."""
    told(table, *entries, **more)
    shows(page, table)


def heard(page) -> list[str]:
    """What is said from the last time on, each to its end."""
    return page.evaluate("""() => {
      const { said } = speechSynthesis;
      for (let seen = -1; seen < said.length;) { seen = said.length; speechSynthesis.end(); }
      return said.splice(0);
    }""")


@pytest.fixture(params=["/umpire", "/", "/board"])
def speaking(request, page, table):
    """A page on a device on which the voice is on; the table has ruled 13 and 14, of which 14 hangs on a question."""
    where = request.param
    table.state["history"] = [ruled(13), ruled(14, dues=[{"side": "south", "pieces": 1, "owed": 1}], provisional=True)]
    page.add_init_script(f"({FAKE})({[ENGLISH]!s})".replace("True", "true"))
    page.add_init_script(ON)
    page.goto(where)
    if where == "/umpire":
        page.fill("#pin", "4711")
        page.click("#pin-form .btn.first")
    expect(page.locator("body")).to_have_attribute("data-seq", "14")
    return page


def test_what_was_there_before_is_not_said_and_rulings_are_said_in_order(speaking, table):
    assert heard(speaking) == []
    returned = [{"piece": "white", "side": "south", "why": "icf-66"}]
    happens(
        speaking,
        table,
        ruled(15),
        ruled(16, dues=[{"side": "south", "pieces": 1}], returned=returned, turn="north", turn_kept=False),
    )
    assert speaking.evaluate(SAID) == ["Asha plays on"]  # the next one waits
    happens(speaking, table)
    assert heard(speaking) == ["Asha plays on", "Asha pays 1; put back: white; Ben to play"]
    happens(speaking, table, ruled(17, "placed"), ruled(18, "pause", None))
    assert heard(speaking) == ["Play is stopped"]
    assert speaking.troubles == []


def test_only_what_is_confirmed_is_said(speaking, table):
    due = {"dues": [{"side": "south", "pieces": 1, "owed": 1}]}
    flagged = {"clause": "icf-30", "says": "the elbow", "status": "to confirm"}
    happens(speaking, table, ruled(15, "pause", None), open_=("turn",))
    assert heard(speaking) == ["Play is stopped"]
    happens(speaking, table, ruled(14, **due), ruled(16, "answer"))
    assert heard(speaking) == ["Asha pays 1 and owes 1; Asha plays on"]
    happens(speaking, table, ruled(17, fouls=[flagged], provisional=True), open_=("score.south",), points=17)
    happens(speaking, table, ruled(18), open_=("score.south",))
    assert heard(speaking) == []
    happens(speaking, table, ruled(17, **due), ruled(19, "answer", **due))
    assert heard(speaking) == ["Asha plays on", "The score: Asha 17, Ben 7"]  # 17 is overtaken by the next stroke


def test_what_is_undone_is_not_said(speaking, table):
    happens(speaking, table, ruled(15, void=True), ruled(16, "void", None, void=True), ruled(17, taken_back=True))
    assert heard(speaking) == ["The stroke is taken back"]
    board = {"number": 1, "over": True, "winner": "south", "points": 5}
    happens(speaking, table, ruled(19, **FOUL), ruled(20, board=board), points=17)
    assert speaking.evaluate(SAID) == ["Foul by Asha: a push; Asha plays on"]
    happens(speaking, table, ruled(19, void=True), ruled(20, void=True), ruled(21, "void", None, void=True), points=12)
    assert heard(speaking) == [
        "Foul by Asha: a push; Asha plays on",
        "(cut)",
        "The stroke is taken back",
        "The score: Asha 12, Ben 7",
    ]


def test_a_call_is_said_with_the_stroke_that_it_fouls(speaking, table):
    happens(speaking, table, ruled(15))
    assert heard(speaking) == ["Asha plays on"]
    happens(speaking, table, ruled(15, **FOUL, turn="north", turn_kept=False), ruled(16, "call", **FOUL))
    assert heard(speaking) == ["Foul by Asha: a push; Ben to play"]
    happens(speaking, table, ruled(17, "call", "north", **FOUL))
    assert heard(speaking) == ["Foul by Ben: a push"]
    turned = {"south": {"north": "Asha"}, "north": {"south": "Ben"}}
    for side in table.state["score"]["sides"]:
        side["seats"] = turned[side["name"]]
    happens(speaking, table, ruled(18, "seats", None))
    assert heard(speaking) == ["The players change seats"]


def test_a_reload_and_what_was_slept_through_say_nothing_old(speaking, table):
    # With a line of its own, as where windows cannot share one: a shared one cannot be held back from outside.
    speaking.add_init_script("delete globalThis.SharedWorker")
    happens(speaking, table, ruled(15))
    speaking.reload()
    shows(speaking, table)
    assert heard(speaking) == []
    held = held_back(speaking, "**/events*")
    speaking.evaluate(SLEPT)
    wait_held(speaking, held, 1)
    told(table, ruled(16))
    held[0].continue_()
    shows(speaking, table)
    assert heard(speaking) == []
    happens(speaking, table, ruled(17))
    assert heard(speaking) == ["Asha plays on"]
    table.state["score"]["match"] = "m-2"
    table.state["history"] = []
    happens(speaking, table, ruled(1, "start", None), points=0)
    assert heard(speaking) == ["The match begins"]


def test_it_is_switched_on_and_off_on_this_device(page, table):
    page.add_init_script(f"({FAKE})([])")
    page.goto("/")
    switch = page.locator("#voice")
    expect(switch).to_be_disabled()
    expect(switch).to_have_text("Speak rulings aloud: no voice for this language here")
    gain = "voice => speechSynthesis.gain(voice)"
    for other in (HINDI, ENGLISH | {"localService": False}):  # that sends away what it says
        page.evaluate(gain, other)
    expect(switch).to_be_disabled()
    page.evaluate(gain, ENGLISH)
    expect(switch).to_have_text("Speak rulings aloud")
    expect(switch).to_have_attribute("aria-pressed", "false")
    happens(page, table, ruled(15))
    assert heard(page) == []
    switch.click()
    assert heard(page) == ["Speak rulings aloud"]
    happens(page, table, ruled(16))
    happens(page, table, ruled(17, "pause", None))
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("localStorage.getItem('carrom-voice')") == "on"
    switch.click()
    assert heard(page) == ["Asha plays on", "(cut)"]
    assert page.troubles == []


def test_it_is_said_in_the_pages_language(page, table):
    page.add_init_script(f"({FAKE})([{{ lang: 'hi-IN', localService: true }}])")
    page.add_init_script(ON)
    page.goto("/?lang=hi")
    expect(page.locator("body")).to_have_attribute("data-seq", "14")
    happens(page, table, ruled(15, turn="north", turn_kept=False), points=17)
    assert heard(page) == ["अब Ben की बारी", "स्कोर: Asha 17, Ben 7"]


def test_a_line_that_was_lost_says_nothing_old(chromium, table):
    def served(port=0):
        server = WebServer(create_app(table), table.feed, "127.0.0.1", port)
        return server, server.start()

    server, port = served()
    context = chromium.new_context(base_url=f"http://127.0.0.1:{port}")
    context.add_init_script(f"({FAKE})([{{ lang: 'en', localService: true }}])")
    context.add_init_script(ON)
    page = context.new_page()
    page.goto("/board")
    shows(page, table)
    server.stop()
    expect(page.locator("#watch")).to_have_attribute("data-level", "lost")
    table.feed = Feed()
    told(table, ruled(15))
    server, _ = served(port)
    shows(page, table)
    happens(page, table, ruled(16, "pause", None))
    assert heard(page) == ["Play is stopped"]
    context.close()
    server.stop()
