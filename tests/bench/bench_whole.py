"""The whole table, pictures and all: simulated strokes of several looks, books and faults through the full path.

200 strokes (1 000 with --long), as fast as the eyes can. What is wrong is counted whatever its cause; a silent error is
a ruling unlike the truth's that nobody was asked about and nobody noticed by the next rest.
"""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Iterator

from controller.commands.demo import play
from controller.commands.demo.house import Plan, built, open_eyes
from controller.commands.demo.show import Show
from controller.commands.demo.tally import Stroke, Tally
from controller.events.errors import CarromError
from tests.bench.figure import Figure, share

CLEAN = (
    Plan(book="icf", look="pale", scenario="clean", seed=11, speed=None),
    Plan(book="club", look="pale", scenario="clean", seed=12, speed=None),
    Plan(book="icf", look="birch-match", scenario="clean", seed=13, speed=None),
    Plan(book="campus", look="walnut-club", scenario="clean", seed=14, speed=None),
)
FAULTY = (
    Plan(book="icf", look="pale", scenario="players", seed=21, speed=None),
    Plan(book="club", look="pale", scenario="faults", seed=22, speed=None),
    Plan(book="icf", look="pale", scenario="sensors", seed=23, speed=None),
    Plan(book="classic", look="pale", scenario="dead-beam", seed=24, speed=None),
)


def run(long: bool) -> Iterator[Figure]:
    """Plays and counts; a house that cannot be built is a figure too."""
    each = 125 if long else 25
    for name, plans in (("clean", CLEAN), ("with faults", FAULTY)):
        strokes: list[Stroke] = []
        questions = 0
        for plan in plans:
            tally, trouble = _played(plan, each)
            strokes += tally.strokes
            questions += tally.questions
            where = f"{plan.book}, {plan.look}, {plan.scenario}"
            yield Figure(f"{where}: strokes right in every fact", "sim", _share(tally), note=trouble)
        yield from _figures(name, strokes, questions)


def _played(plan: Plan, shots: int) -> tuple[Tally, str]:
    tally = Tally()
    try:
        with contextlib.redirect_stdout(io.StringIO()), built(plan) as house:
            open_eyes(house, plan)
            show = Show(house.board, house.ears, house.official, lambda *_: None, shots=shots, tally=tally)
            play(house, show)
    except CarromError as error:
        return tally, str(error)
    return tally, ""


def _share(tally: Tally) -> str:
    return share(tally.agreeing, len(tally.strokes))


def _figures(name: str, strokes: list[Stroke], questions: int) -> Iterator[Figure]:
    n = len(strokes)
    wrong: Counter[str] = Counter(fact for stroke in strokes for fact in stroke.wrong)
    silent = [stroke for stroke in strokes if stroke.silent]
    false_fouls = sum(len(stroke.false_fouls) for stroke in strokes)
    yield Figure(f"{name}: strokes right", "sim", share(n - sum(bool(s.wrong or s.missed) for s in strokes), n))
    for fact, count in sorted(wrong.items()):
        yield Figure(f"{name}: {fact} right", "sim", share(n - count, n))
    yield Figure(f"{name}: silent errors", "sim", share(len(silent), n), "0", not silent)
    yield Figure(f"{name}: false fouls", "sim", share(false_fouls, n), "0", not false_fouls)
    yield Figure(f"{name}: questions per stroke", "sim", f"{questions}/{n}")
