"""When a piece was seen under a rolling shutter: each row of a picture has a time of its own.

While following, a picture has one time. At an episode's end each mark gets the time of the row in which the piece
stood. Values in, values out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from calibration.camera import CameraModel
from controller.vision.following.tracks import Followed, Mark

BODY_MM = 4.0


def row_delay_ns(model: CameraModel, places_mm: Iterable[tuple[float, float]], row_ns: float) -> list[int]:
    """How much later than a picture's middle row each place on the board (mm) is exposed, in ns."""
    spots = np.array(list(places_mm), np.float64).reshape(-1, 2)
    rows = model.project_plane(spots, BODY_MM)[:, 1] - (model.size[1] - 1) / 2.0
    return [round(float(row) * row_ns) for row in rows]


def timed_by_row(track: Followed, model: CameraModel, row_ns: float) -> Followed:
    """The same track with the times of the rows it was seen in. `row_ns`: from one row to the next."""
    if not row_ns:
        return track
    late = row_delay_ns(model, [(mark.x_mm, mark.y_mm) for mark in track.marks], row_ns)
    marks = [
        Mark(mark.t_ns + by, mark.x_mm, mark.y_mm, mark.by_hand) for mark, by in zip(track.marks, late, strict=True)
    ]
    began, ended = track.began_ns, track.ended
    if track.start is not None:
        began += row_delay_ns(model, [(track.start.x_mm, track.start.y_mm)], row_ns)[0]
    elif marks:
        began += late[0]
    if ended is not None:
        ended = replace(ended, t_ns=ended.t_ns + row_delay_ns(model, [ended.at], row_ns)[0])
    return replace(track, marks=marks, began_ns=began, ended=ended)
