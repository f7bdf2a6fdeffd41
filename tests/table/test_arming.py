"""From a stand to a table that may umpire: what is tried, and what is written down when somebody signs."""

from __future__ import annotations

import asyncio
import json

from controller.events.observation import EyesHealth
from controller.table.machine.arming import Arming
from controller.table.machine.health import Health
from controller.table.match.signed import Signed
from controller.table.outlets.pages import DeskView
from tests.shots.table import MS, Table, coin, rack
from tests.table.kit import UNDER_WAY, run, scene

ALL = ["journal", "broker", "beams", "camera", "registration", "coin", "coin", "coin", "coin", "rack"]


def steps(view) -> dict[str, bool]:
    told = view.snapshot(umpire=True).arming
    return {f"{one['what']} {one['which']}".strip(): one["ok"] for one in told["steps"]}


async def asked(view, does, by="Meera"):
    return await asyncio.get_running_loop().run_in_executor(None, view.arming, does, by)


def test_everything_is_tried_once_and_signed_for(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path / "a", {**UNDER_WAY, "position": {}}, table=Table(pieces=[])) as at:
            view = DeskView(at.desk, asyncio.get_running_loop(), lambda: None, signatures=Signed(tmp_path))
            assert view.snapshot(umpire=True).arming is None
            assert (await asked(view, "sign"))["error"]
            await asked(view, "begin")
            assert view.snapshot(umpire=False).arming is None
            await at.arm()
            now = steps(view)
            assert [name.split()[0] for name in now] == [*ALL, "striker", "striker"]
            assert [name for name, ok in now.items() if ok] == ["journal", "broker", "beams", "camera", "registration"]
            # A hand that stays in the beams is no coin.
            await at.feed(*at.table.edges("NE", at.table.now, long_ms=900.0))
            assert not steps(view)["coin NE"]
            for number, pocket in enumerate(("NE", "NW", "SE", "SW"), 2):
                await at.feed(*at.table.edges(pocket, at.table.now + number * 2000 * MS))
                assert steps(view)[f"coin {pocket}"]
            at.table.now += 20_000 * MS
            at.table.pieces = [one for one in rack() if one.piece != "queen"]
            await at.wait(1000)
            assert not steps(view)["rack"]
            assert "queen" in next(s["says"] for s in view.snapshot(umpire=True).arming["steps"] if s["what"] == "rack")
            at.table.pieces = [*rack(), coin("striker", 30.0, -250.85)]
            await at.wait(1000)
            at.table.pieces = [coin("striker", 30.0, 250.85)]
            await at.wait(1000)
            assert all(steps(view).values())
            said = await asked(view, "sign")
            assert (said["by"], said["missing"]) == ("Meera", [])
        (line,) = (tmp_path / "signed.jsonl").read_text("utf-8").splitlines()
        assert all(one["ok"] for one in json.loads(line)["steps"])
        assert Signed(tmp_path).latest().by == "Meera"

    (tmp_path / "a").mkdir()
    run(story())


def test_what_is_missing_is_written_down_and_stops_nobody(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path / "a") as at:
            view = DeskView(at.desk, asyncio.get_running_loop(), lambda: None, signatures=Signed(tmp_path))
            await asked(view, "begin")
            await at.feed(*at.table.signs(blind=("SW",)))
            await asked(view, "sign")
            assert (await asked(view, "sign"))["error"]
        missing = json.loads((tmp_path / "signed.jsonl").read_text("utf-8"))["missing"]
        assert {"beams", "coin SW", "rack", "striker south"} <= set(missing)

    (tmp_path / "a").mkdir()
    run(story())


def test_a_camera_that_hangs_otherwise_is_said_and_what_a_table_does_not_have_is_not_asked() -> None:
    eyes = EyesHealth(1, "ok", 1, "match", warnings=("the camera has moved",))
    told = Arming(began=1.0).told(Health(camera="ok", eyes=eyes, node="none", broker="none"), None)
    assert [(one["what"], one["ok"], one["says"]) for one in told["steps"]] == [
        ("journal", True, ""),
        ("camera", True, ""),
        ("registration", False, "the camera has moved"),
        ("rack", False, ""),
    ]


def test_a_record_that_is_damaged_is_no_signature(tmp_path) -> None:
    (tmp_path / "signed.jsonl").write_text('{"began": 1}\n')
    assert Signed(tmp_path).latest() == Arming()
