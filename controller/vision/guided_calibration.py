"""From a few pictures to a calibration: lens, pose, looks and grade, with what each missing picture costs.

The steps in their order; the fits themselves are in `calibration/`. Must not know files or cameras: pictures come in
as arrays, so the command line, a live camera and the tests walk the same way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.markings import markings_of
from calibration.measured import Measured
from calibration.other_board import resembles
from calibration.pose import Fit
from calibration.report import draw_report, draw_seen
from calibration.target import Lens, MirroredError, TargetError, find_corners, fit_lens
from calibration.thickness import raised_by
from controller.events.errors import ConfigError
from controller.events.words import GRADES, Grade
from controller.vision.calibration_file import Calibration
from controller.vision.calibration_inputs import Inputs
from controller.vision.elsewhere import grey
from controller.vision.following.grade import finest_grade
from controller.vision.looks import Looks, Pixels, looks_of
from controller.vision.opening_pictures import looks_by
from controller.vision.pictures_checked import check_empty
from controller.vision.posing import WORST_FIT_MM, RefusedError, Tell, pose_for

WORST_LENS_PX = 0.8
TARGET_SEEN = 4
"""Corners of the target that no wood, cloth or artwork shows by chance."""

MOST_U_THICKNESS_MM = 0.8
"""One standard deviation beyond which a measured thickness is no better than the usual one."""


@dataclass(frozen=True, eq=False)
class Made:
    """A calibration, what is to report about it (lines for people), and its report picture (BGR)."""

    calibration: Calibration
    says: tuple[str, ...]
    report: Pixels


def calibrate(inputs: Inputs, tell: Tell = lambda says: None) -> Made:
    """Makes a calibration; `tell` hears each step, for it takes seconds.

    Raises ConfigError with the reason where the pictures do not allow one; RefusedError shows it as well.
    """
    base = next((p for p in (inputs.empty, inputs.image, inputs.opening) if p is not None), None)
    if base is None:
        raise ConfigError("no picture of the board was given. Fix: give --empty, --opening or --image")
    size = (base.shape[1], base.shape[0])
    given = [("--opening", picture) for picture in (inputs.opening, *inputs.openings)]
    given += [("--scattered", picture) for picture in inputs.scattered]
    if inputs.scattered and (inputs.empty is None or inputs.opening is None):
        raise ConfigError("--scattered needs --empty and --opening. Fix: add them, or leave --scattered out")
    for name, picture in (*given, ("--image", inputs.image)):
        if picture is not None and picture.shape != base.shape:
            raise ConfigError(f"{name} is {_wide(picture)}, the other pictures are {_wide(base)}: they must be alike")
    says: list[str] = []
    if inputs.lens:
        tell(f"fitting the lens to {len(inputs.lens)} pictures")
    lens = _lens(inputs, size, says)
    posed = pose_for(
        base, lens, inputs.board, inputs.south, inputs.corners, says, tell, measuring=inputs.empty is not None
    )
    model, fit, measured = posed.model, posed.fit, posed.measured
    told = inputs.board
    if measured is not None:
        inputs = replace(inputs, board=measured.board)
    looks = _thicknesses(inputs, model, _sizes(inputs), says)
    lower, doubted = int(posed.elsewhere) + int(posed.unsure), bool(posed.board_doubt)
    lower += int(lens is not None and lens.open_share > RATHER_OPEN)
    if inputs.empty is not None:
        tell("looking for pieces on the empty board")
        _without_target(inputs)
        if fit is not None:
            check_empty(inputs.empty, model, looks, inputs.board, inputs.opening, says)
        looks = replace(looks, empty=inputs.empty, empty_model=model)
    if inputs.opening is not None:
        tell("learning the pieces from the opening picture")
        try:
            looks, learnt = looks_by(inputs, model, looks, says, tell)
        except RefusedError as error:
            if not posed.board_doubt:
                raise
            raise RefusedError(f"{error}. Or {posed.board_doubt}", error.report) from error
        lower += int(learnt.foreign)
        if measured is not None:
            doubted |= _doubts_board(inputs, told, measured, model, learnt.spacing_mm, says)
    else:
        says.append("no --opening: what the pieces look like is guessed, and classes may be taken for one another")
    if inputs.empty is None:
        says.append("no --empty: printed circles may be taken for pieces, and pale pieces may be missed")
    grade = _grade(model, inputs, lens, fit if posed.lines_seen else None)
    grade = "basic" if doubted or not posed.lens_agrees else GRADES[max(GRADES.index(grade) - lower, 0)]
    residuals = {"px_per_mm": round(model.px_per_mm, 3)}
    if lens is not None:
        residuals["lens_rms_px"] = round(lens.rms_px, 3)
    if fit is not None:
        residuals |= {
            "corner_u95_mm": round(2.0 * fit.u_mm, 3),
            "residual_mm": round(fit.residual_mm, 3),
            "worst_mm": round(fit.worst_mm, 3),
            "markings_found": round(fit.covered, 3),
        }
    residuals["expected_error_mm"] = expected = _expected_mm(lens, fit)
    says.append(_summary(model, fit, lens, grade, expected))
    made = {
        "lens_pictures": inputs.known_lens.pictures if inputs.known_lens is not None else len(inputs.lens),
        "empty": inputs.empty is not None,
        "opening": inputs.opening is not None,
        "scattered": len(inputs.scattered),
        "corners": inputs.corners is not None,
        "south": inputs.south,
        "side_said": inputs.side_said,
        "says": says,
    }
    calibration = Calibration(
        model,
        inputs.board,
        looks,
        grade,
        made,
        residuals,
        {} if measured is None else measured.mm,
        {} if measured is None else measured.u95_mm,
        lens,
    )
    report = draw_report(base, model, inputs.board, markings_of(inputs.board), fit, [line[:110] for line in says[-6:]])
    return Made(calibration, tuple(says), report)


MOST_OPEN = 0.12
RATHER_OPEN = 0.06
"""Of the focal length, one standard deviation: pieces' heights and the distance hang on it. Sets of four to twelve
pictures that show the target tilted leave 0.2 to 6 % open, the least lucky ones 11 %; held level, 20 and more."""
_TILTED = "a few pictures more with the target tilted by 20 to 40 degrees, to each of its four sides"


def _lens(inputs: Inputs, size: tuple[int, int], says: list[str]) -> Lens | None:
    if inputs.known_lens is not None:
        return _known(inputs.known_lens, size)
    if not inputs.lens:
        says.append("no --lens: the lens is guessed; costs about 0.3 mm in the middle and 2 mm at the cushions")
        return None
    sizes = Counter(_wide(picture) for picture in inputs.lens)
    if len(sizes) > 1:
        said = ", ".join(f"{count} of {wide}" for wide, count in sizes.most_common())
        raise ConfigError(
            f"--lens pictures differ in size ({said}). Fix: leave out the ones of another size; where some were "
            "turned (EXIF orientation), save all of them turned alike"
        )
    try:
        lens = fit_lens(inputs.lens, inputs.target)
    except MirroredError as error:
        raise ConfigError(f"--lens: {error}") from error
    except TargetError as error:
        raise ConfigError(
            f"--lens: {error}. Fix: print the target with --print-target, take a dozen pictures of it, "
            "tilted, all over the picture, at least 8 of its corners in each"
        ) from error
    if lens.size != size:
        raise ConfigError(
            f"--lens pictures are {lens.size[0]}×{lens.size[1]}, the board's are {size[0]}×{size[1]}. "
            "Fix: take both with the same camera setting"
        )
    if lens.rms_px > WORST_LENS_PX:
        raise ConfigError(
            f"--lens: the fit is off by {lens.rms_px:.2f} px (worst in picture {lens.worst[0] + 1}); at most "
            f"{WORST_LENS_PX} is taken. Fix: a flat target, sharp pictures, and the squares' true size"
        )
    if lens.open_share > MOST_OPEN:
        raise ConfigError(
            "--lens: these pictures leave the focal length open, for the target is held level in nearly all of them. "
            f"Fix: {_TILTED}"
        )
    if lens.open_share > RATHER_OPEN:
        says.append(
            f"the lens pictures tell the focal length to {100 * lens.open_share:.0f} % only, so the grade is one "
            f"lower. Fix: {_TILTED}"
        )
    if lens.spread < 0.25:
        says.append("the target fills little of the lens pictures: bring it into the corners for the lens's edges")
    return lens


def _known(lens: Lens, size: tuple[int, int]) -> Lens:
    if lens.size != size:
        raise ConfigError(
            f"the lens was calibrated at {lens.size[0]}×{lens.size[1]}, the pictures are {size[0]}×{size[1]}. "
            "Fix: set the camera to that size again, or calibrate with --lens pictures of this one"
        )
    return lens


def _sizes(inputs: Inputs) -> Looks:
    board = inputs.board
    return replace(
        looks_of(board),
        coin_diameter_mm=inputs.coin_diameter_mm or board.coin_diameter_mm,
        coin_thickness_mm=inputs.coin_thickness_mm or board.coin_thickness_mm,
        striker_diameter_mm=inputs.striker_diameter_mm or board.striker_diameter_mm,
        striker_thickness_mm=inputs.striker_thickness_mm or board.striker_thickness_mm,
        sizes_known=inputs.coin_diameter_mm is not None,
        sharp_edges=inputs.sharp_edges,
    )


def _without_target(inputs: Inputs) -> None:
    assert inputs.empty is not None
    numbers, corners_px = find_corners(grey(inputs.empty), inputs.target)
    if len(numbers) >= TARGET_SEEN:
        text = "--empty: the lens target is in the picture of the empty board"
        raise RefusedError(
            f"{text}. Fix: take it away and take --empty again", draw_seen(inputs.empty, corners_px, 14.0, text)
        )


def _thicknesses(inputs: Inputs, model: CameraModel, looks: Looks, says: list[str]) -> Looks:
    """The thickness of coins and striker: given, measured with the target, or else supposed, which is reported."""
    supposed = []
    for name, given, pictures in (
        ("coin", inputs.coin_thickness_mm, inputs.on_coins),
        ("striker", inputs.striker_thickness_mm, inputs.on_striker),
    ):
        if given is not None:
            continue
        if not pictures:
            supposed.append(name)
            continue
        option = f"--on-{'coins' if name == 'coin' else name}"
        if not inputs.flat or not (inputs.lens or inputs.known_lens):
            raise ConfigError(
                f"{option} needs --lens and --flat: the target on the bare board. Fix: add those pictures"
            )
        try:
            raised = raised_by(inputs.flat, pictures, model, inputs.target)
        except MirroredError as error:
            raise ConfigError(f"{option}: {error}") from error
        except TargetError as error:
            raise ConfigError(f"{option}: {error}. Fix: take --flat and {option} again") from error
        if raised.u_mm > MOST_U_THICKNESS_MM or not 3.0 <= raised.height_mm <= 25.0:
            raise ConfigError(
                f"{option}: {raised.height_mm:.1f} mm ± {2 * raised.u_mm:.1f} is measured, too unsure or no piece's "
                f"thickness. Fix: more pictures of either kind, or --{name}-thickness MM"
            )
        says.append(f"{name} thickness {raised.height_mm:.1f} mm ± {2 * raised.u_mm:.1f} (95 %), by the target on it")
        measured = round(raised.height_mm, 2)
        if name == "coin":
            looks = replace(looks, coin_thickness_mm=measured)
        else:
            looks = replace(looks, striker_thickness_mm=measured)
    if supposed:
        at = inputs.board.half_mm - inputs.board.coin_diameter_mm / 2.0
        corner = np.array(((at, at), (-at, at), (at, -at), (-at, -at)))
        cost = float(np.hypot(*(model.lean(corner, 9.0) - model.lean(corner, 8.0)).T).max())
        sizes = {"coin": looks.coin_thickness_mm, "striker": looks.striker_thickness_mm}
        options = " and ".join(f"--{name}-thickness" for name in supposed)
        taken = ", ".join(f"{name} {sizes[name]:g} mm" for name in supposed)
        says.append(
            f"thickness is supposed ({taken}): each wrong mm moves a piece by up to {cost:.1f} mm. "
            f"Fix: measure with a calliper and give {options}"
        )
    return replace(looks, thickness_known=not supposed)


COINS_UNLIKE = 0.08
"""Of the diameter: coins that differ by more are none of that board's set, or the side of the board is wrong."""

COINS_UNLIKE_SAID = 0.05
"""The same where a person measured the coins: the opening picture tells their diameter to 1 % on ten drawn tables."""


def _doubts_board(
    inputs: Inputs, told: Board, measured: Measured, model: CameraModel, coin_mm: float, says: list[str]
) -> bool:
    """Whether the board may be another than the one that was given, which is reported.

    `coin_mm`: a coin's diameter in the opening picture, in the given board's millimetres. Raises RefusedError where
    markings and pieces are another board's.
    """
    side, said_mm = f"{2 * told.half_mm:g} mm", inputs.coin_diameter_mm
    other = None if inputs.side_said else resembles(measured.mm, told, coin_mm, said_mm)
    text = ""
    if other is not None and other.sure:
        text = (
            f"markings and pieces are those of a board of {other.side_mm:g} mm, not of {side}: as if that were its "
            f"side, the coins measure {coin_mm:.1f} mm. Fix: --board {other.preset}, or --side with the true side"
        )
    elif said_mm is not None and abs(coin_mm / said_mm - 1.0) > COINS_UNLIKE_SAID:
        text = (
            f"the coins measure {coin_mm:.1f} mm on a board of {side}, not {said_mm:g}: the side is about "
            f"{2 * told.half_mm * said_mm / coin_mm:.0f} mm, or --coin-diameter is wrong. Fix: measure both, and give "
            "--side"
        )
    if text:
        assert inputs.empty is not None
        markings = markings_of(inputs.board)
        raise RefusedError(text, draw_report(inputs.empty, model, inputs.board, markings, None, [text[:110]]))
    if other is not None:
        says.append(
            f"the markings, or the pieces, are rather those of a board of {other.side_mm:g} mm than of {side}: no line "
            f"is called. Fix: --board {other.preset} if it is that, or the board's own measures in [board]"
        )
        return True
    if said_mm is None and not inputs.side_said and abs(coin_mm / told.coin_diameter_mm - 1.0) > COINS_UNLIKE:
        says.append(
            f"the coins measure {coin_mm:.1f} mm where this board's are {told.coin_diameter_mm:g}: the side is hardly "
            f"{side}, and no line is called. Fix: measure the side and give --side; if it is right, --coin-diameter"
        )
        return True
    return False


def _grade(model: CameraModel, inputs: Inputs, lens: Lens | None, fit: Fit | None) -> Grade:
    """The best grade that this calibration allows; the camera's frame rate and shutter may lower it."""
    if fit is None or fit.residual_mm > WORST_FIT_MM or lens is None or inputs.opening is None or inputs.empty is None:
        return "basic"
    return finest_grade(model.px_per_mm)


def _expected_mm(lens: Lens | None, fit: Fit | None) -> float:
    """One standard deviation that the calibration adds to a position, in mm; see docs/figures.md."""
    if fit is None:
        return 2.0
    return round(float(np.hypot(0.4 if lens is None else 0.12, fit.residual_mm)), 2)


def _summary(model: CameraModel, fit: Fit | None, lens: Lens | None, grade: Grade, expected: float) -> str:
    parts = [
        f"places are known to about {expected:.1f} mm; grade {grade}",
        f"{model.px_per_mm:.2f} picture points for a millimetre",
        f"camera {model.centre_mm[2] / 10:.0f} cm above the board",
    ]
    if lens is not None:
        parts.append(f"lens fits to {lens.rms_px:.2f} of a picture point on {lens.pictures} pictures")
    if fit is not None:
        parts.append(f"markings {fit.residual_mm:.2f} mm ({100 * fit.covered:.0f} % found)")
    return ", ".join(parts)


def _wide(picture: Pixels) -> str:
    return f"{picture.shape[1]}×{picture.shape[0]}"
