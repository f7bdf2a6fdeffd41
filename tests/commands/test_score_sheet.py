"""The score sheet: names in any script, shaped as they are written, and what an international sheet asks for."""

from __future__ import annotations

import re
import subprocess
from html import unescape

import pytest
import uharfbuzz
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from controller.cli import main
from controller.commands.export.fonts import SHIPPED, Fonts
from controller.commands.export.pdf import Pdf
from controller.journal import Journal
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire

pytestmark = pytest.mark.live

DEVANAGARI, TAMIL = "NotoSansDevanagari-Regular.ttf", "NotoSansTamil-Regular.ttf"


def pdftotext(path, *options):
    return subprocess.run(["pdftotext", *options, path, "-"], capture_output=True, text=True, check=True).stdout


def written(tmp_path, words, size=20.0, room=None, fonts=None):
    """A page with one text."""
    pdf = Pdf(fonts)
    pdf.page()
    pdf.text(50, 100, words, size, room=room)
    path = tmp_path / "text.pdf"
    path.write_bytes(pdf.bytes())
    return path, pdf


def width_on_paper(path):
    """From the first word's left edge to the last one's right edge, in points."""
    boxes = re.findall(r'<word xMin="([\d.]+)" yMin="[\d.]+" xMax="([\d.]+)"', pdftotext(path, "-bbox"))
    return max(float(right) for _, right in boxes) - min(float(left) for left, _ in boxes)


def width_of(words, file, size, *, shaped):
    """What a font says of a text: as a shaper sets it, or letter by letter."""
    path = SHIPPED / file
    if not shaped:
        font = TTFont(path)
        letters, widths = font.getBestCmap(), font["hmtx"]
        return sum(widths[letters[ord(letter)]][0] for letter in words) * size / font["head"].unitsPerEm
    face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)))
    text = uharfbuzz.Buffer()
    text.add_str(words)
    text.guess_segment_properties()
    uharfbuzz.shape(uharfbuzz.Font(face), text)
    return sum(place.x_advance for place in text.glyph_positions) * size / face.upem


@pytest.mark.parametrize(("name", "file"), [("क्षत्रिय", DEVANAGARI), ("श्रद्धा", DEVANAGARI), ("ஸ்ரீலக்ஷ்மி", TAMIL)])
def test_names_are_shaped_as_they_are_written(tmp_path, name, file):
    shaped, loose = (width_of(name, file, 20.0, shaped=how) for how in (True, False))
    assert abs(shaped - loose) > 2, "this name would not tell the difference"
    path, pdf = written(tmp_path, name)
    assert abs(width_on_paper(path) - shaped) < 1
    assert pdf.missing == ""


@pytest.mark.parametrize("name", ["आशा", "உமா", "අමල", "Łukasz Żak", "Ольга", "Bén & ஜயா", "Asha"])
def test_names_are_read_back(tmp_path, name):
    path, pdf = written(tmp_path, name)
    assert "".join(pdftotext(path).split()) == name.replace(" ", "")
    assert pdf.missing == ""


def font_with(letter, path):
    """A font of one letter."""
    pen = TTGlyphPen(None)
    for step, point in enumerate([(0, 0), (500, 0), (500, 700)]):
        (pen.lineTo if step else pen.moveTo)(point)
    pen.closePath()
    font = FontBuilder(1000)
    font.setupGlyphOrder([".notdef", "one"])
    font.setupCharacterMap({ord(letter): "one"})
    font.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "one": pen.glyph()})
    font.setupHorizontalMetrics({".notdef": (600, 0), "one": (600, 0)})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    font.setupNameTable({"familyName": "One", "styleName": "Regular"})
    font.setupPost()
    font.save(path)


def test_a_script_that_does_not_ship_is_written_with_the_machines_fonts(tmp_path):
    folder = tmp_path / "fonts" / "deep"
    folder.mkdir(parents=True)
    (folder / "NotoSansBengali-Regular.ttf").write_bytes(b"this is no font")
    font_with("\u0985", folder / "Bengali-One.ttf")
    path, pdf = written(tmp_path, "\u0985 x", fonts=Fonts([tmp_path / "fonts", tmp_path / "nowhere"]))
    assert pdf.missing == ""
    assert "\u0985" in pdftotext(path)
    path, pdf = written(tmp_path, "\u0985\u0986", fonts=Fonts([tmp_path / "fonts"]))
    assert pdf.missing == "\u0986"
    assert "\u0985?" in pdftotext(path)


@pytest.mark.parametrize("name", ["W" * 60, "क्षि" * 15, "ஸ்ரீ" * 15, "\u0d9a\u0dca\u200d\u0dbb" * 15])
def test_a_long_name_is_cut_between_letters_and_never_beyond_its_room(tmp_path, name):
    path, _ = written(tmp_path, name, room=120)
    assert 60 < width_on_paper(path) <= 121
    assert "…" in pdftotext(path)


START = {
    "event": "start",
    "book": "icf",
    "seats": {"south": "आशा", "north": "உமா"},
    "first": "south",
    "policy": {"points": 25, "games": 1},
    "competition": "State Open",
    "round": "Final",
    "referee": "Meera",
}
FINISH = {"event": "set", "position": {"left": {"white": 1, "black": 3}, "queen": "covered", "queen_side": "south"}}


def shot(seat, *fell):
    return {"event": "shot", "seat": seat, "pocketed": [{"piece": piece, "pocket": "NE"} for piece in fell]}


def journal_of(path, events):
    umpire = Umpire(load_books())
    with Journal(path, place="hall-2") as writer:
        for number, event in enumerate(events):
            taken = umpire.take(event)
            assert isinstance(taken, Taken), (event, taken)
            writer.append("m-1", taken.seq, taken.event, taken.ruling, 1_700_000_000.0 + 10 * number, "test")
    return path


@pytest.fixture
def match(tmp_path):
    """Two boards: south breaks and wins the first with the queen, north breaks the second."""
    events = [
        START,
        shot("south", "white"),
        FINISH,
        shot("south", "white"),
        {"event": "next_board"},
        shot("north"),
    ]
    return journal_of(tmp_path / "j.sqlite", events)


def board_rows(path):
    lines = [line.split() for line in pdftotext(path, "-layout").splitlines()]
    first = next(number for number, cells in enumerate(lines) if cells[:2] == ["Game", "Board"])
    return [cells for cells in lines[first + 1 :] if cells][:1], lines


def test_the_international_sheets_fields(match, tmp_path, capsys):
    path = tmp_path / "s.pdf"
    assert main(["export", str(match), "--sheet", "pdf", "--out", str(path)]) == 0
    (row,), lines = board_rows(path)
    # Game, board, break, white, queen, won by, points, score.
    assert row[:6] == ["1", "1", "आशा", "आशा", "आशा", "आशा"]
    words = [" ".join(cells) for cells in lines]
    assert any("Event State Open" in line and "Round Final" in line and "Referee Meera" in line for line in words)


def test_what_is_said_on_the_command_line_wins_and_what_nobody_said_is_a_blank(match, tmp_path, capsys):
    path = tmp_path / "s.pdf"
    words = ["export", str(match), "--sheet", "pdf", "--out", str(path), "--round", "Semi-final", "--referee", "Ravi"]
    assert main(words) == 0
    text = " ".join(pdftotext(path, "-layout").split())
    assert "Semi-final" in text
    assert "State Open" in text
    assert "Final" not in text.replace("Semi-final", "")


def test_an_occasion_that_is_no_name_is_one_line(match, tmp_path, capsys):
    words = ["export", str(match), "--sheet", "pdf", "--out", str(tmp_path / "s.pdf"), "--round", "a\nb"]
    assert main(words) == 2
    err = capsys.readouterr().err
    assert "--round" in err
    assert err.count("\n") == 1


def test_a_match_taken_over_in_the_middle_has_no_breaker_and_a_stroke_taken_back_did_not_break(tmp_path, capsys):
    position = {"left": {"white": 1, "black": 3}, "break_done": True, "queen": "covered", "queen_side": "north"}
    taken_over = journal_of(tmp_path / "a.sqlite", [START | {"position": position}, shot("south", "white")])
    path = tmp_path / "s.pdf"
    assert main(["export", str(taken_over), "--sheet", "pdf", "--out", str(path)]) == 0
    (row,), _ = board_rows(path)
    assert row[:5] == ["1", "1", "आशा", "உமா", "आशा"], "white, queen, winner; nobody saw the break"


def test_letters_that_no_font_has_are_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("controller.commands.export.pdf.Fonts", lambda: Fonts([]))
    path = tmp_path / "s.pdf"
    journal = journal_of(tmp_path / "a.sqlite", [START | {"seats": {"south": "\U00012000", "north": "Ben"}}])
    assert main(["export", str(journal), "--sheet", "pdf", "--out", str(path)]) == 0
    assert "install the package fonts-noto-core" in unescape(pdftotext(path))
