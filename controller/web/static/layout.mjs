// The pieces to be laid, as people follow it: the drawing with ghosts, a tick in each that lies there, and what comes next.

import { makeBoard } from "./board.mjs";
import { fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { nameOf, sideName } from "./names.mjs";

const NEXT = 3; // so many of what is missing are named at a time

/** "Asha places one black of Ben's" */
function whose({ piece, by, side }, score) {
  const of = side ? t("pieces-of", { pieces: t(`piece-${piece}`), side: sideName(side, score) }) : t(`piece-${piece}`);
  return by ? t("placed-by", { name: nameOf(by, score), piece: of }) : of;
}

/** Shows `items` (as `laid` says) in words: how many lie there, and which come next. */
export function layingLines(items, { score, health }) {
  const sees = health?.camera === "ok"; // who else could say that a piece lies there?
  const missing = items.filter(({ seen }) => !seen);
  const named = (one) => make(`li${one.seen ? ".laid" : ""}`, {}, make("i", { "aria-hidden": "true" }, one.seen ? "✓" : sees ? "○" : "·"),
    make("span", {}, make(`i.piece-dot.${one.piece}`, { "aria-hidden": "true" }), " ", whose(one, score),
      " ", one.seen ? t("lies-there") : one.within ? t("place-ring") : one.at ? t("place-at") : t("place-centre")));
  const shown = items.length <= NEXT ? items : missing.slice(0, NEXT);
  return [sees ? make("p.count-laid", { role: "status" }, t("laid-count", { laid: items.length - missing.length, count: items.length })) : "",
    make("ul.laying", {}, ...shown.map(named))];
}

/** The board drawn for a card. Returns { element, show(state, items), differs(state, found) }: what is to be laid on it, or how
 * it differs from the score in its count (as `apart` says). */
export function makeLayout(geometry) {
  const drawing = make("div.board-frame");
  const lines = make("div");
  const board = makeBoard(drawing, geometry);
  const draw = (state, items, found, says) => {
    board.names(state.score);
    board.pieces(state.board);
    board.place(items);
    board.odd(found);
    fill(lines, ...says);
  };
  return {
    element: make("div.layout", {}, lines, drawing),
    show: (state, items) => draw(state, items, {}, layingLines(items, state)),
    differs: (state, found) => draw(state, found.gone, found, []),
  };
}
