"""The director: order of time, decisions that hold the table, scripted outcomes, faults that are what they say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.match import Shot, Start
from controller.rules.shelf import load_books
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.happenings import BeamChange, Decision, FrameDue, TrueRuling
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER, pieces_of
from controller.simulator.scenario import SCENARIOS, Scenario
from controller.simulator.tour import TOUR
from controller.simulator.umpire import TrueUmpire
from tests.simulator.plain_umpire import PlainUmpire

START = Start("icf", {"south": "Asha", "north": "Ben"}, "south")


def played(scenario: Scenario, strokes: int, seed: int = 3, umpire: PlainUmpire | None = None):
    """Plays until the last of `strokes` has been ruled on; decisions are released at once."""
    table = SimulatedTable(
        Setting(START, scenario=scenario, seed=seed, pieces=pieces_of(DEFAULT_BOARD)), umpire or PlainUmpire()
    )
    found = []
    for happening in table.play():
        found.append(happening)
        if isinstance(happening, Decision):
            happening.release()
            if happening.kind == "ruling" and happening.stroke >= strokes:
                return table, found
    return table, found


def rulings(found) -> list[Decision]:
    return [h for h in found if isinstance(h, Decision) and h.kind == "ruling"]


@dataclass(frozen=True)
class Toured:
    """What happened in the tour's first strokes, and the seats whose arms were there as the question's piece fell."""

    found: tuple[object, ...]
    hid: frozenset[str]


@pytest.fixture(scope="module")
def toured() -> Toured:
    table = SimulatedTable(
        Setting(START, scenario=SCENARIOS["tour"], seed=3, pieces=pieces_of(DEFAULT_BOARD)), PlainUmpire()
    )
    found, hid = [], frozenset[str]()
    for happening in table.play():
        found.append(happening)
        if isinstance(happening, Decision):
            happening.release()
            if happening.goal == "question" and not hid:
                (fallen,) = happening.shot.pocketed
                hid = frozenset(arm.seat for arm in table.reel.scene(fallen.t).arms)
            if happening.kind == "ruling" and happening.stroke >= 18:
                break
    return Toured(tuple(found), hid)


def test_the_tour_shows_what_it_promises(toured: Toured) -> None:
    found = toured.found
    goals = [d.goal for d in rulings(found) if d.goal]
    # In the tour's order; one or another may find no position that offers it.
    order = iter(goal.name for goal in TOUR)
    assert all(goal in order for goal in goals)
    assert {"break", "own coin", "striker pocketed", "question", "miss", "queen", "cover"} <= set(goals)
    by_goal = {d.goal: d for d in rulings(found)}
    assert [p.piece for p in by_goal["queen"].shot.pocketed] == ["queen"]
    assert [p.piece for p in by_goal["striker pocketed"].shot.pocketed] == ["striker"]
    assert by_goal["striker pocketed"].ruling.dues
    question = by_goal["question"]
    assert question.slip
    corrections = [h for h in found if isinstance(h, Decision) and h.kind == "correct"]
    assert [c.stroke for c in corrections] == [question.stroke]
    assert corrections[0].shot == question.shot


def test_the_question_is_hidden_from_beams_and_camera(toured: Toured) -> None:
    question = next(d for d in rulings(toured.found) if d.goal == "question")
    (fallen,) = question.shot.pocketed
    near = [h for h in toured.found if isinstance(h, BeamChange) and abs(h.t_s - fallen.t) < 0.5]
    assert near == []
    assert toured.hid - {question.shot.seat}


def test_time_never_goes_back_and_frames_come_regularly() -> None:
    _, found = played(SCENARIOS["clean"], 12)
    timed = [h.t_s for h in found if isinstance(h, FrameDue | BeamChange)]
    assert timed == sorted(timed)
    frames = [h for h in found if isinstance(h, FrameDue)]
    assert [f.number for f in frames] == list(range(len(frames)))
    assert all(f.t_s == pytest.approx(f.number / 30) for f in frames)


def test_every_fall_breaks_both_beams_of_its_pocket_once() -> None:
    _, found = played(SCENARIOS["clean"], 30, seed=5)
    falls = [p for d in rulings(found) for p in d.shot.pocketed]
    assert len(falls) > 5
    for fall in falls:
        near = [h for h in found if isinstance(h, BeamChange) and 0 < h.t_s - fall.t < 0.25 and h.pocket == fall.pocket]
        assert {(h.beam, h.blocked) for h in near} == {(b, on) for b in ("upper", "lower") for on in (True, False)}


def test_a_decision_holds_the_table_while_pictures_go_on() -> None:
    table = SimulatedTable(Setting(START, seed=3, pieces=pieces_of(DEFAULT_BOARD)), PlainUmpire())
    held = None
    frames = 0
    for happening in table.play():
        if isinstance(happening, Decision):
            held = happening
        elif held is not None:
            assert isinstance(happening, FrameDue)
            frames += 1
            if frames == 20:
                assert table.strokes == 1
                held.release()
            if frames > 20:
                break
    assert frames > 20


@pytest.mark.long
def test_dues_and_returned_pieces_are_put_where_the_ruling_says() -> None:
    scenario = Scenario("own", outcomes={"striker pocketed": 1.0})
    umpire = PlainUmpire()
    table, found = played(scenario, 25, seed=1, umpire=umpire)
    paid = [d for d in rulings(found) if d.ruling.dues]
    assert paid
    counts = Counter(table.setting.pieces.piece(name) for name in table.lying)
    # The last stroke's own placing is still to come.
    last = rulings(found)[-1].ruling
    for colour in ("white", "black"):
        waiting = sum(1 for due in last.dues if umpire.colour(due.side) == colour)
        assert counts[colour] == umpire.left[colour] - waiting
    assert STRIKER not in table.lying


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "holds"),
    [
        ("one_line", lambda shot: shot.placement.lines == "one"),
        ("cut_circle", lambda shot: shot.placement.circle == "partial"),
        ("arrow", lambda shot: shot.placement.arrow is True),
        ("touching", lambda shot: shot.placement.touching is True),
        ("push", lambda shot: shot.flags == ("push",)),
        ("two_hands", lambda shot: shot.flags == ("two_hands",)),
        ("hand_touched_piece", lambda shot: shot.flags[:1] == ("piece_moved_before",)),
        ("backward", lambda shot: shot.heading == "backward"),
        ("leap", lambda shot: len(shot.off_board) == 1),
    ],
)
def test_players_faults_really_happen(fault, holds) -> None:
    _, found = played(Scenario("own", {fault: 0.7}, outcomes={}), 30, seed=2)
    strokes = rulings(found)
    with_fault = [d for d in strokes if fault in d.faults]
    assert with_fault
    assert all(holds(d.shot) for d in with_fault)
    assert not any(holds(d.shot) for d in strokes if fault not in d.faults)


@pytest.mark.long
def test_a_forgotten_due_waits_for_somebody_to_say_so() -> None:
    scenario = Scenario("own", {"due_forgotten": 1.0}, outcomes={})
    _, found = played(scenario, 25, seed=1)
    missing = [h for h in found if isinstance(h, Decision) and h.kind == "missing"]
    dues = sum(due.pieces for d in rulings(found)[:-1] for due in d.ruling.dues)
    assert dues > 0
    assert len(missing) == dues


def test_out_of_turn() -> None:
    umpire = PlainUmpire()
    turns = []
    table = SimulatedTable(
        Setting(START, scenario=Scenario("own", {"out_of_turn": 0.5}), seed=3, pieces=pieces_of(DEFAULT_BOARD)), umpire
    )
    for happening in table.play():
        if isinstance(happening, Decision):
            happening.release()
            if happening.kind == "ruling":
                turns.append((happening.shot.seat != happening.ruling.seat, "out_of_turn" in happening.faults))
                if len(turns) == 15:
                    break
    assert {flag for _, flag in turns} == {True, False}
    assert all(other == flag for other, flag in turns)


def test_sensor_faults_touch_only_what_is_sensed() -> None:
    stalls = Scenario("own", {"stalled_camera": 1.0})
    _, found = played(stalls, 5)
    lost = [h for h in found if isinstance(h, FrameDue) and h.lost]
    assert len(lost) > 30
    _, clean = played(Scenario("own"), 5)
    assert not any(h.lost for h in clean if isinstance(h, FrameDue))
    dead = Scenario("own", dead_beams=(("NE", "upper"),))
    _, found = played(dead, 20)
    assert not any(h.pocket == "NE" and h.beam == "upper" for h in found if isinstance(h, BeamChange))


def test_the_same_seed_plays_the_same_match() -> None:
    events = [
        [
            h.event
            for h in played(SCENARIOS["faults"], 12, seed=9)[1]
            if isinstance(h, TrueRuling) and isinstance(h.event, Shot)
        ]
        for _ in range(2)
    ]
    assert events[0] == events[1]


def test_boards_follow_each_other() -> None:
    _, found = played(SCENARIOS["clean"], 7, umpire=PlainUmpire(board_after=3))
    seats = [d.shot.seat for d in rulings(found)]
    assert len(rulings(found)[2].shot.rest) <= 19
    assert len(rulings(found)[3].shot.rest) + len(rulings(found)[3].shot.pocketed) >= 19
    assert seats[3] == "north"


@pytest.mark.long
@pytest.mark.parametrize(
    ("book", "scenario", "each"), [("icf", "players", 9), ("club", "faults", 9), ("sixes", "beginners", 6)]
)
def test_board_and_engine_agree_on_what_lies_there(book: str, scenario: str, each: int) -> None:
    setting = Setting(
        replace(START, book=book), pieces_of(DEFAULT_BOARD, each=each), scenario=SCENARIOS[scenario], seed=1
    )
    umpire = TrueUmpire(load_books())
    table = SimulatedTable(setting, umpire)
    for happening in table.play():
        if not isinstance(happening, Decision):
            continue
        happening.release()
        if happening.kind == "ready" and not happening.final.board.over:
            lying = Counter(setting.pieces.piece(name) for name in table.lying)
            assert lying == +Counter(dict(umpire.expects.on_board)), happening
        if happening.stroke >= 90:
            break
    assert table.repaired == 0


def test_a_set_that_is_not_the_books_is_refused() -> None:
    table = SimulatedTable(
        Setting(replace(START, book="sixes"), pieces=pieces_of(DEFAULT_BOARD)), TrueUmpire(load_books())
    )
    with pytest.raises(ValueError, match="6 of each colour"):
        list(table.play())


def test_after_a_board_nothing_drops_that_counts() -> None:
    class Listening(TrueUmpire):
        over = False

        def rule(self, event):
            ruling = super().rule(event)
            self.over = ruling.board.over
            return ruling

    umpire = Listening(load_books())
    start = Start("sixes", {"south": "A", "north": "B"}, first="south", policy={"boards": 1})
    table = SimulatedTable(Setting(start, pieces_of(DEFAULT_BOARD, each=6), seed=1, matches=1), umpire)
    asked = []

    def hangs(_stroke):
        asked.append(umpire.over)
        return iter(())

    table.keeper.rim_hanger = hangs
    for happening in table.play():
        if isinstance(happening, Decision):
            happening.release()
    assert umpire.over
    assert asked
    assert not any(asked)


def test_a_rim_hanger_falls_between_strokes_and_breaks_its_beams() -> None:
    umpire = PlainUmpire()
    table = SimulatedTable(
        Setting(START, scenario=Scenario("own", {"rim_hanger_falls": 1.0}), seed=3, pieces=pieces_of(DEFAULT_BOARD)),
        umpire,
    )
    pocket = None
    changes = []
    for happening in table.play():
        if isinstance(happening, BeamChange) and pocket is not None:
            changes.append(happening)
        if not isinstance(happening, Decision):
            continue
        happening.release()
        if happening.kind == "drop":
            break
        if happening.kind == "ready":
            # Hang one over a rim, as a stroke might have left it.
            pocket, (x, y) = "SE", DEFAULT_BOARD.pockets_mm["SE"]
            off = (DEFAULT_BOARD.pocket_radius_mm + 2.0) * 2**-0.5
            table.keeper.lying[2] = Pose(x - off, y + off, 0.0, 0.0)
            changes.clear()
    assert isinstance(happening, Decision)
    assert (happening.event.piece, happening.event.pocket, happening.event.on_rim) == ("white", "SE", True)
    assert [(c.pocket, c.blocked) for c in changes].count((pocket, True)) == 2
    assert 2 not in table.lying
    assert umpire.events[-1] == happening.event
