"""A question is worded by the page, in its reader's language, of what the table says it is about."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.daemon import bare_daemon
from tests.web.doing import show
from tests.web.flows import start, stroke

HINDI = {
    ("fact", "pocketed.0.piece", "NE"): "NE में कौन-सी गोटी गिरी?",
    ("blank", "pocketed.0.piece", None): "कौन-सी गोटी गिरी?",
    ("fact", "*", None): "क्या गिरा, और क्या बोर्ड से बाहर गया?",
    ("fact", "seat", None): "किसने मारा?",
    ("fact", "placement.lines", None): "छुई रेखाएँ: सही क्या है?",
    (
        "put back",
        "put back",
        None,
    ): "Asha का स्ट्रोक 14 बारी से बाहर मानकर वापस लिया गया था, पर बारी उसी की थी। क्या वह गिना जाए?",
    ("colour", "north", None): "टाई-ब्रेक बोर्ड पर Ben कौन-सा रंग खेलेंगे?",
    ("board", "due_not_placed", None): "बकाया गोटी बोर्ड पर नहीं है: 2 सफ़ेद।",
    ("board", "unseen_change", None): "बोर्ड बदल गया और किसी ने देखा नहीं।",
}


@pytest.mark.browser
@pytest.mark.slow
def test_a_hindi_reader_is_asked_in_hindi(page, table):
    table.state["flags"] = []
    asked = table.state["asks"][0]
    page.goto("/umpire?lang=hi")
    page.fill("#pin", "4711")
    page.click("#pin-form .btn.first")
    for (about, key, pocket), says in HINDI.items():
        pieces = ["white", "white"] if about == "board" else []
        show(table, asks=[asked | {"about": about, "key": key, "pocket": pocket, "missing": pieces}])
        expect(page.locator("[data-ask] .q")).to_have_text(says)
    assert page.troubles == []


@pytest.mark.live
def test_a_table_says_what_its_questions_are_about(tmp_path):
    with bare_daemon(tmp_path) as client:
        start(client)
        doubt = {"fact": "pocketed.0.piece", "choices": [["white", 0.6], ["black", 0.4]]}
        seq = stroke(client, "south", "white", doubts=[doubt])
        [asked] = next(client.stream())[1]["asks"]
        assert {name: asked[name] for name in ("ask", "question", "about", "key", "pocket")} == {
            "ask": seq,
            "question": "Which piece fell in NE?",
            "about": "fact",
            "key": "pocketed.0.piece",
            "pocket": "NE",
        }
        start(client)
        client.post("/act", {"event": "call", "action": "forfeit", "seat": "north", "reason": "late"})
        told = next(client.stream())[1]["history"][-1]["ruled"]
        assert [(one["side"], one["how"]) for one in told["given"]] == [("north", "forfeit")]


def test_every_kind_of_board_that_is_not_as_the_book_says_has_its_words():
    from typing import get_args

    from controller.shots.outputs import Kind
    from tests.web.test_catalogues import catalogue

    by_count = {"missing", "extra", "wrong_piece"}
    kinds = {f"ask-board-{re.sub('_', '-', kind)}" for kind in get_args(Kind) if kind not in by_count}
    assert kinds | {"ask-board-count"} <= set(catalogue("en"))
