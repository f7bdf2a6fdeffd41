"""The simulated umpire at the real pages: it leaves to a person what a person is there to decide."""

from __future__ import annotations

import pytest

from controller.commands.demo import official
from controller.commands.demo.official import THERE_S, Official
from controller.commands.demo.persons import Persons
from controller.commands.demo.report import summary
from controller.commands.demo.tally import Tally
from controller.journal.journal import Journal
from controller.web import Feed, WebServer, create_app
from tests.web.client import Client

pytestmark = pytest.mark.live
EMPTY = {"owed": {}, "score": {}, "games": {}, "board": {"number": 1, "over": False}}


@pytest.fixture
def simulated(client, monkeypatch):
    monkeypatch.setattr(official, "LOOK_S", 0.0)
    one = Official(f"http://127.0.0.1:{client.port}", "4711")
    one.act({"event": "pause"})
    return one


def test_with_nobody_at_the_console_it_decides_itself(simulated, client):
    assert not simulated.leaves_it()
    next(Client(client.port).stream())  # a spectator is no umpire
    assert not simulated.leaves_it()


def test_while_a_person_is_at_the_console_it_leaves_what_is_asked_to_them(simulated, client, table, clock):
    person = Client(client.port)
    person.login()
    assert simulated.leaves_it()
    table.state |= {"asks": [], "flags": []}
    table.feed.push("state")
    assert not simulated.leaves_it(), "nothing waits for them"


def test_a_person_who_has_gone_is_not_waited_for(simulated, client, clock):
    person = Client(client.port)
    person.login()
    clock[0] += THERE_S + 1
    assert not simulated.leaves_it()
    assert person.get("/me").json["umpire"]
    assert simulated.leaves_it()
    person.post("/logout", {})
    assert not simulated.leaves_it()


@pytest.mark.parametrize("source", ["umpire:web:0badc0de", "umpire:mqtt:call-7", "umpire:panel"])
def test_once_a_person_has_acted_by_whichever_way_it_never_acts_again(client, table, tmp_path, source):
    with Journal(tmp_path / "journal.sqlite") as journal:

        def written(source):
            seq = journal.last_event("m") + 1
            journal.append("m", seq, {"event": "set"}, {"seq": seq}, 1.0, source)

        written("configuration")
        written("eyes")
        simulated = Official(
            f"http://127.0.0.1:{client.port}", "4711", overruled=Persons(tmp_path / "journal.sqlite").acted
        )
        assert simulated.act({"event": "pause"}) == table.answer
        written(f"umpire:{table.acted[-1][1]}")
        assert simulated.act({"event": "resume"}) == table.answer, "what stands there is its own"
        assert not simulated.has_stepped_back()
        written(source)
        written("eyes")
        assert simulated.has_stepped_back()
        assert "error" in simulated.set_to({"left": {}, "queen": "board", "turn": "south"} | EMPTY, "the truth")
        assert [event["event"] for event, _ in table.acted] == ["pause", "resume"]
        assert simulated.has_stepped_back(), "for good"


def test_a_person_who_was_there_before_it_ever_acted_is_waited_for_too(client):
    person = Client(client.port)
    person.login()
    assert Official(f"http://127.0.0.1:{client.port}", "4711").leaves_it()


def test_a_table_that_lost_its_power_is_waited_for(table):
    first = WebServer(create_app(table), table.feed, "127.0.0.1", 0)
    port = first.start()
    first.stop()
    back = []

    def comes_back(_seconds: float) -> None:
        table.feed = Feed()
        back.append(WebServer(create_app(table), table.feed, "127.0.0.1", port))
        back[0].start()

    try:
        simulated = Official(f"http://127.0.0.1:{port}", "4711", sleep=comes_back)
        assert simulated.act({"event": "pause"}) == table.answer
        assert [event for event, _ in table.acted] == [{"event": "pause"}]
    finally:
        for server in back:
            server.stop()


def test_the_summary_is_in_plain_words():
    says = summary(Tally(), {"score": {"south": 3}}, {"sides": [{"name": "south", "points": 3}]}, stopped=True)
    assert "0 strokes were played until you stopped it" in says
    assert "Nothing went wrong without being noticed." in says
    assert "so it really stands" in says
