"""What the table says in English (clauses, notes, alerts, refusals) stands in the reader's language on the pages."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from controller.rules.shelf import load_books

ROOT = Path(__file__).parents[2]
WORDS = ROOT / "controller" / "web" / "static" / "words"
PLACE = re.compile(r"\{\w*\}")


def sayings(of: str) -> dict[str, str]:
    return json.loads((WORDS / f"hi.{of}.json").read_text())


def template(node: ast.expr) -> str | None:
    """A string of the source, with `{}` for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def parsed(folder: str) -> list[ast.AST]:
    files = (ROOT / "controller" / folder).rglob("*.py")
    return [node for file in files for node in ast.walk(ast.parse(file.read_text()))]


def test_every_clause_of_every_book_is_there_and_no_other() -> None:
    said = {text for book in load_books().values() for one in book.clauses.values() for text in (one.says, one.then)}
    assert said - {""} == set(sayings("books"))


def test_every_note_of_a_ruling_is_there() -> None:
    known = {PLACE.sub("{}", text) for text in sayings("table")}
    notes = [
        template(call.args[0])
        for call in parsed("rules")
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("notes.append")
    ]
    # A note of nothing but parts is the parts' own: "club-138: a striker that does not leave the lines …".
    whole = {note for note in notes if note and re.search(r"[a-z]", PLACE.sub("", note))}
    assert sorted(whole - known) == []


def test_whatever_is_there_is_said_by_the_program() -> None:
    texts = {text for node in parsed(".") if isinstance(node, ast.expr) and (text := template(node))}
    whole = "\n".join(texts)
    stale = [key for key in sayings("table") for part in PLACE.split(key) if part.strip(": ;,") not in whole]
    assert stale == []


@pytest.mark.parametrize("of", ["books", "table"])
def test_a_translation_fills_in_what_its_original_does(of) -> None:
    wrong = {
        key: text
        for key, text in sayings(of).items()
        if not set(PLACE.findall(text)) <= set(PLACE.findall(key)) or not text.strip()
    }
    assert wrong == {}


@pytest.mark.browser
@pytest.mark.slow
def test_a_hindi_reader_meets_no_english_in_alerts_notes_and_refusals(page, table) -> None:
    says = "camera sends no pictures: the beams say where, the umpire names the piece"
    table.state["alerts"] = [{"id": "camera", "level": "fault", "says": says, "t": 1.0}]
    notes = ["the due is a white piece", "play is stopped: void"]
    table.state["ruling"] |= {"notes": notes, "fouls": [], "cites": [], "unseen": []}
    page.goto("/?lang=hi")
    expect(page.locator("#alerts .alert")).to_have_text(
        "कैमरे से तस्वीरें नहीं आ रहीं: पॉकेट बीम बताती हैं, गोटी का नाम अंपायर बताए"
    )
    expect(page.locator("#ruling p.soft").last).to_have_text("देय गोटी सफ़ेद है; खेल रुका हुआ है: अमान्य")
    expect(page.locator("#alerts [lang=en]")).to_have_count(0)
    page.goto("/umpire?lang=hi")
    page.fill("#pin", "1111")
    page.click("#pin-form .btn.first")
    expect(page.locator("#pin-says")).to_have_text("PIN ग़लत है")


@pytest.mark.browser
@pytest.mark.slow
def test_what_nobody_has_translated_stays_as_it_was_said(page, table) -> None:
    table.state["alerts"] = [{"id": "x", "level": "fault", "says": "a house rule of our own", "t": 1.0}]
    page.goto("/?lang=hi")
    expect(page.locator("#alerts [lang=en]")).to_have_text("a house rule of our own")


@pytest.mark.browser
@pytest.mark.slow
def test_words_that_cannot_be_fetched_are_said_in_english(page, table) -> None:
    page.route("**/hi.*.json", lambda route: route.abort())
    table.state["alerts"] = [{"id": "x", "level": "fault", "says": "play is stopped: void", "t": 1.0}]
    page.goto("/?lang=hi")
    expect(page.locator("#alerts [lang=en]")).to_have_text("play is stopped: void")
