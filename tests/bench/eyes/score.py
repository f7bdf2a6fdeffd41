"""`python -m tests.bench.eyes.score FOLDER ANSWERS …` counts what any detector says of pictures whose truth is known.

FOLDER has `still_*.jpg`, each with a `.json` of its truth (`scripts.teach.traced.picture_set` draws such). ANSWERS are
files of JSON lines as `carrom detect` prints them: {"image": "still_T900000_00.jpg", "pieces": [{"piece": "white",
"x": 12.3, "y": -4.5, "u95": 0.9}], "hidden": []}, in mm on the board. A picture without an answer is a wrong board.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from controller.events.observation import SeenPiece
from controller.vision.finding import Finding
from tests.bench.eyes.tally import Tally
from tests.bench.figure import share


def score(folder: Path, answers: Iterable[str]) -> Tally:
    """Counts over every still of a folder.

    Raises ValueError for a line that is no answer, and for a second one on a picture.
    """
    by_name: dict[str, Finding] = {}
    for number, line in enumerate(answers, 1):
        try:
            said = json.loads(line)
            name, found = Path(said["image"]).stem, _finding(said)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"answer {number} is none: {error!r}") from error
        if name in by_name:
            raise ValueError(f"answer {number}: {name} has one already")
        by_name[name] = found
    tally = Tally()
    for path in sorted(folder.glob("still_*.json")):
        pieces = json.loads(path.read_text(encoding="utf-8"))["pieces"]
        truths = [(one["class"], one["x_mm"], one["y_mm"], one["visible_fraction"]) for one in pieces]
        if path.stem in by_name:
            tally.add(truths, by_name[path.stem])
        else:
            tally.boards += 1
    return tally


def _finding(said: dict[str, Any]) -> Finding:
    pieces = tuple(
        SeenPiece(p["piece"], float(p["x"]), float(p["y"]), float(p.get("u95", 0.0))) for p in said["pieces"]
    )
    return Finding(pieces, tuple(tuple((x, y) for x, y in polygon) for polygon in said.get("hidden", ())))


def main(words: Sequence[str]) -> int:
    """Prints the counts. Returns 2 if there is nothing to count."""
    if len(words) < 2:
        print(__doc__)
        return 2
    try:
        answers = [line for file in words[1:] for line in Path(file).read_text(encoding="utf-8").splitlines()]
        tally = score(Path(words[0]), answers)
    except (ValueError, OSError) as error:
        print(f"score: {error}", file=sys.stderr)
        return 2
    if not tally.boards:
        print(f"score: {words[0]}: no still with its truth. Fix: name the folder of the set", file=sys.stderr)
        return 2
    print(f"whole boards right   {share(tally.right, tally.boards)}")
    for name, count in (("missed", tally.missed), ("false", tally.false), ("misnamed", tally.misnamed)):
        print(f"{name:<20} {share(count, tally.total)}")
    print(f"left out as hidden   {tally.hidden} of {tally.total + tally.hidden}")
    if tally.errors:
        errors = sorted(tally.errors)
        high = errors[int(0.99 * len(errors))]
        print(f"centre error         mean {fmean(errors):.2f} mm, 99 %: {high:.2f} mm")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
