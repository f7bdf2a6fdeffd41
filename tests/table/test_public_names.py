"""Players as initials or seats in whatever everybody may see; the umpire and the journal keep the names."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from controller.config import load_config
from controller.mqtt.payloads import Fixture
from controller.mqtt.scoreboard import MatchInfo
from controller.table.outlets.broker import publish_by
from controller.table.outlets.pages import DeskView
from controller.table.public.names import PublicNames, initials
from tests.table.kit import Scene, run, scene
from tests.table.test_public import Client

START = {
    "event": "start",
    "book": "icf",
    "seats": {"south": "Zarathustra Quill", "north": "Xenia Vane"},
    "first": "south",
    "policy": {"points": 5, "games": 1},
    "position": {"left": {"white": 2, "black": 3}, "break_done": True, "queen": "covered", "queen_side": "south"},
    "reason": "Quill asked for it",
}
TRACES = ("zarathustra", "quill", "xenia", "vane")


def traces(told: object) -> list[str]:
    text = json.dumps(told, ensure_ascii=False).lower()
    return [trace for trace in TRACES if trace in text]


async def whole_match(at: Scene) -> None:
    """Everything that is said of a match: strokes by hand, a call, a correction, an error, the end."""
    piece = {"piece": "white", "pocket": "NE"}
    await at.say(START)
    await at.say({"event": "shot", "seat": "south", "pocketed": [piece], "reason": "Xenia Vane saw it"})
    await at.say({"event": "call", "clause": "icf-30", "seat": "south", "reason": "Zarathustra was told twice"})
    await at.say({"event": "shot", "seat": "north"})
    await at.say({"event": "correct", "seq": 4, "with": {"event": "shot", "seat": "north"}, "reason": "VANE says so"})
    await at.say({"event": "override", "seq": 4, "set": {"turn": "south"}, "reason": "Quill"})
    await at.say({"event": "seats", "seats": {"south": "Quill Quill"}})
    over = await at.say({"event": "call", "action": "forfeit", "seat": "north", "reason": "Vane left"})
    assert over["match_over"], over


def page(at: Scene, *, umpire: bool) -> dict:
    return DeskView(at.desk, None, lambda: None).snapshot(umpire).plain()


@pytest.mark.parametrize(
    ("mode", "called"),
    [("initials", {"south": "Z. Q.", "north": "X. V."}), ("seats", {"south": "South", "north": "North"})],
)
def test_nobody_is_named_to_everybody_from_the_start_to_the_result(tmp_path, mode, called) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            at.desk.shown.names = replace(at.desk.shown.names, players=PublicNames(mode))
            client = Client()
            publish_by(client, at.desk.shown)
            await whole_match(at)
            named = [(name, traces(body)) for name, body in client.everybody if traces(body)]
            assert named == []
            kinds = {name for name, _ in client.everybody}
            assert {"publish_shot", "publish_ruling", "publish_score", "publish_result"} <= kinds
            score = next(body for name, body in reversed(client.everybody) if name == "publish_score")
            assert {seat: name for side in score["sides"] for seat, name in side["seats"].items()} == called
            assert called["south"] in score["last"]["says"], "the sentence goes on saying who"
            everybody, umpire = page(at, umpire=False), page(at, umpire=True)
            assert traces(everybody) == []
            assert {"zarathustra", "quill", "xenia", "vane"} == set(traces(umpire))
            assert traces([entry.event for entry in at.journal.events(at.desk.shown.match)]) == list(TRACES)

    run(story())


def test_by_default_everybody_sees_the_names(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            client = Client()
            publish_by(client, at.desk.shown)
            await whole_match(at)
            assert set(traces(client.everybody)) == set(TRACES)
            assert page(at, umpire=False)["score"]["sides"][0]["seats"] == {"south": "Zarathustra Quill"}

    run(story())


def test_an_alert_that_names_somebody_does_not_name_him_to_everybody(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            at.desk.shown.names = replace(at.desk.shown.names, players=PublicNames("seats"))
            client = Client()
            publish_by(client, at.desk.shown)
            await at.say(START)
            at.desk.shown.alert("told", "info", "pieces of Xenia Vane jumped")
            assert client.everybody[-1][1]["says"] == "pieces of North jumped"

    run(story())


def test_the_clubs_fixtures_name_nobody_to_everybody(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            view = DeskView(at.desk, None, lambda: None)
            over = Fixture({"south": "A", "north": "B"}, over=True)
            view.published = lambda: (Fixture({"south": "Xenia Vane", "north": "B"}), over)
            assert len(view.fixtures(umpire=False)) == 1
            at.desk.shown.names = replace(at.desk.shown.names, players=PublicNames("initials"))
            assert view.fixtures(umpire=False) == []
            assert len(view.fixtures(umpire=True)) == 1

    run(story())


def test_initials_of_any_script_and_never_two_alike() -> None:
    assert initials("Asha Patil") == "A. P."
    assert initials("किरण देशमुख") == "कि. दे."
    assert initials("(Bén) de la Cruz y Soto") == "B. D. L."
    assert initials("★") == ""
    info = MatchInfo(
        "t", "m", "icf", {"south": {"south": "Asha Patil", "west": "Amit Pal"}, "north": {"north": "★", "east": "Ben"}}
    )
    called = PublicNames("initials").info(info).sides
    assert called == {
        "south": {"south": "A. P. (south)", "west": "A. P. (west)"},
        "north": {"north": "North", "east": "B."},
    }


def test_words_of_the_program_stay_whatever_somebody_is_called() -> None:
    info = MatchInfo("t", "m", "icf", {"south": {"south": "white"}, "north": {"north": "Ann"}})
    body = {"piece": "white", "says": "white plays on; Anna and Ann wait", "notes": ["Ann shouted"], "n": 1}
    assert PublicNames("seats").hide(body, info) == {
        "piece": "white",
        "says": "South plays on; Anna and North wait",
        "notes": [],
        "n": 1,
    }


def test_it_is_an_option_of_the_table(tmp_path) -> None:
    file = tmp_path / "carrom.toml"
    file.write_text('[table]\nplayers_shown = "initials"\n')
    assert load_config(file).table.players_shown == "initials"
