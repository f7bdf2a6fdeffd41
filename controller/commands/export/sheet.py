"""The score sheet on paper: who, what, every board, the fouls with their clauses, and lines to sign on."""

from __future__ import annotations

from datetime import datetime

from controller.commands.export.pdf import HEIGHT, Pdf
from controller.commands.export.report import Report

LEFT, RIGHT, BOTTOM = 48.0, 547.0, HEIGHT - 60


class _Sheet:
    """A page with a pen that knows how far down it is."""

    def __init__(self) -> None:
        self.pdf = Pdf()
        self.y = 0.0
        self.turn_page()

    def turn_page(self) -> None:
        self.pdf.page()
        self.y = 56.0

    def row(
        self, columns: list[tuple[float, str]], *, size: float = 9.5, font: str = "plain", step: float = 15
    ) -> None:
        if self.y > BOTTOM:
            self.turn_page()
        self.pdf.row(self.y, columns, size, font)
        self.y += step

    def rule(self) -> None:
        self.pdf.line(LEFT, self.y - 10, RIGHT, self.y - 10)
        self.y += 3

    def heading(self, words: str) -> None:
        self.y += 12
        if self.y > BOTTOM - 40:
            self.turn_page()
        self.row([(LEFT, words)], size=12, font="bold", step=18)


def sheet_pdf(told: Report) -> bytes:
    """Returns the sheet as a PDF file."""
    sheet, final = _Sheet(), told.result
    began, ended = (datetime.fromtimestamp(t).astimezone() for t in (final.start, final.end))
    sheet.row([(LEFT, "Carrom score sheet")], size=20, font="bold", step=26)
    about = [told.title, f"table {final.table}" if final.table else "", f"{began:%d %B %Y, %H:%M} to {ended:%H:%M}"]
    sheet.row([(LEFT, " · ".join(filter(None, about)))], size=10.5)
    sheet.row([(LEFT, f"match {final.match}")], size=8, font="mono", step=24)

    columns = [LEFT, 330.0, 410.0]
    sheet.row(list(zip(columns, ["Side", "Points", "Games"], strict=True)), font="bold")
    sheet.rule()
    for side in final.sides:
        won = "  (winner)" if final.winner == side.name else ""
        sheet.row(
            list(zip(columns, [" & ".join(side.players) + won, str(side.points), str(side.games)], strict=True)),
            size=11,
        )
    if told.note:
        sheet.row([(LEFT, told.note[:110])], size=8)
    if not told.over:
        sheet.row([(LEFT, "The match is not over.")], size=9)

    sheet.heading("Boards")
    columns = [LEFT, 95.0, 140.0, 300.0, 350.0, 430.0]
    sheet.row(list(zip(columns, ["Game", "Board", "Won by", "Points", "Score", "Clause"], strict=True)), font="bold")
    sheet.rule()
    names = {side.name: " & ".join(side.players) for side in final.sides}
    for board in final.boards:
        score = " : ".join(str(board.score.get(side.name, 0)) for side in final.sides)
        winner = "drawn" if board.drawn or board.winner is None else names.get(board.winner, board.winner)
        cells = [str(board.game), str(board.board), winner[:28], str(board.points), score, board.why or ""]
        sheet.row(list(zip(columns, cells, strict=True)))
    if not final.boards:
        sheet.row([(LEFT, "none finished")])

    sheet.heading("Fouls")
    columns = [LEFT, 95.0, 150.0, 280.0]
    fouls = [line for line in told.lines if line.fouls and not line.void]
    if fouls:
        sheet.row(list(zip(columns, ["Event", "Board", "Against", "Clauses"], strict=True)), font="bold")
        sheet.rule()
    for line in fouls:
        cells = [str(line.seq), str(line.board), line.player[:24], ", ".join(line.fouls)]
        sheet.row(list(zip(columns, cells, strict=True)))
    if not fouls:
        sheet.row([(LEFT, "none")])

    sheet.heading("Players")
    columns = [LEFT, 220.0, 280.0, 345.0, 395.0, 455.0, 505.0]
    titles = ["Player", "Strokes", "Pocketed", "Queen", "Striker", "Fouls", "s/stroke"]
    sheet.row(list(zip(columns, titles, strict=True)), font="bold")
    sheet.rule()
    for player in told.players:
        seconds = "" if player.seconds is None else f"{player.seconds:.1f}"
        counts = [player.strokes, player.pocketed, player.queen, player.striker, player.fouls]
        sheet.row(list(zip(columns, [player.player[:32], *map(str, counts), seconds], strict=True)))

    sheet.y = max(sheet.y + 50, 0)
    if sheet.y > BOTTOM - 30:
        sheet.turn_page()
        sheet.y += 40
    people = ["Umpire", *(" & ".join(side.players) for side in final.sides)]
    wide = (RIGHT - LEFT) / len(people)
    for number, who in enumerate(people):
        x = LEFT + number * wide
        sheet.pdf.line(x, sheet.y, x + wide - 14, sheet.y)
        sheet.pdf.text(x, sheet.y + 12, who[: int(wide / 5)], 8.5)
    if sheet.pdf.missing:
        sheet.pdf.text(LEFT, HEIGHT - 30, "Letters that this sheet cannot print stand as «?»; --json has them all.", 8)
    return sheet.pdf.bytes()
