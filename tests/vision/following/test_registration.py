"""A camera that is nudged is followed, one that is turned away is said to be blind, and no piece is taken for gone.

The camera model is fitted to the simulator's projection, the looks are learnt; the finder is the real one.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import hypot

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.pose import moved_mm
from controller.commands.follower import follower_for
from controller.events.observation import BoardSeen, EyesHealth, Observation, SeenPiece, StrokeSeen
from controller.simulator.camera import Camera
from controller.simulator.lens import View
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.scene import Reel
from controller.simulator.stills import calibration_set, random_position
from controller.vision.calibration_file import Calibration
from controller.vision.finding.find import Finding, find
from controller.vision.following.follower import Follower
from controller.vision.following.registration import Registrar, seen_anew
from controller.vision.learning.opening import learn
from controller.vision.looks import looks_of
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import frames, model_of, strokes

pytestmark = pytest.mark.slow

LOOK = LOOKS["pale"]
FPS = 30


GRID = np.array([(x, y, 0.0) for x in np.linspace(-400.0, 400.0, 5) for y in np.linspace(-400.0, 400.0, 5)])


def seen_from(view: View, home: View, picture: np.ndarray) -> np.ndarray:
    """A picture taken from home as a camera that hangs like `view` sees the board."""
    moved, _ = cv2.findHomography(np.asarray(home.project(GRID)), np.asarray(view.project(GRID)))
    return cv2.warpPerspective(
        picture, moved, picture.shape[1::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )


@dataclass
class Table:
    calibration: Calibration
    camera: Camera
    view: View
    reel: Reel
    lying: dict[int, Pose]

    def picture(self) -> np.ndarray:
        """The board as a camera that hangs like `view` sees it: painting it all anew would take seconds."""
        home = self.camera.view
        picture = self.camera.take(self.reel, 1.0).picture
        if self.view is home:
            return picture
        return seen_from(self.view, home, picture)

    def knock(self, shift_mm: tuple[float, float, float] = (0.0, 0.0, 0.0), turn_deg: float = 0.0) -> None:
        home = self.camera.view
        self.view = home.nudged(shift_mm, turn_deg) if turn_deg else home

    def follower(self) -> Follower:
        return follower_for(self.calibration.model, self.calibration.looks, self.calibration.board)

    def errors(self, board: BoardSeen) -> list[float]:
        """How far each piece is from the truth; one for each that lies there."""
        assert Counter(p.piece for p in board.pieces) == Counter(LOOK.pieces.piece(name) for name in self.lying)
        return [
            min(hypot(p.x_mm - pose.x_mm, p.y_mm - pose.y_mm) for p in board.pieces) for pose in self.lying.values()
        ]


@pytest.fixture(scope="module")
def built() -> Table:
    cv2.setNumThreads(1)
    pictures = calibration_set(LOOK, 3, views=0)
    camera = Camera(LOOK, 3)
    model = model_of(camera.view)
    looks = replace(looks_of(DEFAULT_BOARD), empty=pictures.empty, empty_model=model)
    looks = learn(
        pictures.opening, cv2.cvtColor(pictures.opening, cv2.COLOR_BGR2GRAY), model, looks, board=DEFAULT_BOARD
    ).looks
    lying = random_position(np.random.default_rng(4), LOOK.pieces)
    # On base lines and on the big circle they hide what is measured.
    for name, at in zip(list(lying)[1:], ((60.0, -252.6), (-40.0, 252.6), (252.6, 20.0), (60.0, 60.0)), strict=False):
        if min(hypot(at[0] - pose.x_mm, at[1] - pose.y_mm) for pose in lying.values()) > 40.0:
            lying[name] = Pose(*at, 0.0, 0.0)
    reel = Reel()
    for name, pose in lying.items():
        reel.lie(name, -1.0, pose)
    return Table(Calibration(model, looks=looks, board=DEFAULT_BOARD), camera, camera.view, reel, lying)


@pytest.fixture
def table(built: Table) -> Table:
    built.knock()
    return built


def watch(table: Table, follower: Follower, first: int, count: int) -> list[Observation]:
    def stream() -> Iterator[Frame]:
        for number in range(first, first + count):
            yield Frame(round(number / FPS * 1e9), number, bgr=table.picture())

    return [said for frame in stream() for said in follower.step(frame)]


def last_board(said: list[Observation]) -> BoardSeen:
    return [item for item in said if isinstance(item, BoardSeen)][-1]


def last_health(said: list[Observation]) -> EyesHealth:
    return [item for item in said if isinstance(item, EyesHealth)][-1]


@pytest.mark.parametrize(("shift_mm", "turn_deg"), [((0.5, 0.0, 0.0), 0.03), ((5.0, -4.0, 0.0), 0.3)])
def test_a_nudged_camera_is_followed_and_nothing_has_moved(
    table: Table, shift_mm: tuple[float, float, float], turn_deg: float
) -> None:
    follower = table.follower()
    before = table.errors(last_board(watch(table, follower, 0, 20)))
    home = model_of(table.camera.view)
    table.knock(shift_mm, turn_deg)
    true_mm = moved_mm(home, model_of(table.view), DEFAULT_BOARD.half_mm)
    said = watch(table, follower, 20, 75)
    after = table.errors(last_board(said))
    assert max(after) < max(before) + 0.25
    assert not [item for item in said if isinstance(item, StrokeSeen)]
    health = last_health(said)
    assert health.camera == "ok"
    assert health.warnings == ()
    assert abs(health.moved_mm - true_mm) < 0.15
    assert 0.0 < health.residual_mm < 0.3


@pytest.mark.long
def test_a_camera_turned_away_is_blind_until_it_is_back(table: Table) -> None:
    follower = table.follower()
    before = watch(table, follower, 0, 20)
    table.knock((150.0, 80.0, 0.0), 15.0)
    said = watch(table, follower, 20, 45)
    health = last_health(said)
    assert health.camera == "blind"
    assert "calibrate anew" in health.says
    assert health.warnings == (health.says,)
    table.knock()
    said += watch(table, follower, 65, 60)
    assert last_health(said).camera == "ok"
    assert last_health(said).warnings == ()
    assert not [item for item in said if isinstance(item, StrokeSeen)]
    assert max(table.errors(last_board(said))) < max(table.errors(last_board(before))) + 0.1


@pytest.mark.parametrize("with_empty", [True, False])
def test_a_good_calibration_is_left_alone(table: Table, with_empty: bool) -> None:
    model, looks = table.calibration.model, table.calibration.looks
    if not with_empty:
        looks = replace(looks, empty=None, empty_model=None)
    registrar = Registrar(table.calibration.board, looks)
    for seed in range(2):
        reel = Reel()
        for name, pose in random_position(np.random.default_rng(seed), LOOK.pieces).items():
            reel.lie(name, -1.0, pose)
        picture = table.camera.take(reel, 1.0).picture
        luma = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        now = registrar.check(luma, model, find(picture, model, looks, board=DEFAULT_BOARD))
        assert now.state == "kept"
        assert now.model is model


def test_too_little_to_be_seen_changes_nothing(table: Table) -> None:
    model, looks = table.calibration.model, looks_of(DEFAULT_BOARD)
    grey = np.full((model.size[1], model.size[0]), 120, np.uint8)
    picture = table.picture()
    luma = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    sight = find(picture, model, table.calibration.looks, board=DEFAULT_BOARD)
    assert Registrar(table.calibration.board, looks).check(grey, model, sight).state == "lost"
    learnt = Registrar(table.calibration.board, table.calibration.looks)
    assert learnt.check(luma, model, sight).state == "kept"
    lost = learnt.check(grey, model, sight)
    assert lost.state == "lost"
    assert lost.model is model


@pytest.mark.parametrize("paint", ["open", "hidden"])
@pytest.mark.parametrize(("off_mm", "there"), [(0.0, True), (9.0, False)])
def test_another_cameras_calibration_is_noticed_where_no_empty_picture_tells(
    table: Table, paint: str, off_mm: float, there: bool
) -> None:
    own, looks = table.calibration.model, table.calibration.looks
    model = own.posed(own.R, own.t + np.array((off_mm, 0.0, 0.0)))
    looks = replace(looks, empty=None, empty_model=None)
    picture = table.picture()
    luma = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    sight = find(picture, own, looks, board=DEFAULT_BOARD)
    if paint == "hidden":
        # Nothing but the samples is hidden: too little lies open to be fitted, and the paint is there to be seen.
        half = DEFAULT_BOARD.half_mm
        sight = replace(sight, hidden=(((-half, -half), (half, -half), (half, half), (-half, half)),))
    states = [registrar.check(luma, model, sight).state for registrar in [Registrar(DEFAULT_BOARD, looks)] * 2]
    usual = "kept" if paint == "open" else "unsure"
    assert states == [usual if there else "lost"] * 2


@pytest.mark.long
@pytest.mark.parametrize(("look", "seed"), [("pale", 6), ("walnut-club", 3), ("lacquer-dark", 2)])
def test_a_board_in_its_place_is_never_anothers(look: str, seed: int) -> None:
    episode = strokes(look, seed, 0)
    model = model_of(episode.camera.view)
    for frame in itertools.islice(frames(episode, 0.0, 0.2), 3):
        picture = cv2.imdecode(np.frombuffer(frame.jpeg or b"", np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        luma = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        assert Registrar(DEFAULT_BOARD, looks_of(DEFAULT_BOARD)).check(luma, model, Finding(())).state == "kept"


@pytest.mark.long
def test_a_nudge_is_followed_where_a_pixel_is_wider_than_most_strokes() -> None:
    """At 0.8 px/mm only the broad strokes are plain; among themselves they stand out from nothing."""
    look = LOOKS["kept-mirror"]
    pictures, home = calibration_set(look, 3, views=0), Camera(look, 3).view
    model = model_of(home)
    registrar = Registrar(DEFAULT_BOARD, replace(looks_of(DEFAULT_BOARD), empty=pictures.empty, empty_model=model))
    opening = cv2.cvtColor(pictures.opening, cv2.COLOR_BGR2GRAY)
    assert registrar.check(opening, model, Finding(())).state == "kept"
    nudged = home.nudged((1.5, 0.5, 0.0), 0.02)
    found = registrar.check(seen_from(nudged, home, opening), model, Finding(()))
    assert found.state == "followed"
    assert np.abs(found.model.to_plane(np.asarray(nudged.project(GRID))) - GRID[:, :2]).max() < 0.15


def faint(picture: np.ndarray, contrast: float) -> np.ndarray:
    """A dim lamp over a dark board: paint hardly rises above the noise."""
    noise = np.random.default_rng(1).normal(0.0, 3.5, picture.shape)
    return np.clip(contrast * picture + (1.0 - contrast) * 100.0 + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("always", [False, True], ids=["only now", "when it was calibrated too"])
@pytest.mark.parametrize(
    ("shift_mm", "turn_deg", "state"), [((0.0, 0.0, 0.0), 0.0, "kept"), ((4.0, 0.0, 0.0), 0.01, "elsewhere")]
)
def test_faint_paint_in_its_place_is_the_board_and_beside_it_is_not(
    table: Table, shift_mm: tuple[float, float, float], turn_deg: float, state: str, always: bool
) -> None:
    model, looks = table.calibration.model, table.calibration.looks
    assert looks.empty is not None
    contrast = 0.4 if always else 0.3
    registrar = Registrar(
        table.calibration.board, replace(looks, empty=faint(looks.empty, contrast)) if always else looks
    )
    table.knock(shift_mm, turn_deg)
    picture = table.picture()
    grey = faint(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), contrast)
    registration = registrar.check(grey, model, find(picture, model, looks, board=DEFAULT_BOARD))
    if state == "kept":
        assert registration.state == "kept"
        assert registration.model is model
    else:
        assert registration.state != "kept"


def test_pieces_found_before_a_nudge_was_noticed_lie_where_the_nudged_camera_has_their_pixels() -> None:
    before = model_of(View.hang(LOOK.rig.lens, LOOK.rig.mount))
    after = before.posed(before.R, before.t + np.array((0.5, -0.3, 0.4)))
    places = [(-300.0, 250.0), (0.0, 0.0), (310.0, -120.0)]
    found = Finding(tuple(SeenPiece("white", x, y, 0.5, 0.9) for x, y in places))
    anew = np.array([(piece.x_mm, piece.y_mm) for piece in seen_anew(found, before, after, 8.0).pieces])
    pixels = before.project_plane(np.array(places), 8.0)
    assert np.abs(after.project_plane(anew, 8.0) - pixels).max() < 1e-3
    assert np.hypot(*(anew - np.array(places)).T).min() > 0.2
    assert seen_anew(found, before, before, 8.0) is found
