"""A result to send to a chat: two lines of text, or a card as a picture."""

from __future__ import annotations

from datetime import datetime

import cv2
import numpy as np

from controller.commands.export.lettering import Lettering
from controller.commands.export.report import Report, given

SIZE = (1080, 608)
_LEFT = 60
_WHOLE = SIZE[0] - 2 * _LEFT
_POINTS = 220
"""Pixels that a side's points may take, of the whole line."""
_PAPER, _INK, _SOFT, _ACCENT, _WOOD = (238, 243, 246), (23, 28, 33), (87, 97, 107), (26, 74, 156), (29, 59, 110)


def result_text(told: Report) -> str:
    """The result in words, winner first."""
    final = told.result
    sides = sorted(final.sides, key=lambda side: side.name != final.winner)
    names = [" & ".join(side.players) for side in sides]
    points = " : ".join(str(side.points) for side in sides)
    games = f" ({' : '.join(str(side.games) for side in sides)} games)" if sum(side.games for side in sides) > 1 else ""
    verb = "beat" if final.winner else "against" if told.over else "playing"
    when = f"{datetime.fromtimestamp(final.end).astimezone():%d %b %Y}"
    about = ", ".join(filter(None, [told.title, f"table {final.table}" if final.table else "", when]))
    ended = f": {by}" if (by := given(told)) else ""
    lines = [f"{names[0]} {verb} {', '.join(names[1:])} {points}{games}{ended}", about]
    if final.boards:
        order = [side.name for side in sides]
        each = [
            "drawn" if board.drawn else " ".join(str(board.points if board.winner == side else 0) for side in order)
            for board in final.boards
        ]
        lines.append("boards: " + ", ".join(one.replace(" ", ":") for one in each))
    return "\n".join(lines) + "\n"


def result_png(told: Report) -> bytes:
    """The result as a picture."""
    width, height = SIZE
    final, pen = told.result, Lettering()
    card = np.full((height, width, 3), _PAPER, np.uint8)
    card[:14] = _WOOD
    pen.write(card, told.title, (_LEFT, 86), 30, _SOFT, room=_WHOLE)
    when = f"{datetime.fromtimestamp(final.end).astimezone():%d %B %Y}"
    about = f"table {final.table}, {when}" if final.table else when
    pen.write(card, about, (_LEFT, 128), 26, _SOFT, room=_WHOLE)
    few, several = len(final.sides) < 3, sum(side.games for side in final.sides) > 1
    step = (height - 210) // max(1, len(final.sides))
    for number, side in enumerate(final.sides):
        y = 150 + number * step + step // 2
        won = side.name == final.winner
        names = " & ".join(side.players)
        pen.write(card, names, (_LEFT, y + 20), 54 if few else 40, _INK, room=_WHOLE - _POINTS, bold=won)
        at, most = (width - _LEFT, y + 34), side.games if several else side.points
        pen.write(card, str(most), at, 100 if few else 60, _ACCENT, room=_POINTS, bold=True, right=True)
        if several:
            pen.write(card, f"games, {side.points} points", (at[0], at[1] + 34), 24, _SOFT, room=_POINTS, right=True)
        if number:
            cv2.line(card, (_LEFT, y - step // 2), (width - _LEFT, y - step // 2), (209, 219, 226), 2)
    foot = "match over" if told.over else "the match is not over"
    ended = f": {by}" if (by := given(told)) else ""
    pen.write(card, foot + ended, (_LEFT, height - 34), 22, _SOFT, room=_WHOLE)
    done, body = cv2.imencode(".png", card)
    assert done
    return body.tobytes()
