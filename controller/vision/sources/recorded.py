"""Recordings: a video file, or a folder of pictures in the order of their names. Every frame is given, none waits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cv2
from pydantic import TypeAdapter

from controller.events.doors import LARGEST_NUMBER, RECORD, json_object, text_of, whole_number
from controller.events.errors import DeviceError, UnreadableError
from controller.events.reading import strictly
from controller.vision.decoder_warnings import tell, warnings_caught
from controller.vision.pictures import picture_of, pictures_in
from controller.vision.sources.frame import EndOfRecordingError, Frame

JPEGS = frozenset({".jpg", ".jpeg"})
TIMES = "times.jsonl"
"""Beside the pictures, written by `carrom record`: one line a picture, {"image", "t_ns", "exposure_ns"}."""


def _as_people_count(path: Path) -> list[int | str]:
    bits = re.split(r"(\d+)", path.name)
    return [whole_number(bit, LARGEST_NUMBER) if i % 2 else bit for i, bit in enumerate(bits)]


_NS = TypeAdapter(int)


class FolderSource:
    """The pictures of a folder.

    Their times come from `times.jsonl` where the folder has one, otherwise picture n lies at n / fps.
    """

    live = False

    def __init__(self, folder: Path, fps: float = 30.0, *, exposure_ns: int = 0, row_ns: float = 0.0) -> None:
        self._folder = folder
        self._fps = fps
        self._exposure_ns = exposure_ns
        self._row_ns = row_ns
        self._pictures: list[tuple[Path, int, int]] | None = None
        self._next = 0

    def open(self) -> None:
        """Lists the pictures."""
        if not self._folder.is_dir():
            raise DeviceError(f"{self._folder}: there is no such folder. Fix: check the path")
        names = pictures_in(self._folder)
        if not names:
            raise DeviceError(f"{self._folder}: holds no pictures. Fix: name a folder with .jpg or .png files")
        stamps = self._stamps()
        if stamps:
            by_name = {path.name: path for path in names}
            missing = sorted(set(stamps) - set(by_name))
            if missing:
                raise DeviceError(f"{self._folder / TIMES}: names {missing[0]}, which is missing. Fix: copy it again")
            listed = [(by_name[name], *stamps[name]) for name in stamps]
            self._pictures = sorted(listed, key=lambda item: item[1])
        else:
            names.sort(key=_as_people_count)
            self._pictures = [
                (path, round(index * 1e9 / self._fps), self._exposure_ns) for index, path in enumerate(names)
            ]
        self._next = 0

    def _stamps(self) -> dict[str, tuple[int, int]]:
        path = self._folder / TIMES
        if not path.is_file():
            return {}
        stamps: dict[str, tuple[int, int]] = {}
        try:
            lines = text_of(path, RECORD).splitlines()
        except UnreadableError as error:
            raise DeviceError(f"{path}: {error}. Fix: copy the recording again") from error
        for number, line in enumerate(lines, 1):
            try:
                row = json_object(line)
                stamps[str(row["image"])] = (
                    strictly(_NS, row["t_ns"]),
                    strictly(_NS, row.get("exposure_ns", self._exposure_ns)),
                )
            except (ValueError, KeyError, TypeError) as error:
                raise DeviceError(f'{path}:{number}: is no {{"image", "t_ns"}}. Fix: correct that line') from error
        return stamps

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next picture."""
        if self._pictures is None:
            raise DeviceError(f"{self._folder} is not open. Fix: open it first")
        if self._next >= len(self._pictures):
            raise EndOfRecordingError
        path, t_ns, exposure_ns = self._pictures[self._next]
        number = self._next
        self._next += 1
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DeviceError(f"{path}: cannot be read: {error}. Fix: check the file") from error
        if path.suffix.lower() in JPEGS:
            return Frame(t_ns, number, jpeg=data, exposure_ns=exposure_ns, row_ns=self._row_ns)
        try:
            picture = picture_of(path)
        except UnreadableError as error:
            raise DeviceError(f"{path}: {error}. Fix: remove it or write it again") from error
        return Frame(t_ns, number, bgr=picture, exposure_ns=exposure_ns, row_ns=self._row_ns)

    def close(self) -> None:
        """Forgets the list."""
        self._pictures = None


class VideoSource:
    """A video file. Frame times are the container's; with `fps` they are counted instead."""

    live = False

    def __init__(self, path: Path, fps: float | None = None, *, exposure_ns: int = 0, row_ns: float = 0.0) -> None:
        self._path = path
        self._fps = fps
        self._exposure_ns = exposure_ns
        self._row_ns = row_ns
        self._video: Any = None
        self._number = 0
        self._last_ns = -1

    def open(self) -> None:
        """Opens the file."""
        self.close()
        if not self._path.is_file():
            raise DeviceError(f"{self._path}: there is no such file. Fix: check the path")
        with warnings_caught() as warned:
            self._video = cv2.VideoCapture(str(self._path), cv2.CAP_FFMPEG)
        tell(warned.says)
        if not self._video.isOpened():
            self.close()
            raise DeviceError(f"{self._path}: is no video that can be read. Fix: convert it to H.264 or MJPEG")
        self._number, self._last_ns = 0, -1

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next frame."""
        if self._video is None:
            raise DeviceError(f"{self._path} is not open. Fix: open it first")
        with warnings_caught() as warned:
            done, picture = self._video.read()
        tell(warned.says)
        if not done or picture is None:
            if self._number == 0:
                raise DeviceError(f"{self._path}: holds no frame that can be read. Fix: record it again")
            raise EndOfRecordingError
        counted = self._fps or self._video.get(cv2.CAP_PROP_FPS) or 30.0
        t_ns = round(self._number * 1e9 / counted)
        if self._fps is None:
            stamped = round(self._video.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
            # Some containers give 0 for every frame; counting is right for those.
            t_ns = stamped if stamped > self._last_ns else max(t_ns, self._last_ns + 1)
        self._last_ns = t_ns
        frame = Frame(t_ns, self._number, bgr=picture, exposure_ns=self._exposure_ns, row_ns=self._row_ns)
        self._number += 1
        return frame

    def close(self) -> None:
        """Closes the file."""
        if self._video is not None:
            self._video.release()
        self._video = None
