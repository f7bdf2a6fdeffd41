"""A camera model by its pose as tests write it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike

from calibration.camera import CameraModel


def model_from_pose(
    K: ArrayLike, dist: ArrayLike, rotation_vector: ArrayLike, t: ArrayLike, size: tuple[int, int]
) -> CameraModel:
    """Builds a model from a rotation vector (Rodrigues) instead of a matrix; `dist` may be shorter than 5."""
    R, _ = cv2.Rodrigues(np.asarray(rotation_vector, dtype=np.float64).reshape(3, 1))
    full = np.zeros(5)
    given = np.asarray(dist, dtype=np.float64).reshape(-1)[:5]
    full[: len(given)] = given
    return CameraModel(
        np.asarray(K, dtype=np.float64).reshape(3, 3),
        full,
        np.asarray(R, dtype=np.float64),
        np.asarray(t, dtype=np.float64).reshape(3),
        size,
    )
