"""Broker and panel as outlets of the desk: what goes out when."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from controller.config import PanelSection
from controller.events.errors import ConfigError
from controller.events.observation import MotionBegan
from controller.mqtt.payloads import Alert, Lying
from controller.table.outlets.broker import BrokerOutlet, publish_by
from controller.table.outlets.panel import BUTTONS, PanelOutlet
from tests.panel.simulated_pins import SimulatedPins
from tests.shots.table import Fall, Table, coin
from tests.table.kit import MS, UNDER_WAY, Heard, HeardByEverybody, run, scene

LAMP, STOP = 17, 5


class Client:
    """A broker's client that writes down what it is asked to publish."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []

    def __getattr__(self, name: str):
        def publish(*args: Any, for_umpire: bool = False, **_more: Any) -> None:
            if not for_umpire:
                self.sent.append((name, args[0]))

        return publish

    def of(self, name: str) -> list[Any]:
        return [body for what, body in self.sent if what == name]


def test_a_stroke_goes_out_before_its_ruling_and_the_score_after_it(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            client = Client()
            publish_by(client, at.desk.shown)
            await at.arm()
            client.sent.clear()
            await at.play(Fall(1, "NE"))
            names = [name for name, _ in client.sent if name in ("publish_shot", "publish_ruling", "publish_score")]
            assert names[:3] == ["publish_shot", "publish_ruling", "publish_score"]
            assert client.of("publish_score")[-1].sides[0].left == 8
            assert client.of("publish_result") == []

    run(story())


def test_a_scoreboard_goes_out_when_it_has_news_and_time_alone_is_none(tmp_path) -> None:
    """The clock is told by when it runs out; while pieces move it stands."""

    async def story() -> None:
        async with scene(tmp_path) as at:
            client = Client()
            outlet = BrokerOutlet(client, at.desk.shown)
            at.desk.shown.outlets.append(outlet)
            await at.arm()
            await at.play(Fall(1, "NE"))
            outlet.health()
            clock = client.of("publish_score")[-1].clock
            assert clock.ends == pytest.approx(at.desk.shown.unix() + clock.left, abs=0.2)
            client.sent.clear()
            outlet.health()
            outlet.changed()
            assert (client.of("publish_score"), len(client.of("publish_health"))) == ([], 1)
            await at.feed(MotionBegan(at.table.now, "striker", (0.0, -250.0), True))
            outlet.changed()
            (moving,) = client.of("publish_score")
            assert (moving.clock.running, moving.clock.ends) == (True, None)

    run(story())


def test_the_latest_rulings_stand_at_the_broker_as_they_are_now_and_name_who_sat_there_then(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            client = Client()
            outlet = BrokerOutlet(client, at.desk.shown)
            at.desk.shown.outlets.append(outlet)

            def rulings() -> list[tuple[str, str, bool]]:
                return [(one.event, one.says, one.void) for one in client.of("publish_history")[-1].rulings]

            await at.say({"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]})
            stroke = at.desk.shown.umpire.seq
            assert rulings()[-1] == ("shot", "Asha plays on", False)
            outlet.health()
            assert len(client.of("publish_history")) == 1, "nothing was ruled"
            await at.say({"event": "seats", "seats": {"south": "Ben", "north": "Asha"}})
            assert rulings()[-2] == ("shot", "Asha plays on", False)
            await at.say({"event": "correct", "seq": stroke, "with": {"event": "shot", "seat": "south"}})
            assert rulings()[-3] == ("shot", "Ben to play", False)
            last = client.of("publish_history")[-1].rulings[-3:]
            assert [one.seq for one in last] == [stroke, stroke + 1, stroke + 2]
            # A table that is started again publishes it with its first health.
            again = Client()
            BrokerOutlet(again, at.desk.shown).health()
            assert again.of("publish_history")[0].rulings == client.of("publish_history")[-1].rulings

    run(story())


@pytest.mark.parametrize(("picked", "said"), [({"fixture": "a1"}, "a1"), ({}, "")], ids=["picked", "typed"])
def test_the_result_goes_out_when_the_match_is_over_with_the_fixture_that_it_was(tmp_path, picked, said) -> None:
    position = {"turn": "south", "break_done": True, "left": {"white": 1, "black": 3}, "queen": "covered"}
    start = (
        UNDER_WAY
        | picked
        | {"position": position | {"queen_side": "south", "games": {"south": 1, "north": 0}, "score": {"south": 24}}}
    )
    few = Table([coin("white", 0.0, 0.0), *(coin("black", 60.0 * n, 120.0) for n in range(3))])

    async def story() -> None:
        async with scene(tmp_path, start, table=few) as at:
            client = Client()
            publish_by(client, at.desk.shown)
            await at.arm()
            await at.play(Fall(0, "NE"))
            (result,) = client.of("publish_result")
            assert (result.match, result.winner, result.fixture) == (at.desk.shown.match, "south", said)
            assert client.of("publish_score")[-1].fixture == said
            # A table that is started again publishes it with its first health: its broker may have lost it.
            again = Client()
            outlet = BrokerOutlet(again, at.desk.shown)
            for _ in range(2):
                outlet.health()
            assert again.of("publish_result") == [result]

    run(story())


def test_an_upheld_challenge_of_the_last_stroke_takes_the_result_back_and_not_before(tmp_path) -> None:
    end = UNDER_WAY | {"policy": {"challenges": 1, "points": 5, "boards": 0, "games": 1}}
    end |= {"position": end["position"] | {"left": {"white": 1, "black": 3}, "queen": "covered", "queen_side": "south"}}

    async def story() -> None:
        async with scene(tmp_path, end) as at:
            client = Client()
            publish_by(client, at.desk.shown)
            stroke = {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]}
            await at.say(stroke)
            await at.say({"event": "challenge", "seat": "north", "stroke": 2, "about": "count"})
            await at.say({"event": "correct", "seq": 2, "with": stroke | {"pocketed": []}})
            assert not at.desk.umpire.latest["match_over"]
            assert ([one.winner for one in client.of("publish_result")], client.of("clear_result")) == (
                ["south"] * 2,
                [],
            )
            await at.say({"event": "verdict", "challenge": 3, "result": "rejected"})
            assert {*client.of("clear_result")} == {at.desk.shown.match}
            assert len(client.of("publish_result")) == 2

    run(story())


def panel(
    pins: SimulatedPins, now: list[int], act=lambda event: None, state: str = "playing", sees=lambda: True
) -> PanelOutlet:
    settings = PanelSection(kind="rpi", lamp=LAMP, buttons={"stop": STOP, "play": STOP + 1})
    return PanelOutlet(settings, "", lambda: now[0], lambda: {"state": state, "turn": "south"}, act, pins, sees)


@pytest.mark.parametrize("camera", [True, False], ids=["camera", "no camera"])
def test_a_foul_lights_the_lamp_once_the_board_is_still_or_nothing_sees_it(camera: bool) -> None:
    lit = threading.Event()

    class Pins(SimulatedPins):
        def write(self, line, high):
            super().write(line, high)
            if line == LAMP and high:
                lit.set()

    outlet = panel(Pins(), [1000 * MS], sees=lambda: camera)
    outlet.panel.start()
    try:
        outlet.health()
        if camera:
            outlet.board(Lying(0.0, (), moving=False))
        outlet.alert(Alert("foul", "ask", "to confirm", 0.0), standing=False)
        outlet.alert(Alert("foul", "foul", "one line only", 0.0, "icf-130a", "south"), standing=False)
        assert lit.wait(60)
    finally:
        outlet.panel.stop()


def test_a_button_is_an_umpires_word() -> None:
    said: list[dict[str, Any]] = []
    heard = threading.Event()

    def act(event):
        said.append(event)
        heard.set()

    now, pins = [1000 * MS], SimulatedPins()
    outlet = panel(pins, now, act)
    outlet.panel.start()
    try:
        looked = threading.Event()
        read = pins.read

        def reading():
            # Each look at the pins is 20 ms later than the one before.
            now[0] += 20 * MS
            looked.set()
            return read()

        pins.read = reading
        assert looked.wait(60)
        pins.hold(STOP)
        assert heard.wait(60)
        while now[0] < 5000 * MS:
            looked.clear()
            assert looked.wait(60)
    finally:
        outlet.panel.stop()
    assert said == [{"event": "pause"}], "held for long it is one word all the same"


@pytest.mark.parametrize(
    ("button", "state", "event"),
    [
        ("stop", "playing", {"event": "pause"}),
        ("play", "paused", {"event": "resume"}),
        ("play", "playing", {"event": "play"}),
        ("next", "board_over", {"event": "next_board"}),
        ("timeout", "playing", {"event": "timeout", "seat": "south"}),
    ],
)
def test_what_the_buttons_say(button, state, event) -> None:
    assert BUTTONS[button]({"state": state, "turn": "south"}) == event


def test_a_button_that_says_nothing_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"panel\.buttons\.sirene: no such button. Fix: use stop, play"):
        PanelOutlet(PanelSection(kind="rpi", buttons={"sirene": 4}), "", lambda: 0, dict, print, SimulatedPins())


def test_an_outlet_that_raises_is_a_fault_until_it_is_told_again(tmp_path, caplog) -> None:
    class Broken(HeardByEverybody):
        whole = False

        def __init__(self) -> None:
            super().__init__(Heard())
            self.health = self._health

        def _health(self) -> None:
            if not self.whole:
                raise ValueError("no words")

    async def story() -> None:
        async with scene(tmp_path) as at:
            broken = Broken()
            at.desk.shown.outlets.append(broken)
            for _ in range(3):
                at.desk.shown.measured(disk_free_bytes=10**9)
            (alert,) = at.heard.alerts("outlet-Broken")
            assert alert.level == "fault"
            assert "Broken could not be told of health: ValueError: no words" in alert.says
            assert alert.says in at.desk.shown.health_payload().says
            assert at.heard.of("health"), "the others are told all the same"
            broken.whole = True
            at.desk.shown.measured(disk_free_bytes=10**9)
            at.desk.shown.measured(disk_free_bytes=10**9)
            assert "outlet-Broken" in at.heard.of("resolved")

    run(story())
    assert caplog.text.count("Broken could not be told of health") == 1
