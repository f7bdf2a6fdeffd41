"""The ring of pictures: what is read is what was written, or nothing; numbers never repeat."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.events.errors import ConfigError, DeviceError
from controller.vision.ring import HEADER_BYTES, SLOT_HEADER_BYTES, RingReader, RingWriter, save_clip
from controller.vision.sources.recorded import FolderSource

SLOT = 1000


def ring(folder: Path, slots: int = 4) -> RingWriter:
    stride = (SLOT + SLOT_HEADER_BYTES + 63) // 64 * 64
    writer = RingWriter(folder / "pictures.ring", ring_bytes=HEADER_BYTES + slots * stride, slot_bytes=SLOT)
    writer.open()
    return writer


def body(number: int) -> bytes:
    return bytes([number % 256]) * (100 + number % 800)


def test_pictures_come_back_until_they_are_overwritten(tmp_path: Path) -> None:
    writer, reader = ring(tmp_path), RingReader(tmp_path / "pictures.ring")
    assert reader.newest() is None
    numbers = [writer.put(body(n), n * 10, 5) for n in range(6)]
    assert numbers == [0, 1, 2, 3, 4, 5]
    assert reader.newest() == 5
    assert reader.picture(1) is None
    assert reader.picture(6) is None
    assert reader.picture(-1) is None
    kept = reader.picture(4)
    assert kept is not None
    assert (kept.number, kept.t_ns, kept.exposure_ns, kept.jpeg) == (4, 40, 5, body(4))
    assert [picture.number for picture in reader.span(0, 99)] == [2, 3, 4, 5]


@pytest.mark.parametrize("size", [0, 100, HEADER_BYTES + 10])
def test_a_file_that_is_cut_short_ends_neither_reader_nor_writer(tmp_path: Path, size: int) -> None:
    writer, reader = ring(tmp_path), RingReader(tmp_path / "pictures.ring")
    writer.put(body(0), 0)
    assert reader.newest() == 0
    os.truncate(tmp_path / "pictures.ring", size)
    assert reader.newest() is None
    assert reader.picture(0) is None
    number = writer.put(body(1), 10)
    kept = reader.picture(number)
    assert kept is not None
    assert kept.jpeg == body(1)


@pytest.mark.parametrize("before", [1, 3])
def test_a_ring_that_was_taken_away_with_its_folder_is_made_anew_and_numbers_go_on(tmp_path: Path, before: int) -> None:
    run = tmp_path / "run"
    run.mkdir()
    writer, reader = ring(run), RingReader(run / "pictures.ring")
    for n in range(before):
        writer.put(body(n), n)
    assert reader.newest() == before - 1
    shutil.rmtree(run)
    assert writer.put(body(before), 10) == before
    assert reader.newest() == before
    assert reader.picture(before - 1) is None
    kept = reader.picture(before)
    assert kept is not None
    assert kept.jpeg == body(before)


def test_a_ring_in_whose_place_something_else_lies_is_made_anew(tmp_path: Path) -> None:
    writer, reader = ring(tmp_path), RingReader(tmp_path / "pictures.ring")
    writer.put(body(0), 0)
    (tmp_path / "other").write_bytes(bytes(writer.size))
    (tmp_path / "other").replace(tmp_path / "pictures.ring")
    assert reader.newest() is None
    assert writer.put(body(1), 1) == 1
    assert reader.newest() == 1


def test_a_ring_that_cannot_be_made_anew_is_tried_again_with_the_next_picture(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    writer, reader = ring(run), RingReader(run / "pictures.ring")
    writer.put(body(0), 0)
    shutil.rmtree(run)
    run.write_text("a file")
    files = Path("/proc/self/fd")
    before = len(list(files.iterdir()))
    for _ in range(3):
        with pytest.raises(DeviceError, match="Fix:"):
            writer.put(body(1), 1)
    run.unlink()
    (run / "pictures.ring").mkdir(parents=True)
    for _ in range(3):
        with pytest.raises(DeviceError, match="Fix:"):
            writer.put(body(1), 1)
    assert len(list(files.iterdir())) <= before, "nothing stays open of what failed"
    (run / "pictures.ring").rmdir()
    assert writer.put(body(1), 1) == 1
    assert reader.newest() == 1


def test_a_picture_larger_than_a_slot_is_left_out(tmp_path: Path) -> None:
    writer = ring(tmp_path)
    assert writer.put(b"x" * 2000, 0) is None
    assert writer.put(b"x", 0) == 0


def test_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    writer, reader = ring(tmp_path), RingReader(tmp_path / "pictures.ring")
    writer.put(body(0), 0)
    writer.close()
    again = ring(tmp_path)
    assert again.put(body(1), 1) == 1
    assert [picture.number for picture in reader.span(0, 9)] == [0, 1]


def test_numbers_go_on_when_the_shape_changes_and_readers_follow(tmp_path: Path) -> None:
    writer, reader = ring(tmp_path), RingReader(tmp_path / "pictures.ring")
    writer.put(body(0), 0)
    assert reader.newest() == 0
    writer.close()
    again = ring(tmp_path, slots=8)
    assert reader.newest() == 0
    assert reader.picture(0) is None
    assert again.put(body(1), 1) == 1
    found = reader.picture(1)
    assert found is not None
    assert found.jpeg == body(1)


def test_a_reader_never_sees_a_mixed_picture(tmp_path: Path) -> None:
    writer, reader = ring(tmp_path, slots=2), RingReader(tmp_path / "pictures.ring")
    enough, done = threading.Event(), threading.Event()

    def write() -> None:
        # At least so many, and on until the reader has seen some, however the two are scheduled.
        for n in range(5_000_000):
            if n > 20_000 and enough.is_set():
                break
            writer.put(body(n), n)
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    seen = 0
    while not done.is_set():
        newest = reader.newest()
        if newest is None:
            continue
        picture = reader.picture(newest)
        if picture is not None:
            assert picture.jpeg == body(picture.number)
            assert picture.t_ns == picture.number
            seen += 1
            if seen >= 20:
                enough.set()
    thread.join()
    assert seen >= 20


def test_a_folder_with_little_room_gets_a_smaller_ring_that_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stride = (SLOT + SLOT_HEADER_BYTES + 63) // 64 * 64
    files = [tmp_path / name for name in ("pictures.ring", "pictures.ring.new")]

    def usage(_folder: Path) -> SimpleNamespace:
        held = sum(file.stat().st_size for file in files if file.exists())
        return SimpleNamespace(free=20 * stride + HEADER_BYTES - held)

    monkeypatch.setattr("controller.vision.ring.shutil.disk_usage", usage)
    writer, reader = ring(tmp_path, slots=100), RingReader(tmp_path / "pictures.ring")
    kept = (writer.size - HEADER_BYTES) // stride
    assert 10 <= kept < 20
    assert writer.missing == (100 - kept) * stride
    for n in range(12):
        writer.put(body(n), n)
    writer.close()
    again = ring(tmp_path, slots=100)
    assert again.size == writer.size
    assert reader.picture(11) is not None
    again.close()
    # Less is wanted than it has: there is room beside it for a part of that, and nothing of the old one stays.
    less = ring(tmp_path, slots=8)
    assert less.size < writer.size
    assert not files[1].exists()
    assert less.put(body(12), 12) == 12


def test_a_clip_is_a_recording(tmp_path: Path) -> None:
    writer, reader = ring(tmp_path), RingReader(tmp_path / "pictures.ring")
    for n in range(3):
        writer.put(body(n), 1000 + n, 7)
    assert save_clip(reader.span(0, 9), tmp_path / "clip") == 3
    rows = [json.loads(line) for line in (tmp_path / "clip" / "times.jsonl").read_text().splitlines()]
    assert [row["t_ns"] for row in rows] == [1000, 1001, 1002]
    source = FolderSource(tmp_path / "clip")
    source.open()
    frame = source.read(0.0)
    assert frame is not None
    assert (frame.t_ns, frame.exposure_ns, frame.jpeg) == (1000, 7, body(0))


def test_a_ring_that_cannot_be_made_says_how_to_fix_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match=r"file: cannot be made: .*Fix: set table\.runtime"):
        RingWriter(tmp_path / "file" / "ring", ring_bytes=4096, slot_bytes=100).open()
    (tmp_path / "ring").mkdir()
    with pytest.raises(DeviceError, match=r"the ring of pictures cannot be made: .*Fix:"):
        RingWriter(tmp_path / "ring", ring_bytes=4096, slot_bytes=100).open()
    with pytest.raises(ConfigError, match="Fix:"):
        save_clip([], tmp_path / "file")


def test_what_is_no_ring_reads_as_empty(tmp_path: Path) -> None:
    (tmp_path / "pictures.ring").write_bytes(b"something else entirely, and long enough")
    assert RingReader(tmp_path / "pictures.ring").newest() is None
    assert RingReader(tmp_path / "none.ring").picture(0) is None
