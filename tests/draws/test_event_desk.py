"""The desk of drawn events: each act is tried, done, published and undone; what has been played stays."""

from __future__ import annotations

import base64
import json
from itertools import count

import pytest

from controller.commands.draw.desk import EventDesk
from controller.commands.draw.files import FilesError
from controller.commands.draw.page import Events
from controller.events.errors import DeviceError, EventError, UnreadableError
from controller.hub.fixtures import fixtures_from
from controller.mqtt.topics import POOL


class Desk:
    """A secretary with one event, on tables whose topics keep what is published."""

    def __init__(self, folder, system="knockout", size=None, name="Open", players=()):
        self.folder, self.stood, self.results, self.reached, self.playing = folder, {}, [], True, set()
        self.desk = EventDesk(folder, self._publish)
        self.events = Events(folder)
        self.event = self.desk.act({"what": "new", "name": name, "system": system, "size": size}, [], ())["event"]
        for player in players:
            self.does("entry", cells={"name": player})

    def _publish(self, made):
        if not self.reached:
            raise DeviceError("the broker cannot be reached. Fix: start it")
        self.stood |= made(self.stood)

    @property
    def listed(self):
        return {place: fixtures_from(place, payload) for place, payload in self.stood.items()}

    @property
    def seen(self):
        return self.desk.shown(self.event, self.results, self.listed)

    @property
    def shown(self):
        return next(one for one in self.events(self.results) if one["id"] == self.event)

    def does(self, what, **more):
        return self.desk.act(
            {"event": self.event, "version": self.seen["version"], "what": what} | more, self.results, self.playing
        )

    def tries(self, what, **more):
        return self.does(what, preview=True, **more)

    def number(self, name):
        return next(number for number, one in enumerate(self.seen["entries"]) if one["name"] == name)

    def pool(self):
        return {one.id: list(one.seats.values()) for one in self.listed.get(POOL, ())}

    def plays(self, match, won=0):
        """A match that was played, as the hub exports it."""
        south, north = (self.pool() | self.named())[match]
        row = {"event": "Open", "id": match, "side 1": south, "side 2": north, "winner": (south, north)[won]}
        self.results.append(row | {"points 1": 25, "points 2": 5, "round": ""})

    def named(self):
        shown = self.shown
        matches = [one for some in shown["tree"] for one in some if one]
        matches += [one for some in shown["lists"] for one in some["matches"]]
        return {one["id"]: [side["text"] for side in one["sides"]] for one in matches}


EIGHT = ["Asha", "Ben", "Chitra", "Dev", "Eve", "Fay", "Gil", "Hari"]


@pytest.fixture
def eight(tmp_path):
    return Desk(tmp_path, players=EIGHT)


def test_an_event_goes_from_its_entries_over_its_draw_to_its_prizes(eight):
    before = eight.seen
    assert (before["comes"], before["drawn"], [one["there"] for one in before["entries"]]) == (
        "draw",
        False,
        ["here"] * 8,
    )
    trial = eight.tries("draw")
    assert (len(trial["new"]), trial["gone"], trial["says"]) == (7, [], [])
    assert eight.stood == {}
    assert eight.seen == before
    eight.does("draw")
    assert sorted(eight.pool()) == sorted(trial["new"])
    assert {
        one["id"]: [side["text"] for side in one["sides"]] for some in trial["shown"]["tree"] for one in some if one
    }["QF1"] == eight.pool()["QF1"]
    assert (eight.seen["published"], eight.seen["comes"]) == (True, "")
    for match in ("QF1", "QF2", "QF3", "QF4", "SF1", "SF2", "F"):
        assert eight.shown["prizes"] == []
        eight.plays(match)
    (prizes,) = eight.shown["prizes"]
    winner, second = eight.named()["F"]
    assert [(one["place"], one["name"]) for one in prizes["rows"]][:2] == [(1, winner), (2, second)]
    assert [one["place"] for one in prizes["rows"]] == [1, 2, 3, 3]


def test_a_seed_that_is_drawn_for_a_preview_stays_and_cannot_be_taken_back(tmp_path):
    desk = Desk(tmp_path, players=EIGHT)
    file = tmp_path / "open" / "event.toml"
    file.write_text("\n".join(line for line in file.read_text().splitlines() if "seed" not in line) + "\n")
    first = desk.tries("draw")
    assert desk.tries("draw")["shown"]["seed"] == first["shown"]["seed"]
    assert desk.seen["undo"] is None
    with pytest.raises(EventError, match="nothing to undo"):
        desk.does("undo")
    desk.does("draw")
    desk.does("undo")
    assert (desk.seen["drawn"], desk.pool(), desk.tries("draw")["shown"]["tree"]) == (False, {}, first["shown"]["tree"])


def test_a_swiss_event_draws_round_after_round_and_takes_who_comes_late(tmp_path):
    desk = Desk(tmp_path, "swiss", 3, players=EIGHT[:6])
    desk.does("state", number=desk.number("Fay"), to="late")
    desk.does("draw")
    assert sorted(desk.pool()) == ["1-1", "1-2"]
    with pytest.raises(FilesError, match="no result of 1-1, 1-2"):
        desk.tries("next")
    desk.plays("1-1")
    desk.plays("1-2")
    assert [one["there"] for one in desk.seen["entries"]].count("late") == 1
    desk.does("state", number=desk.number("Fay"), to="here")
    desk.does("entry", cells={"name": "Gil"})
    assert [one["cells"].get("state") for one in desk.seen["entries"]][-2:] == ["late 2", "late 2"]
    trial = desk.tries("next")
    assert (trial["new"], trial["says"]) == (["2-1", "2-2", "2-3"], [])
    desk.does("next")
    assert {"Fay", "Gil"} & {name for sides in desk.pool().values() for name in sides}
    desk.does("undo")
    assert sorted(desk.pool()) == ["1-1", "1-2"]


def test_after_its_rounds_a_swiss_event_may_go_on_as_a_knock_out(tmp_path):
    desk = Desk(tmp_path, "swiss", 1, players=EIGHT[:4])
    with pytest.raises(FilesError, match="does not say how many go on"):
        desk.does("terms", text=f'{desk.seen["terms"]}then = "knockout"\n')
    desk.does("terms", text=f'{desk.seen["terms"]}then = "knockout"\nqualify = 2\n')
    desk.does("draw")
    desk.plays("1-1")
    desk.plays("1-2")
    assert (desk.seen["comes"], desk.seen["takes"]) == ("next", True)
    desk.does("next")
    assert (desk.seen["comes"], desk.seen["takes"]) == ("", False)
    (standings,) = desk.shown["standings"]
    assert sorted(desk.pool()["F"]) == sorted(one["name"] for one in standings["rows"][:2])
    desk.plays("F", 1)
    (prizes,) = desk.shown["prizes"]
    assert [one["name"] for one in prizes["rows"]] == desk.named()["F"][::-1]


def test_who_withdraws_gives_what_is_open_and_may_come_back(eight):
    eight.does("draw")
    south, north = eight.pool()["QF1"]
    trial = eight.tries("state", number=eight.number(south), to="withdrawn")
    assert trial["left"] == [{"id": "QF1", "who": north, "off": False}]
    eight.does("state", number=eight.number(south), to="withdrawn")
    assert eight.events.withdrawn()["open"].leaves("QF", [[south], [north]]) == 1
    assert eight.seen["entries"][eight.number(south)]["there"] == "withdrawn"
    assert eight.seen["undo"] == {"what": "state", "about": south}
    eight.does("state", number=eight.number(south), to="here")
    assert eight.events.withdrawn()["open"].leaves("QF", [[south], [north]]) is None


def test_what_counts_in_a_group_is_not_played_by_who_has_left(tmp_path):
    desk = Desk(tmp_path, "round_robin", players=EIGHT[:3])
    desk.does("draw")
    trial = desk.tries("state", number=0, to="withdrawn")
    assert [one["off"] for one in trial["left"]] == [True, True]
    assert desk.events.withdrawn()["open"].leaves("1", [["Ben"], ["Chitra"]]) is None


@pytest.mark.parametrize(("played", "there"), [(True, "withdrawn 2"), (False, "withdrawn")])
def test_who_has_played_the_last_round_of_a_swiss_event_leaves_after_it(tmp_path, played, there):
    desk = Desk(tmp_path, "swiss", 3, players=EIGHT[:4])
    desk.does("draw")
    if played:
        desk.plays("1-1")
    name = desk.pool()["1-1"][0]
    desk.does("state", number=desk.number(name), to="withdrawn")
    assert desk.seen["entries"][desk.number(name)]["cells"]["state"] == there
    assert desk.events.withdrawn()["open"].leaves("1", desk_sides(desk, "1-1")) == (None if played else 1)


def desk_sides(desk, match):
    return [[name] for name in desk.pool()[match]]


def test_two_entries_change_places_until_one_of_them_has_played(eight):
    eight.does("draw")
    before = eight.pool()
    one, other = before["QF1"][0], before["QF4"][1]
    swap = {"number": eight.number(one), "other": eight.number(other)}
    trial = eight.tries("swap", **swap)
    assert sorted(trial["changed"]) == ["QF1", "QF4"]
    eight.does("swap", **swap)
    assert (eight.pool()["QF1"][0], eight.pool()["QF4"][1]) == (other, one)
    eight.playing = {"qf1"}
    with pytest.raises(EventError, match="QF1 is under way"):
        eight.does("undo")
    eight.playing = set()
    eight.does("undo")
    assert eight.pool() == before
    eight.plays("QF1")
    with pytest.raises(FilesError, match=r"QF1 is played\. Fix: swap who has not played yet"):
        eight.does("swap", **swap)


def test_a_swap_that_breaks_a_rule_of_the_draw_is_shown_as_that_and_may_be_done(tmp_path):
    desk = Desk(tmp_path, players=EIGHT)
    for number in range(2):
        desk.does("entry", number=number, cells={"name": EIGHT[number], "seeding": str(number + 1)})
    desk.does("draw")
    beside = next(one for sides in desk.pool().values() for one in sides if "Asha" in sides and one != "Asha")
    trial = desk.tries("swap", number=desk.number("Ben"), other=desk.number(beside))
    assert any("seed" in line for line in trial["says"]), trial["says"]
    desk.does("swap", number=desk.number("Ben"), other=desk.number(beside))


def test_what_has_been_played_is_neither_drawn_anew_nor_undone(eight):
    eight.does("draw")
    eight.plays("QF1")
    with pytest.raises((EventError, FilesError), match="QF1"):
        eight.does("undo")
    for what, more in (("remove", {"number": 0}), ("terms", {"text": 'name = "X"'}), ("draw", {}), ("check_in", {})):
        with pytest.raises(EventError, match=r"it is drawn\. Fix: undo the draw first"):
            eight.does(what, **more)
    with pytest.raises(EventError, match="knockout takes nobody once it is drawn"):
        eight.does("entry", cells={"name": "Ira"})
    with pytest.raises(EventError, match="nothing comes next"):
        eight.does("next")


def test_a_name_is_corrected_in_the_draw_too_until_it_has_played(eight):
    eight.does("draw")
    one, other = eight.pool()["QF1"]
    eight.does("entry", number=eight.number(one), cells={"name": f"{one} Rao", "club": "Pune"})
    assert eight.pool()["QF1"] == [f"{one} Rao", other]
    assert eight.seen["entries"][eight.number(f"{one} Rao")]["cells"]["club"] == "Pune"
    eight.plays("QF1")
    with pytest.raises(EventError, match=f"{other} has played already"):
        eight.does("entry", number=eight.number(other), cells={"name": "Nobody"})
    eight.does("entry", number=eight.number(other), cells={"name": other, "club": "Delhi"})


def test_the_other_desk_is_told_what_it_has_not_seen(eight):
    old = eight.seen["version"]
    eight.does("check_in")
    assert {one["there"] for one in eight.seen["entries"]} == {"late"}
    with pytest.raises(EventError, match="another desk has changed this event"):
        eight.desk.act({"event": "open", "version": old, "what": "draw"}, [], ())
    assert eight.seen["drawn"] is False


def test_other_events_keep_what_they_have_published(tmp_path):
    one = Desk(tmp_path, players=EIGHT)
    one.does("draw")
    other = Desk(tmp_path, name="Youth", players=EIGHT[:2])
    other.stood = one.stood
    other.does("draw")
    assert len(one.listed[POOL]) == 8
    assert {fixture.event for fixture in one.listed[POOL]} == {"Open", "Youth"}
    other.does("undo")
    assert {fixture.event for fixture in one.listed[POOL]} == {"Open"}


def test_what_the_broker_did_not_take_is_published_later(eight):
    eight.reached = False
    with pytest.raises(DeviceError):
        eight.does("draw")
    assert (eight.seen["drawn"], eight.seen["published"]) == (True, False)
    eight.reached = True
    eight.does("publish")
    assert (eight.seen["published"], len(eight.pool())) == (True, 7)


def test_the_list_may_come_as_a_sheet_and_its_mistakes_are_all_named(eight):
    def sent(text):
        return base64.b64encode(text.encode()).decode()

    eight.does("sheet", base64=sent("name;club\nIra;Pune\nJai;Goa\n"))
    assert [one["cells"] for one in eight.seen["entries"]] == [
        {"name": "Ira", "club": "Pune"},
        {"name": "Jai", "club": "Goa"},
    ]
    with pytest.raises(FilesError) as refused:
        eight.does("sheet", base64=sent("name,seeding\nIra,1\nira,1\n"))
    assert [line.split(" ")[0] for line in refused.value.lines] == ["entries.csv:3:", "entries.csv:3:"]
    for base, error in (("no", UnreadableError), (sent("\0"), EventError)):
        with pytest.raises(error):
            eight.does("sheet", base64=base)


def test_what_somebody_typed_wrong_into_a_file_is_put_right_at_the_desk(eight):
    file = eight.folder / "open" / "entries.csv"
    file.write_text("name\nAsha\nasha\nBen\nben\n")
    seen = eight.seen
    assert (len(seen["says"]), seen["undo"], [one["cells"]["name"] for one in seen["entries"]]) == (
        2,
        None,
        ["Asha", "asha", "Ben", "ben"],
    )
    assert eight.tries("remove", number=3).keys() == {"event", "version"}
    eight.does("remove", number=3)
    eight.does("entry", number=1, cells={"name": "Dev"})
    assert ([one["name"] for one in eight.seen["entries"]], eight.seen["says"]) == (["Asha", "Dev", "Ben"], [])


def test_an_act_that_was_cut_off_is_done_by_whoever_reads_next(eight, monkeypatch):
    from controller.commands.draw import kept

    drawn = eight.tries("draw")["shown"]["tree"]
    write = kept.write_whole
    for cut in count(1):
        calls = count(1)

        def until(path, body, cut=cut, calls=calls):
            if next(calls) > cut:
                raise DeviceError("cut off")
            write(path, body)

        monkeypatch.setattr(kept, "write_whole", until)
        try:
            eight.does("draw")
        except DeviceError:
            monkeypatch.setattr(kept, "write_whole", write)
            assert eight.seen["drawn"] is True
            assert eight.shown["tree"] == drawn
            eight.does("undo")
            assert eight.seen["drawn"] is False
            continue
        break
    assert cut == 4


@pytest.mark.parametrize(
    "body",
    [
        {"what": "none"},
        {"what": "entry", "cells": "Asha"},
        {"what": "entry", "cells": {"name": 7}},
        {"what": "entry", "cells": {"name": "A"}, "number": 99},
        {"what": "remove", "number": True},
        {"what": "state", "number": 0, "to": "gone"},
        {"what": "terms", "text": 7},
        {"event": "..", "what": "draw"},
        {"event": 7, "what": "draw"},
        {"what": "new", "name": "X", "system": "ladder"},
        {"what": "new", "name": 7, "system": "swiss"},
    ],
)
def test_what_is_no_act_is_refused(eight, body):
    with pytest.raises(UnreadableError):
        eight.desk.act({"event": "open", "version": eight.seen["version"]} | json.loads(json.dumps(body)), [], ())


def test_a_new_event_is_refused_whose_name_or_size_cannot_be(tmp_path):
    desk = Desk(tmp_path)
    for body in (
        {"name": "open", "system": "swiss", "size": 3},
        {"name": "", "system": "double"},
        {"name": "New", "system": "swiss"},
    ):
        with pytest.raises((EventError, FilesError)):
            desk.desk.act({"what": "new"} | body, [], ())
    assert [one.name for one in tmp_path.iterdir()] == ["open"]


def test_a_history_that_cannot_be_read_says_which_file(eight):
    eight.does("check_in")
    last = sorted((eight.folder / "open" / ".before").glob("0*.json"))[-1]
    last.write_text("{")
    (says,) = eight.seen["says"]
    assert f"{last.name}: " in says
    assert "Fix: take this file away" in says
