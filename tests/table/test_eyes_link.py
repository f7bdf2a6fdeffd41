"""The eyes' socket: observations come out as they went in; a malformed line or a dying process loses nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.events.errors import DeviceError
from controller.events.observation import BoardSeen, EyesHealth, Observation, SeenPiece
from controller.events.wire import observation_to_line
from controller.table.machine.eyes_link import EyesLink
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.live

BOARD = BoardSeen(t_ns=5, since_ns=3, pieces=(SeenPiece("queen", 0.1, -0.2, 0.4),), hidden=(((0.0, 0.0), (1.0, 2.0)),))
HEALTH = EyesHealth(t_ns=6, camera="ok", seen_until_ns=5)


async def played(path: Path, lines: list[bytes], expected: int) -> tuple[list[Observation], list[bool]]:
    seen: list[Observation] = []
    changes: list[bool] = []
    enough = asyncio.Event()

    def received(observation: Observation) -> None:
        seen.append(observation)
        if len(seen) == expected:
            enough.set()

    link = EyesLink(path, received, changes.append)
    await link.start()
    _, writer = await asyncio.open_unix_connection(path)
    writer.writelines(lines)
    await writer.drain()
    await asyncio.wait_for(enough.wait(), PATIENCE_S)
    writer.close()
    await asyncio.wait_for(until(lambda: changes[-1:] == [False]), PATIENCE_S)
    await link.stop()
    return seen, changes


async def until(holds) -> None:
    while not holds():
        await asyncio.sleep(0)


def test_observations_arrive_as_they_were_said(tmp_path: Path) -> None:
    lines = [(observation_to_line(said) + "\n").encode() for said in (BOARD, HEALTH)]
    seen, changes = asyncio.run(played(tmp_path / "eyes.sock", lines, 2))
    assert seen == [BOARD, HEALTH]
    assert changes == [True, False]


def test_a_malformed_line_is_logged_and_the_next_one_heard(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    good = (observation_to_line(HEALTH) + "\n").encode()
    lines = [b"{nonsense\n", b'{"kind":"dream"}\n', b'{"kind":"health","t_ns":"soon"}\n', b"[]\n", good]
    seen, _ = asyncio.run(played(tmp_path / "eyes.sock", lines, 1))
    assert seen == [HEALTH]
    assert len(caplog.messages) == 4


def test_newer_eyes_replace_older_ones(tmp_path: Path) -> None:
    async def scene() -> None:
        seen: list[Observation] = []
        heard = asyncio.Event()
        link = EyesLink(tmp_path / "eyes.sock", lambda said: (seen.append(said), heard.set())[0], lambda _: None)
        await link.start()
        old_reader, old_writer = await asyncio.open_unix_connection(tmp_path / "eyes.sock")
        await asyncio.wait_for(until(lambda: link.connected), PATIENCE_S)
        _, new_writer = await asyncio.open_unix_connection(tmp_path / "eyes.sock")
        assert await asyncio.wait_for(old_reader.read(), PATIENCE_S) == b"", "the older connection is closed"
        new_writer.write((observation_to_line(HEALTH) + "\n").encode())
        await asyncio.wait_for(heard.wait(), PATIENCE_S)
        assert link.connected
        old_writer.close()
        new_writer.close()
        await link.stop()

    asyncio.run(scene())


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    link = EyesLink(tmp_path / "file" / "eyes.sock", lambda _: None, lambda _: None)
    with pytest.raises(DeviceError, match=r"eyes' socket cannot be made.*Fix"):
        asyncio.run(link.start())


def test_a_folder_that_cannot_be_looked_into_is_a_trouble_that_is_said(tmp_path: Path, monkeypatch) -> None:
    async def scene() -> None:
        link = EyesLink(tmp_path / "run" / "eyes.sock", lambda _: None, lambda _: None)
        await link.start()
        with monkeypatch.context() as locked:

            def refused(path: Path, **_how: bool) -> None:
                raise PermissionError(13, "Permission denied", str(path))

            for asked in ("stat", "exists", "mkdir", "unlink", "chmod"):
                locked.setattr(Path, asked, refused)
            says = await link.look()
            assert "Permission denied" in says
            assert "Fix:" in says
        assert await link.look() == ""
        _, eyes = await asyncio.open_unix_connection(tmp_path / "run" / "eyes.sock")
        await asyncio.wait_for(until(lambda: link.connected), PATIENCE_S)
        eyes.close()
        await link.stop()

    asyncio.run(scene())


def test_a_socket_that_was_taken_away_with_its_folder_is_made_anew(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "run" / "eyes.sock"
        heard: list[Observation] = []
        link = EyesLink(path, heard.append, lambda _: None)
        await link.start()
        _, early = await asyncio.open_unix_connection(path)
        await asyncio.wait_for(until(lambda: link.connected), PATIENCE_S)
        assert await link.look() == ""
        path.parent.rename(tmp_path / "away")
        assert await link.look() == ""
        early.write((observation_to_line(BOARD) + "\n").encode())
        await asyncio.wait_for(until(lambda: heard == [BOARD]), PATIENCE_S)
        _, late = await asyncio.open_unix_connection(path)
        late.write((observation_to_line(HEALTH) + "\n").encode())
        await asyncio.wait_for(until(lambda: heard == [BOARD, HEALTH]), PATIENCE_S)
        path.parent.rename(tmp_path / "away again")
        path.parent.write_text("a file")
        assert "eyes' socket cannot be made" in await link.look()
        path.parent.unlink()
        assert await link.look() == ""
        assert path.exists()
        early.close()
        late.close()
        await link.stop()

    asyncio.run(scene())
