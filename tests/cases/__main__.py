"""`python -m tests.cases [ANSWERS]`: what every case is read as, and the score: right 1, asked or noticed 0, silent −2.

`ANSWERS`: what another engine says, one JSON object a line (README.md); without it ours is asked.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from controller.events.codec import event_from_json
from controller.events.match import Shot
from controller.table.evidence.case import Case, Played, judged, play
from tests.bench.refereed import books
from tests.cases.reader import files, name_of, read

SCORE = {"right": 1, "asked": 0, "noticed": 0, "wrong": -2, "missed": -2}
BOOKS = books()


def answered(case: Case, answer: dict[str, Any]) -> Played:
    """Judges what another engine says of a case."""
    shot = event_from_json(answer["shot"]) if answer.get("shot") else None
    assert shot is None or isinstance(shot, Shot), "an answer is a shot, or null"
    return judged(case, shot, tuple(answer.get("told", ())), BOOKS)


def main(answers: Path | None = None) -> None:
    """Prints a line for each case that is not read right, then the score."""
    said = {one["case"]: one for one in map(json.loads, answers.read_text().splitlines())} if answers else None
    verdicts = Counter[str]()
    for file in files():
        case, name = read(file), name_of(file)
        played = play(case, BOOKS) if said is None else answered(case, said.get(name, {}))
        verdicts[played.verdict] += 1
        if played.verdict != "right":
            print(f"{name}: {played.verdict} ({', '.join((*played.differs, *played.told))}); {case.says}")
    score = sum(SCORE[verdict] * count for verdict, count in verdicts.items())
    print(f"{score} of {verdicts.total()}: {', '.join(f'{count} {name}' for name, count in verdicts.most_common())}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
