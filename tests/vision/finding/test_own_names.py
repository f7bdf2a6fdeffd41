"""A table's own names: what a head learns, when it is not taken, that counts name pieces, and how it is kept."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.commands import eyes
from controller.commands.check_calibration import probe_calibration
from controller.config import CameraSection, Config
from controller.events.errors import ConfigError
from controller.vision.calibration_file import Calibration, load, save
from controller.vision.finding.find import DiscFeatures
from controller.vision.finding.nets import fingerprint
from controller.vision.learning import own_names as own_names_module
from controller.vision.learning.own_names import other_nets
from controller.vision.looks import looks_of
from controller.vision.naming_head import NAMES, Samples, counted, fitted, gathered, misnamed

LOOKS = looks_of(DEFAULT_BOARD)
TONES = np.array(((0.3, 0.2, 0.1), (-1.2, -1.3, -1.3), (-0.6, -1.1, 0.0), (0.4, 0.4, 0.4)))


def board(rng: np.random.Generator, *, fooled: float, turned: tuple[int, int] = (0, 2)) -> Samples:
    """One scattered board; of the pieces of class `turned[0]` a share `fooled` is called `turned[1]` by the nets."""
    names = np.repeat(np.arange(4), (9, 9, 1, 1)).astype(np.int64)
    said = names.copy()
    said[(names == turned[0]) & (rng.random(20) < fooled)] = turned[1]
    shares = np.full((20, 4), 0.05)
    shares[np.arange(20), said] = 0.85
    return Samples(
        shares,
        TONES[names] + rng.normal(0, 0.08, (20, 3)),
        np.zeros((20, 3)),
        names,
        np.zeros(20, dtype=np.int64),
    )


def boards(count: int, seed: int, *, fooled: float) -> list[Samples]:
    rng = np.random.default_rng(seed)
    return [board(rng, fooled=fooled) for _ in range(count)]


def test_pieces_the_nets_misname_are_named_rightly_after_few_boards() -> None:
    unseen = gathered(boards(10, 2, fooled=0.6))
    head = fitted(gathered(boards(4, 1, fooled=0.6)), "nets")
    assert misnamed(None, unseen) > 40
    assert misnamed(head, unseen) <= 2


def test_where_the_nets_are_right_the_head_leaves_their_names() -> None:
    head = fitted(gathered(boards(4, 1, fooled=0.0)), "nets")
    assert misnamed(head, gathered(boards(10, 2, fooled=0.0))) == 0


def test_what_was_not_taught_keeps_its_odds() -> None:
    coins = gathered(boards(3, 1, fooled=0.5))
    head = fitted(coins.part(coins.names != NAMES.index("striker")), "nets")
    assert head is not None
    other = board(np.random.default_rng(5), fooled=0.0)
    named = head.named(other.shares, other.tones, other.burnt)
    assert named[:, 3] == pytest.approx(other.shares[:, 3])
    assert named.sum(1) == pytest.approx(np.ones(20))


def test_names_given_at_random_teach_nothing() -> None:
    rng = np.random.default_rng(3)
    right = gathered(boards(6, 1, fooled=0.0))
    wrong = replace(right, names=rng.permutation(right.names))
    head = fitted(wrong, "nets")
    # Not taken, or so weak that it changes no name: poison cannot outvote the nets.
    assert misnamed(head, gathered(boards(10, 2, fooled=0.0))) == 0


def test_a_few_pieces_teach_nothing() -> None:
    few = boards(1, 1, fooled=0.6)[0].part(np.arange(20) < 8)
    assert fitted(few, "nets") is None


def test_a_tone_far_from_all_that_was_taught_says_no_more_than_the_farthest() -> None:
    head = fitted(gathered(boards(4, 1, fooled=0.6)), "nets")
    assert head is not None
    even = np.full((1, 4), 0.25)
    far, farther = (head.named(even, np.full((1, 3), tone), np.zeros((1, 3))) for tone in (9.0, 90.0))
    assert far == pytest.approx(farther)


def test_counts_name_what_the_nets_doubt() -> None:
    shares = np.array(((0.5, 0.1, 0.4, 0.0), (0.6, 0.1, 0.3, 0.0), (0.45, 0.1, 0.45, 0.0)))
    assert counted(shares, (2, 0, 1, 0)).tolist() == [0, 0, 2]
    with pytest.raises(ValueError, match="3 pieces for 2 names"):
        counted(shares, (1, 0, 1, 0))


def seen_as(samples: Samples, count: int = 20) -> DiscFeatures:
    part = samples.part(np.arange(20) < count)
    return DiscFeatures(np.zeros((count, 2)), part.shares, part.tones, part.burnt, np.zeros(count, dtype=np.bool_))


def test_scattered_boards_teach_by_their_counts_and_others_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    # The nets call a third of the whites queens; nobody tells which.
    shown = [seen_as(board(rng, fooled=0.35)) for _ in range(6)] + [seen_as(board(rng, fooled=0.35), 19)]
    monkeypatch.setattr(
        own_names_module, "disc_features", lambda picture, model, looks, board: shown[int(picture[0, 0, 0])]
    )
    pictures = [np.full((2, 2, 3), k, dtype=np.uint8) for k in range(7)]
    looks, says = own_names_module.own_names([], pictures, cast(CameraModel, None), LOOKS, DEFAULT_BOARD)
    assert "1 of 7 scattered boards are left out: 19 pieces are seen there" in says[0]
    assert "120 pieces" in says[1]
    unseen = gathered(boards(10, 2, fooled=0.35))
    assert misnamed(None, unseen) > 20
    assert misnamed(looks.head, unseen) <= 2


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    model = CameraModel(
        np.array(((900.0, 0, 640), (0, 900.0, 360), (0, 0, 1))),
        np.zeros(5),
        np.diag((1.0, -1.0, -1.0)),
        np.array((0.0, 0.0, 1000.0)),
        (1280, 720),
    )
    head = fitted(gathered(boards(4, 1, fooled=0.6)), fingerprint())
    save(tmp_path / "table.json", Calibration(model, DEFAULT_BOARD, replace(LOOKS, head=head)))
    return tmp_path / "table.json"


def test_the_calibration_file_keeps_the_head(kept: Path) -> None:
    unseen = gathered(boards(10, 2, fooled=0.6))
    looks = load(kept).looks
    assert misnamed(looks.head, unseen) <= 2
    assert other_nets(looks) == ""


def test_a_head_of_other_nets_is_told_by_the_check_and_in_the_log_once(
    kept: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    content = json.loads(kept.read_text())
    content["looks"]["head"]["nets"] = "0123"
    kept.write_text(json.dumps(content))
    config = Config(camera=CameraSection(kind="folder", path=kept.parent, calibration=kept))
    told = re.compile(f"{kept}: .* other nets .* not used. Fix: .*`carrom calibrate`")
    warned, passed = probe_calibration(config)
    assert (warned.part, warned.state, passed.state) == ("calibration", "warn", "ok")
    assert told.fullmatch(warned.says)
    monkeypatch.setattr(
        eyes, "sight_of", lambda *_: SimpleNamespace(thickness_known=True, follower=None, strikers=None)
    )
    monkeypatch.setattr(eyes, "Eyes", lambda *_: SimpleNamespace(run=lambda: None))
    eyes.watch(config, eyes.settings_from(config, kept), cast(Any, None), lambda: 0)
    assert [bool(told.fullmatch(line)) for line in caplog.messages] == [True]


@pytest.mark.parametrize(
    ("key", "value"),
    [("weights", [[1.0]]), ("scale", [0.0, 1.0, 1.0, 1.0]), ("trust", -1), ("taught", ["coin"])],
)
def test_a_head_that_cannot_be_is_refused(kept: Path, key: str, value: object) -> None:
    content = json.loads(kept.read_text())
    content["looks"]["head"][key] = value
    kept.write_text(json.dumps(content))
    with pytest.raises(ConfigError, match="cannot be used"):
        load(kept)
