"""The score sheet on paper: who, what, every board, the fouls with their clauses, and lines to sign on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from controller.commands.export.fonts import PACKAGE
from controller.commands.export.pdf import HEIGHT, Pdf
from controller.commands.export.report import Report, given

LEFT, RIGHT, BOTTOM = 48.0, 547.0, HEIGHT - 60

Column = tuple[float, str]


class _Sheet:
    """A page with a pen that knows how far down it is."""

    def __init__(self) -> None:
        self.pdf = Pdf()
        self.y = 0.0
        self.turn_page()

    def turn_page(self) -> None:
        self.pdf.page()
        self.y = 56.0

    def row(self, columns: list[Column], *, size: float = 9.5, font: str = "plain", step: float = 15) -> None:
        if self.y > BOTTOM:
            self.turn_page()
        self.pdf.row(self.y, columns, size, font)
        self.y += step

    def table(self, at: Sequence[float], titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Titles, a line, rows; «none» where there are none."""
        if not rows:
            self.row([(LEFT, "none")])
            return
        self.row(list(zip(at, titles, strict=True)), font="bold")
        self.pdf.line(LEFT, self.y - 10, RIGHT, self.y - 10)
        self.y += 3
        for cells in rows:
            self.row(list(zip(at, cells, strict=True)))

    def heading(self, words: str) -> None:
        self.y += 12
        if self.y > BOTTOM - 40:
            self.turn_page()
        self.row([(LEFT, words)], size=12, font="bold", step=18)

    def blanks(self, named: Sequence[tuple[str, str]]) -> None:
        """What is known stands on its line; what is not is written there by hand."""
        wide = (RIGHT - LEFT) / len(named)
        for number, (title, value) in enumerate(named):
            x = LEFT + number * wide
            self.pdf.text(x, self.y, title, 8.5, "bold")
            self.pdf.line(x + 62, self.y + 2, x + wide - 12, self.y + 2)
            self.pdf.text(x + 64, self.y, value, 9.5, room=wide - 78)
        self.y += 22


def sheet_pdf(told: Report) -> bytes:
    """Returns the sheet as a PDF file."""
    sheet, final, occasion = _Sheet(), told.result, told.occasion
    began, ended = (datetime.fromtimestamp(t).astimezone() for t in (final.start, final.end))
    sheet.row([(LEFT, "Carrom score sheet")], size=20, font="bold", step=26)
    about = [told.title, f"table {final.table}" if final.table else "", f"{began:%d %B %Y, %H:%M} to {ended:%H:%M}"]
    sheet.row([(LEFT, " · ".join(filter(None, about)))], size=10.5)
    sheet.row([(LEFT, f"match {final.match}")], size=8, font="mono", step=24)
    sheet.blanks([("Event", occasion.competition), ("Round", occasion.round), ("Referee", occasion.referee)])

    names = {side.name: " & ".join(side.players) for side in final.sides}
    columns = [LEFT, 400.0, 460.0]
    sheet.row(list(zip(columns, ["Side", "Points", "Games"], strict=True)), font="bold")
    sheet.pdf.line(LEFT, sheet.y - 10, RIGHT, sheet.y - 10)
    sheet.y += 3
    for side in final.sides:
        won = "  (winner)" if final.winner == side.name else ""
        cells = [names[side.name] + won, str(side.points), str(side.games)]
        sheet.row(list(zip(columns, cells, strict=True)), size=11)
    if by := given(told):
        sheet.row([(LEFT, f"{by}.")], size=9)
    if told.note:
        sheet.row([(LEFT, told.note)], size=8)
    if not told.over:
        sheet.row([(LEFT, "The match is not over.")], size=9)

    sheet.heading("Boards")
    rows = []
    for board in told.boards:
        one = board.final
        score = " : ".join(str(one.score.get(side.name, 0)) for side in final.sides)
        winner = "drawn" if one.drawn or one.winner is None else names.get(one.winner, one.winner)
        cells = [str(one.game), str(one.board), board.breaker, board.white, board.queen, winner]
        rows.append([*cells, str(one.points), score, one.why or ""])
    columns = [LEFT, 82.0, 116.0, 194.0, 272.0, 350.0, 428.0, 464.0, 512.0]
    titles = ["Game", "Board", "Break", "White", "Queen", "Won by", "Points", "Score", "Clause"]
    sheet.table(columns, titles, rows)

    sheet.heading("Fouls")
    fouls = [line for line in told.lines if line.fouls and not line.void]
    sheet.table(
        [LEFT, 95.0, 150.0, 330.0],
        ["Event", "Board", "Against", "Clauses"],
        [[str(line.seq), str(line.board), line.player, ", ".join(line.fouls)] for line in fouls],
    )

    sheet.heading("Players")
    rows = []
    for player in told.players:
        seconds = "" if player.seconds is None else f"{player.seconds:.1f}"
        counts = [player.strokes, player.pocketed, player.queen, player.striker, player.fouls]
        rows.append([player.player, *map(str, counts), seconds])
    columns = [LEFT, 220.0, 280.0, 345.0, 395.0, 455.0, 505.0]
    sheet.table(columns, ["Player", "Strokes", "Pocketed", "Queen", "Striker", "Fouls", "s/stroke"], rows)

    sheet.y = max(sheet.y + 50, 0)
    if sheet.y > BOTTOM - 30:
        sheet.turn_page()
        sheet.y += 40
    people = [occasion.referee or "Umpire", *names.values()]
    wide = (RIGHT - LEFT) / len(people)
    for number, who in enumerate(people):
        x = LEFT + number * wide
        sheet.pdf.line(x, sheet.y, x + wide - 14, sheet.y)
        sheet.pdf.text(x, sheet.y + 12, who, 8.5, room=wide - 14)
    if sheet.pdf.missing:
        says = f"Letters that no font here can print stand as «?»: install the package {PACKAGE}; --json has them all."
        sheet.pdf.text(LEFT, HEIGHT - 30, says, 8)
    return sheet.pdf.bytes()
