"""Players' names in the scripts of those who play: whole letters at every size of screen, the family name kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SCREENS = {"phone": (390, 844), "display": (800, 480), "laptop": (1366, 768), "tv": (1920, 1080)}
NAMES = [
    ("Asha", "Ben"),
    ("Chandrasekaran Venkateswaran-Subrahmanyam", "W" * 60),
    ("R. Praggnanandhaa", "Łukasz Żółć"),
    ("Nguyễn Thị Ánh", "Đặng Ngọc Quỳnh"),
    ("आशा कुलकर्णी", "ज्ञानेश्वरी त्रिपाठी"),
    ("क्षितीज ढोंडू", "सौ. हृषीकेश फडणवीस"),
    ("சு. சுப்பிரமணியன்", "ஸ்ரீநிவாசன் வேங்கடேஸ்வரன்"),
    ("කුමාර සංගක්කාර", "ශ්‍රී ක්‍රීඩක"),
    ("শ্রীজিতা বন্দ্যোপাধ্যায়", "সৌমিত্র চট্টোপাধ্যায়"),
    ("లక్ష్మీ ప్రసన్న", "ಶ್ರೀಕಾಂತ್ ಜ್ಯೋತಿ"),
    ("ഉണ്ണികൃഷ്ണൻ നമ്പൂതിരി", "ગુરપ્રીત ਸਿੰਘ"),
    ("محمد عبدالرحمن", "فاطمة الزهراء"),
]

INK = """() => {
  const pen = document.createElement('canvas').getContext('2d');
  const ink = (element) => {
    const style = getComputedStyle(element), probe = document.createElement('i');
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    probe.style.cssText = 'display:inline-block;width:0;height:0';
    const box = element.getBoundingClientRect();
    element.append(probe);
    const line = probe.getBoundingClientRect().bottom;
    probe.remove();
    const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = pen.measureText(element.textContent);
    return { top: line - up, bottom: line + down, left: box.left, right: box.right, text: element.textContent };
  };
  const found = [], shown = (e) => e.checkVisibility() && e.textContent;
  for (const band of document.querySelectorAll('.band')) {
    const room = band.querySelector('.inside').getBoundingClientRect();
    const lines = [...band.querySelectorAll('.who .fit, .points .fit')].filter(shown).map(ink);
    lines.forEach((line, index) => {
      if (line.left < room.left - 1 || line.right > room.right + 1) found.push(['too broad', line.text]);
      if (line.top < room.top - 1 || line.bottom > room.bottom + 1) found.push(['cut', line.text]);
      if (index && line.top < lines[index - 1].bottom - 1) found.push(['one upon the other', line.text]);
    });
  }
  const saying = document.querySelector('#saying');
  if (saying.scrollHeight > saying.clientHeight + 1) found.push(['the sentence is cut', saying.textContent]);
  return found;
}"""
SHOWN = """() => [...document.querySelectorAll('.band')].map((band) => [...band.querySelectorAll('.who .fit')]
  .filter((e) => e.checkVisibility()).map((e) => e.textContent).join(' '))"""


def seat(table, *sides: dict[str, str]) -> None:
    for side, seats in zip(table.state["score"]["sides"], sides, strict=True):
        side["seats"] = seats
    table.state["score"]["seq"] += 1
    table.feed.push("state")


def until_shown(page, table) -> None:
    expect(page.locator("body")).to_have_attribute("data-seq", str(table.state["score"]["seq"]))
    page.evaluate("document.fonts.ready")


@pytest.mark.parametrize("screen", SCREENS)
def test_no_letter_is_cut_and_the_family_name_is_kept(page, table, screen):
    page.set_viewport_size(dict(zip(("width", "height"), SCREENS[screen], strict=True)))
    page.goto("/board")
    for south, north in NAMES:
        seat(table, {"south": south}, {"north": north})
        until_shown(page, table)
        assert page.evaluate(INK) == []
        for name, shown in zip((south, north), page.evaluate(SHOWN), strict=True):
            assert name.split()[-1][:4] in shown
    assert page.evaluate("[...document.fonts].filter(({ status }) => status === 'error').length") == 0
    assert page.troubles == []


@pytest.mark.parametrize("screen", ["phone", "display"])
def test_of_two_partners_the_one_on_turn_is_underlined(page, table, screen):
    page.set_viewport_size(dict(zip(("width", "height"), SCREENS[screen], strict=True)))
    table.state["score"]["turn"] = "west"
    page.goto("/board")
    seat(table, {"south": "Asha Rao", "north": "Ben"}, {"east": "Chitra", "west": "Dev"})
    until_shown(page, table)
    assert page.evaluate(INK) == []
    assert page.locator("[data-side=north] .on:visible").all_inner_texts() == ["Dev"]
    assert page.locator("[data-side=south] .on").count() == 0


def test_a_name_from_right_to_left_leaves_the_full_stop_where_it_is(page, table):
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto("/board")
    seat(table, {"south": "محمد علي"}, {"north": "Ben"})
    until_shown(page, table)
    expect(page.locator("#saying")).to_contain_text("\u2068محمد\u2069 pays 1")


@pytest.mark.parametrize(
    ("south", "north", "says"),
    [
        ("Asha Rao", "Ben", "Asha pays 1"),
        ("Asha Rao", "Asha Patil", "A. Rao pays 1"),
        ("R. Praggnanandhaa", "Ben", "Praggnanandhaa pays 1"),
    ],
)
def test_a_sentence_names_a_player_as_he_is_called_unless_two_are_called_so(page, table, south, north, says):
    page.goto("/board")
    seat(table, {"south": south}, {"north": north})
    until_shown(page, table)
    expect(page.locator("#saying")).to_contain_text(says)


def test_every_sign_on_the_pages_is_in_a_font_that_ships():
    static = Path("controller/web/static")
    faces = re.findall(r'url\("(.+?)"\).*?unicode-range: (.+?);', (static / "fonts.css").read_text(), re.DOTALL)
    spans = [span.removeprefix("U+").split("-") for _, ranges in faces for span in ranges.split(",")]
    has = [(int(span[0], 16), int(span[-1], 16)) for span in spans]
    pages = [one for ending in ("*.mjs", "*.html", "words/*.ftl") for one in static.glob(ending)]
    said = {(letter, one.name) for one in pages for letter in one.read_text() if letter >= " "}
    assert [one for one in said if not any(first <= ord(one[0]) <= last for first, last in has)] == []
    assert {file for file, _ in faces} == {f"fonts/{one.name}" for one in static.glob("fonts/*.woff2")}
