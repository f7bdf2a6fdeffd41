"""What the demo says while it runs and when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from controller.commands.demo.tally import Stroke, Tally
from controller.events.match import FACTS

Json = Mapping[str, Any]

RULED_IN_WORDS = {
    "turn": "whose turn it is",
    "turn_kept": "whose turn it is",
    "queen": "the queen",
    "queen_side": "the queen",
    "left": "pieces left",
    "in_hand": "pieces pocketed",
    "owed": "dues",
    "dues": "dues",
    "returned": "what is put back",
    "score": "the score",
    "games": "games won",
    "void": "whether the stroke counts",
    "fouls": "fouls",
    "winner": "who won",
    "game_over": "the end of the game",
    "match_over": "the end of the match",
    "board.number": "which board it is",
    "board.over": "the end of the board",
    "board.winner": "who won the board",
    "board.points": "points of the board",
}
"""The parts of a ruling, as a spectator calls them."""


class Progress:
    """A line that says how far the demo is, on a terminal; nothing where there is none."""

    def __init__(self, shots: int | None) -> None:
        self._console = Console(stderr=True)
        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("waiting for the first stroke", total=shots)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def stroke(self, tally: Tally, truth: Json) -> None:
        """A stroke has been judged."""
        score = " : ".join(str(points) for points in truth.get("score", {}).values())
        board = truth.get("board", {}).get("number", 1)
        says = f"board {board}, {score}; {tally.agreeing} of {len(tally.strokes)} strokes right"
        if tally.umpired is not None:
            says = f"a person umpires; before, {tally.agreeing} of {len(tally.strokes)} strokes right"
        self._bar.update(self._task, completed=tally.played, description=says)


def summary(tally: Tally, truth: Json, score: Json | None, *, stopped: bool) -> str:
    """The demo's result in plain sentences, and a line for each stroke that was not understood."""
    seen = {side["name"]: side["points"] for side in score["sides"]} if score else {}
    true = dict(truth.get("score", {}))
    astray = [stroke for stroke in tally.strokes if stroke.wrong or stroke.ruled or stroke.missed]
    unwatched = sum(stroke.unwatched for stroke in tally.strokes)
    counted = len(tally.strokes)
    umpired = tally.umpired is not None
    lines = [
        f"{_count(tally.played, 'stroke was', 'strokes were')} played{' until you stopped it' if stopped else ''}; "
        + (
            f"a person umpired from stroke {counted + 1} on, and only strokes up to then are counted. The "
            if umpired
            else "the "
        )
        + f"table understood {tally.agreeing} of {counted} in every fact that matters.",
        f"It asked {_count(tally.questions, 'question', 'questions')}; the simulated umpire answered {tally.answers}, "
        f"corrected {_count(tally.corrections, 'stroke', 'strokes')} and put the score right "
        f"{_count(tally.set_to_truth, 'time', 'times')}.",
        "Nothing went wrong without being noticed."
        if not tally.silent
        else f"{_count(tally.silent, 'mistake', 'mistakes')} went unnoticed: silent errors, which must not be.",
        *([f"{unwatched} could not be watched, as the table said."] if unwatched else []),
        "No foul was called that was none."
        if not tally.false_fouls
        else f"{_count(tally.false_fouls, 'false foul was', 'false fouls were')} called.",
        f"The table's score is {_points(seen)}"
        + (
            ", as the person had it."
            if umpired
            else "."
            if not true
            else "; so it really stands."
            if seen == true
            else f"; really it stands {_points(true)}."
        ),
    ]
    for stroke in tally.phantoms:
        lines.append(f"  after stroke {stroke.number}: a stroke that was never played ({_fate(stroke)})")
    for stroke in astray:
        lines.append(f"  stroke {stroke.number}: {_otherwise(stroke)} ({_fate(stroke)})")
    return "\n".join(lines)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _otherwise(stroke: Stroke) -> str:
    """What of a stroke was not as it really was, in a spectator's words."""
    if stroke.missed:
        return "not seen at all"
    # No umpire is asked to watch the seat: it is the one fact without a label.
    seen = [FACTS[path].fact.label or "who struck" for path in stroke.wrong]
    ruled = dict.fromkeys(RULED_IN_WORDS[part] for part in stroke.ruled)
    parts = ("seen otherwise", seen), ("ruled otherwise", ruled)
    return "; ".join(f"{how}: {', '.join(names)}" for how, names in parts if names)


def _fate(stroke: Stroke) -> str:
    if stroke.asked or stroke.noticed:
        return "it asked" if stroke.asked else "it noticed"
    if stroke.unwatched:
        return "it said that nobody watched that"
    return "silent" if stroke.silent else "nothing came of it"


def _points(score: Mapping[str, int]) -> str:
    return " : ".join(f"{side} {points}" for side, points in score.items()) or "none"
