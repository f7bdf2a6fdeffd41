"""A simulated match over the desk, without pictures: the score is the truth's, whatever dies on the way."""

from __future__ import annotations

from controller.simulator.clock import EPOCH_NS
from tests.shots.table import Table
from tests.table.kit import run, scene
from tests.table.observed import Played, simulated, start_event


def fresh() -> Table:
    return Table(now=EPOCH_NS)


def test_a_match_is_umpired_as_it_was_played(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, start_event(), table=fresh()) as at:
            play = Played(simulated())
            for _ in range(25):
                await play.on(at, 1)
                assert play.figures(at.desk.umpire.latest) == play.figures(play.truth), play.strokes
            assert at.desk.shown.mismatches == {}
            assert len(at.heard.of("shot")) == 25
            assert at.heard.alerts("desk") == []
            assert at.desk.umpire.questions() == ()

    run(story())


def test_a_daemon_that_dies_after_every_third_stroke_loses_and_doubles_nothing(tmp_path) -> None:
    async def story() -> None:
        play, table, shots = Played(simulated(seed=4)), fresh(), 0
        for _ in range(5):
            async with scene(tmp_path, start_event(), table=table) as at:
                await play.on(at, 3)
                assert play.figures(at.desk.umpire.latest) == play.figures(play.truth)
                shots += len(at.heard.of("shot"))
                entries = at.entries
        assert shots == 15
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        said = [entry.source for entry in entries if entry.event["event"] == "shot"]
        assert len(said) == len(set(said)) == 15

    run(story())
