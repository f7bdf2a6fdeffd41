"""The matches that were played: listed, shown and downloaded by umpires, by nobody else."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.test_accessibility import found

pytestmark = pytest.mark.live


def test_they_are_listed_and_each_comes_as_a_file(client, past):
    client.login()
    assert [row["match"] for row in client.get("/matches").json] == ["m-2", "m-1"]
    sheet = client.get("/matches/m-1.pdf")
    assert (sheet.status, sheet.body) == (200, b"%PDFm-1")
    assert sheet.headers["content-type"] == "application/pdf"
    assert sheet.headers["content-disposition"] == "attachment; filename*=UTF-8''m-1.pdf"
    assert client.get("/matches/m-1.csv").headers["content-type"] == "text/csv; charset=utf-8"


@pytest.mark.parametrize(
    "path", ["m-9.pdf", "m-1.exe", "..%2f..%2fetc%2fpasswd.pdf", "--config=x.pdf", "%00.csv", "m-1"]
)
def test_what_is_no_match_or_no_form_is_not_found(client, path):
    client.login()
    assert client.get(f"/matches/{path}").status == 404


def test_a_journal_that_cannot_be_read_says_so(client, past):
    past.trouble = "journal.sqlite: is torn. Fix: restore it"
    client.login()
    assert client.get("/matches").status == 503
    assert client.get("/matches").json == {"error": past.trouble}


def test_a_name_cannot_break_out_of_the_header(client, past):
    past.rows[0]["match"] = 'a"b; x=ü'
    client.login()
    said = client.get("/matches/a%22b;%20x=%C3%BC.csv")
    assert said.headers["content-disposition"] == "attachment; filename*=UTF-8''a%22b%3B%20x%3D%C3%BC.csv"


@pytest.mark.browser
def test_a_match_is_picked_read_and_its_score_sheet_saved(console, past):
    console.click(".tab:text('Table')")
    console.click("#past summary")
    rows = console.locator("#matches [data-match]")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Asha – Ben 12 : 7 (not over)")
    expect(rows.last).to_contain_text("आशा – உமா 2 : 0 (33 : 24)")
    assert found(console) == []
    rows.last.click()
    sheet = console.locator("dialog")
    expect(sheet.locator(".says")).to_have_text("आशा wins the match")
    expect(sheet.locator(".course td.won")).to_have_text("9+9")
    strokes = sheet.locator(".history .text")
    expect(strokes.nth(1)).to_contain_text("आशा plays on")
    expect(strokes.nth(3)).to_contain_text("உமா plays on")  # the seats had changed
    assert found(console) == []
    with console.expect_download() as given:
        sheet.get_by_text("Score sheet (PDF)").click()
    assert given.value.suggested_filename == "m-1.pdf"
    assert given.value.path().read_bytes() == b"%PDFm-1"
    with console.expect_download() as given:
        sheet.get_by_text("Strokes (CSV)").click()
    assert given.value.suggested_filename == "m-1.csv"
    assert console.troubles == []


@pytest.mark.browser
def test_a_list_that_cannot_be_had_is_said(console, past):
    past.trouble = "journal.sqlite: is torn. Fix: restore it"
    console.click(".tab:text('Table')")
    console.click("#past summary")
    expect(console.locator("#toast .bad")).to_contain_text("is torn")


SHARES = """
window.shared = [];
navigator.canShare = ({ files }) => files.every(({ type }) => type === 'image/png');
navigator.share = async ({ files }) => { window.shared.push([files[0].name, await files[0].text()]); };
"""


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("can", [True, False], ids=["shares", "saves"])
def test_the_result_of_a_match_that_is_over_is_sent_on_in_one_tap(console, table, can):
    if can:
        console.evaluate(f"() => {{ {SHARES} }}")
    table.state |= {"asks": [], "flags": []}
    table.state["score"] |= {"state": "match_over", "winner": "south", "seq": 15}
    table.feed.push("state")
    result = console.locator(".between a")
    expect(result).to_have_text("Result as a picture")
    if can:
        result.click()
        console.wait_for_function("() => window.shared.length === 1")
        assert console.evaluate("window.shared") == [["m-1.png", "%PDFm-1"]]
    else:
        with console.expect_download() as saved:
            result.click()
        assert saved.value.suggested_filename == "m-1.png"


def test_a_protest_by_what_is_no_name_is_one_clear_line(client, past):
    client.login()
    refused = client.get("/matches/m-1/protest-2.zip?by=a%00b")
    assert (refused.status, past.asked) == (400, [])
    assert "Fix: give a name on one line" in refused.json["error"]
    assert client.get("/matches/m-9/protest-2.zip").status == 404
