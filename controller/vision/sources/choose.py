"""From what a table says of its camera to a source of frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

from controller.events.errors import ConfigError
from controller.vision.sources.child import ChildSource, rpicam_command
from controller.vision.sources.frame import FrameSource
from controller.vision.sources.mjpeg import MjpegSource
from controller.vision.sources.recorded import FolderSource, VideoSource

RECORDED = ("video", "folder")
"""Kinds that are no camera."""
Kind = Literal["v4l2", "csi", "mjpeg", "video", "folder"]


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Which camera, and how it is run. `keep_all`: drop no frame, hold the sender back."""

    kind: Kind
    device: str = "/dev/carrom/camera"
    url: str = ""
    path: Path | None = None
    width: int = 1280
    height: int = 720
    fps: float = 60.0
    exposure_us: int | None = None
    gain: float | None = None
    command: tuple[str, ...] = ()
    keep_all: bool = False
    row_ns: float = 0.0


def source_maker(settings: SourceSettings, now_ns: Callable[[], int]) -> Callable[[], FrameSource]:
    """Returns what builds a fresh source. Raises ConfigError where the settings name none."""
    exposure_ns = (settings.exposure_us or 0) * 1000
    if settings.kind == "mjpeg":
        if not settings.url:
            raise ConfigError("camera.url is missing. Fix: write the address of the MJPEG stream")
        return lambda: MjpegSource(settings.url, now_ns, newest_only=not settings.keep_all, row_ns=settings.row_ns)
    if settings.kind == "video" or settings.kind == "folder":
        path = settings.path
        if path is None:
            raise ConfigError("camera.path is missing. Fix: name the video file or the folder of pictures")
        if settings.kind == "folder" or path.is_dir():
            return lambda: FolderSource(path, settings.fps, exposure_ns=exposure_ns, row_ns=settings.row_ns)
        return lambda: VideoSource(path, exposure_ns=exposure_ns, row_ns=settings.row_ns)
    if settings.kind == "csi":
        command = settings.command or tuple(
            rpicam_command(
                settings.device, settings.width, settings.height, settings.fps, settings.exposure_us, settings.gain
            )
        )
        return lambda: ChildSource(
            command, now_ns, exposure_ns=exposure_ns, row_ns=settings.row_ns, newest_only=not settings.keep_all
        )
    if settings.kind != "v4l2":
        assert_never(settings.kind)
    # Imported here: it sets OpenCV's patience with V4L2, which only a real camera needs.
    from controller.vision.sources.v4l2 import V4l2Settings, V4l2Source

    wanted = V4l2Settings(
        settings.device,
        settings.width,
        settings.height,
        settings.fps,
        settings.exposure_us,
        settings.gain,
        settings.row_ns,
    )
    return lambda: V4l2Source(wanted, now_ns)


def recording(path: Path, fps: float | None, *, exposure_us: int = 0) -> FrameSource:
    """The source for a recorded video file or folder of pictures."""
    if path.is_dir():
        return FolderSource(path, fps or 30.0, exposure_ns=exposure_us * 1000)
    return VideoSource(path, fps, exposure_ns=exposure_us * 1000)
