"""The printed result of an acceptance (PDF), and the gauge as a sheet to print at 100 %."""

from __future__ import annotations

from datetime import datetime

from fpdf import FPDF

from calibration.board import Board
from controller.commands.acceptance.gauge import MARGIN_MM, drawn
from controller.commands.acceptance.plan import MATCH_MM
from controller.commands.acceptance.record import Record
from controller.commands.export.pdf import HEIGHT, Pdf

LEFT, RIGHT, BOTTOM = 48.0, 547.0, HEIGHT - 50
_STEP, _SAYS, _TRIES = LEFT, 190.0, 490.0


def certificate_pdf(record: Record, signature: str) -> bytes:
    """Returns the result as a PDF file. `signature`: how it was signed, in words."""
    pdf, here, verdict = Pdf(), record.circumstances, record.verdict
    pdf.page()
    at = datetime.fromtimestamp(here.at).astimezone()
    pdf.text(LEFT, 64, "Acceptance of a carrom table", 20, "bold")
    named = f"table {here.table}" + (f", {here.name}" if here.name else "")
    pdf.text(LEFT, 86, f"{named} · {at:%d %B %Y, %H:%M} · {here.spent_s / 60:.1f} minutes", 10.5)
    pdf.text(LEFT, 122, f"Grade: {verdict.grade}", 16, "bold")
    y = 142.0
    for why in verdict.refused:
        pdf.text(LEFT, y, f"Not match: {why}.", 9.5, room=RIGHT - LEFT)
        y += 14
    mean, worst = verdict.mean_mm, verdict.worst_mm
    strikers = ", ".join(f"{one:g} mm" for one in here.strikers_mm)
    lines = [
        f"{verdict.placements} placements: worst {worst:.2f} mm, mean {mean:.2f} mm; limit of match {MATCH_MM:.1f} mm"
        if worst is not None and mean is not None
        else "no placement was measured",
        f"gauge within {here.gauge_u95_mm:.1f} mm in 95 % (estimated), its {here.control_mm:g} mm long line measured; "
        f"strikers {strikers}",
        f"camera {here.camera_grade}, {here.px_per_mm:.2f} px/mm; calibration {here.calibration_grade}, "
        f"{here.calibration[:16]}…",
        f"carrom {here.program}; {signature}",
    ]
    for line in lines:
        pdf.text(LEFT, y, line, 9.5, room=RIGHT - LEFT)
        y += 14
    y += 14
    pdf.row(y, [(_STEP, "Step"), (_SAYS, "Measured"), (_TRIES, "Tries")], 9, "bold")
    pdf.line(LEFT, y + 4, RIGHT, y + 4)
    y += 4
    for row in verdict.rows:
        y += 11.5
        if y > BOTTOM:
            pdf.page()
            y = 56.0
        font = "plain" if row.state == "passed" else "bold"
        says = row.says if row.state != "failed" else f"failed: {row.says}"
        pdf.row(y, [(_STEP, row.step), (_SAYS, says), (_TRIES, str(row.tries or "–"))], 8.5, font)
    y += 50
    if y > BOTTOM:
        pdf.page()
        y = 96.0
    for x, who in ((LEFT, "tried by"), (300.0, "seen by")):
        pdf.line(x, y, x + 220, y)
        pdf.text(x, y + 12, who, 8.5)
    return pdf.bytes()


def gauge_pdf(board: Board) -> bytes:
    """Returns the gauge for this board as one A4 sheet, to be printed at 100 %."""
    pdf = FPDF(orientation="landscape", unit="mm", format="A4")
    pdf.set_auto_page_break(False)
    pdf.add_page()
    strokes, words = drawn(board)
    for stroke in strokes:
        pdf.set_line_width(0.1 if stroke.cut else 0.2)
        x0, y0, x1, y1 = (value + MARGIN_MM for value in (stroke.x0_mm, stroke.y0_mm, stroke.x1_mm, stroke.y1_mm))
        pdf.line(x0, y0, x1, y1)
    pdf.set_font("Helvetica", size=11)
    for one in words:
        shift = pdf.get_string_width(one.text) / 2 if one.middle else 0.0
        pdf.text(MARGIN_MM + one.x_mm - shift, MARGIN_MM + one.y_mm, one.text)
    return bytes(pdf.output())
