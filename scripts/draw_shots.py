"""Writes the drawing of the table of phases into `docs/shots.md`, from the table itself.

`python -m scripts.draw_shots` writes; with `--check` it exits 1 if the drawing is not the table's.
"""

from __future__ import annotations

import sys
from pathlib import Path

from controller.shots.phases import drawing

DOCUMENT = Path(__file__).parent.parent / "docs" / "shots.md"
BEGIN, END = "<!-- drawn from controller/shots/phases.py -->\n", "<!-- end of the drawing -->\n"


def drawn(text: str) -> str:
    """Returns the document with the table's drawing between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}```mermaid\n{drawing()}\n```\n{END}{after}"


def main() -> int:
    """Writes or checks."""
    text = DOCUMENT.read_text(encoding="utf-8")
    fresh = drawn(text)
    if "--check" in sys.argv[1:]:
        if fresh != text:
            print(f"{DOCUMENT}: the drawing is not the table's. Mend: python -m scripts.draw_shots", file=sys.stderr)
        return int(fresh != text)
    DOCUMENT.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
