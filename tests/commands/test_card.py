"""The result as a picture: names in any script, shaped as FreeType and HarfBuzz set them, within their room."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from controller.cli import main
from controller.commands.export.fonts import SHIPPED, Fonts
from controller.commands.export.lettering import Lettering, directed
from tests.commands.test_score_sheet import DEVANAGARI, START, TAMIL, journal_of, shot, width_of

EUROPEAN, SINHALA = "NotoSans-European.ttf", "NotoSansSinhala-Regular.ttf"
SHAPED = [("क्षत्रिय", DEVANAGARI), ("श्रद्धा", DEVANAGARI), ("ஸ்ரீலக்ஷ்மி", TAMIL), ("ශ්‍රී", SINHALA)]
SIZE, LEFT, BASE = 80, 20, 130
ALIKE = 0.85
"""FreeType shifts edges onto whole pixels; the same letters unshaped share less than 0.7."""
BLACK = (0, 0, 0)


def written(words, *, room=2000, **how):
    """Ink where something is written, with the fonts that ship."""
    picture = np.full((200, 700, 3), 255, np.uint8)
    pen = Lettering(Fonts([]))
    pen.write(picture, words, (LEFT, BASE), SIZE, BLACK, room=room, **how)
    return picture[..., 0] < 128, pen


def by_freetype(words, file, layout):
    picture = Image.new("L", (700, 200), 255)
    font = ImageFont.truetype(SHIPPED / file, SIZE, layout_engine=layout)
    ImageDraw.Draw(picture).text((LEFT, BASE), words, 0, font, anchor="ls")
    return np.array(picture) < 128


def alike(one, other):
    return (one & other).sum() / (one | other).sum()


@pytest.mark.parametrize(("name", "file"), [*SHAPED, ("Bénoîta & Żak 8", EUROPEAN), ("Ольга", EUROPEAN)])
def test_letters_are_drawn_as_freetype_draws_them(name, file):
    ink, pen = written(name)
    assert alike(ink, by_freetype(name, file, ImageFont.Layout.RAQM)) > ALIKE
    if (name, file) in SHAPED:
        assert alike(ink, by_freetype(name, file, ImageFont.Layout.BASIC)) < 0.7, "this name would not tell"
    assert pen.missing == ""


@pytest.mark.parametrize(("name", "file"), SHAPED[:3])
def test_a_line_is_as_wide_as_its_shaped_letters(name, file):
    assert Lettering().width(name, 20) == pytest.approx(width_of(name, file, 20.0, shaped=True), abs=0.1)


def test_scripts_are_mixed_in_one_name_and_what_no_font_has_is_said():
    ink, pen = written("Bén & ஜயா \u0985")
    assert pen.missing == "\u0985"
    alone = [written(part)[0].sum() for part in ("Bén &", "ஜயா", "?")]
    assert ink.sum() == pytest.approx(sum(alone), rel=0.02)


@pytest.mark.parametrize(
    ("words", "side_by_side"),
    [
        ("Ben 12", [(False, "Ben 12")]),
        ("आशा 12", [(False, "आशा 12")]),
        ("", []),
        ("שלום 12", [(False, "12"), (True, "שלום ")]),
        ("فريق 12", [(False, "12"), (True, "فريق ")]),
        ("שלום 12 עד", [(True, " עד"), (False, "12"), (True, "שלום ")]),
        ("Ben 7 שלום 12 x", [(False, "Ben 7 "), (False, "12"), (True, "שלום "), (False, " x")]),
    ],
)
def test_a_number_keeps_its_figures_in_a_name_that_runs_leftwards(words, side_by_side):
    assert directed(words) == side_by_side


@pytest.mark.parametrize("name", ["W" * 60, "क्षि" * 30, "ஸ்ரீ" * 30, "Asha"])
@pytest.mark.parametrize("right", [False, True])
def test_nothing_is_written_beyond_its_room(name, right):
    picture = np.full((200, 700, 3), 255, np.uint8)
    at = 600 if right else LEFT
    Lettering().write(picture, name, (at, BASE), SIZE, BLACK, room=300, right=right)
    columns = np.flatnonzero((picture[..., 0] < 128).any(axis=0))
    low, high = (at - 300, at) if right else (at, at + 300)
    assert low - 4 <= columns.min()
    assert columns.max() <= high + 4
    assert len(columns) > 100


def test_bold_is_thicker():
    assert written("Asha", bold=True)[0].sum() > 1.3 * written("Asha")[0].sum()


def test_the_card_of_a_match_has_its_names(tmp_path, capsys):
    """The same match with other names differs where the names stand, and nowhere else."""
    cards = []
    for name in ("आशा", "உமா"):
        folder = tmp_path / name
        folder.mkdir()
        journal = journal_of(folder / "j.sqlite", [START | {"seats": {"south": name, "north": "Ben"}}, shot("south")])
        assert main(["export", str(journal), "--result", "png", "--out", str(folder / "card.png")]) == 0
        cards.append(cv2.imdecode(np.frombuffer((folder / "card.png").read_bytes(), np.uint8), cv2.IMREAD_COLOR))
    rows, columns = np.nonzero((cards[0] != cards[1]).any(axis=2))
    assert cards[0].shape == (608, 1080, 3)
    assert rows.min() > 150
    assert rows.max() < 360
    assert columns.min() >= 55


def test_the_card_of_several_games_shows_the_games_and_the_points_below(tmp_path, capsys):
    cards = []
    for games in (1, 0):
        folder = tmp_path / str(games)
        folder.mkdir()
        stands = {"games": {"south": games, "north": 1}, "score": {"south": 12, "north": 8}}
        start = START | {"policy": {"points": 25, "games": 3}, "position": stands}
        journal = journal_of(folder / "j.sqlite", [start, shot("south")])
        assert main(["export", str(journal), "--result", "png", "--out", str(folder / "card.png")]) == 0
        cards.append(cv2.imdecode(np.frombuffer((folder / "card.png").read_bytes(), np.uint8), cv2.IMREAD_COLOR))
    rows, columns = np.nonzero((cards[0] != cards[1]).any(axis=2))
    assert columns.min() > 1080 - 60 - 240
    assert rows.max() > 500, "both sides' points stand below their games"
