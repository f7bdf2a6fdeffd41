"""A result to send to a chat: two lines of text, or a card as a picture."""

from __future__ import annotations

from datetime import datetime

import cv2
import numpy as np

from controller.commands.export.report import Report

SIZE = (1080, 608)
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
    lines = [f"{names[0]} {verb} {', '.join(names[1:])} {points}{games}", about]
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
    final = told.result
    card = np.full((height, width, 3), _PAPER, np.uint8)
    card[:14] = _WOOD
    _text(card, told.title, 60, 86, 30, _SOFT)
    when = f"{datetime.fromtimestamp(final.end).astimezone():%d %B %Y}"
    _text(card, f"table {final.table}, {when}" if final.table else when, 60, 128, 26, _SOFT)
    step = (height - 210) // max(1, len(final.sides))
    for number, side in enumerate(final.sides):
        y = 150 + number * step + step // 2
        won = side.name == final.winner
        _text(card, " & ".join(side.players), 60, y + 20, 54 if len(final.sides) < 3 else 40, _INK, bold=won)
        _text(
            card,
            str(side.points),
            width - 60,
            y + 34,
            100 if len(final.sides) < 3 else 60,
            _ACCENT,
            bold=True,
            right=True,
        )
        if number:
            cv2.line(card, (60, y - step // 2), (width - 60, y - step // 2), (209, 219, 226), 2)
    foot = "match over" if told.over else "the match is not over"
    _text(card, foot, 60, height - 34, 22, _SOFT)
    done, body = cv2.imencode(".png", card)
    assert done
    return body.tobytes()


def _text(
    card: np.ndarray,
    words: str,
    x: int,
    y: int,
    size: int,
    colour: tuple[int, ...],
    *,
    bold: bool = False,
    right: bool = False,
) -> None:
    """Writes at a base line, made smaller if the card is too narrow. Older OpenCV knows ASCII only."""
    room = x - 60 if right else SIZE[0] - x - 240
    if hasattr(cv2, "FontFace"):
        face, weight = cv2.FontFace("sans"), 700 if bold else 400
        while size > 14 and _width(face, words, size, weight) > room:
            size -= 2
        shift = _width(face, words, size, weight) if right else 0
        cv2.putText(card, words, (x - shift, y), colour, face, size, weight)
        return
    plain = words.encode("ascii", "replace").decode()
    font, thick = cv2.FONT_HERSHEY_SIMPLEX, 3 if bold else 2
    scale = size / 30
    while scale > 0.5 and cv2.getTextSize(plain, font, scale, thick)[0][0] > room:
        scale -= 0.1
    shift = cv2.getTextSize(plain, font, scale, thick)[0][0] if right else 0
    cv2.putText(card, plain, (x - shift, y), font, scale, colour, thick, cv2.LINE_AA)


def _width(face: cv2.FontFace, words: str, size: int, weight: int) -> int:
    box = cv2.getTextSize((SIZE[0], SIZE[1]), words, (0, 0), face, size, weight)
    return int(box[2])
