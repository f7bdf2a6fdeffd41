// The pieces to be laid, as people follow it: the drawing with ghosts, a tick in each that lies there, and what comes next.

import { makeBoard } from "./board.mjs";
import { fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { sideName } from "./names.mjs";

const NEXT = 3; // so many of what is missing are named at a time

/** Shows `items` (as `laid` says) in words: how many lie there, and which come next. */
export function layingLines(items, { score, health }) {
  const sees = health?.camera === "ok"; // who else could say that a piece lies there?
  const missing = items.filter(({ seen }) => !seen);
  const named = (one) => make(`li${one.seen ? ".laid" : ""}`, {}, make("i", { "aria-hidden": "true" }, one.seen ? "✓" : sees ? "○" : "·"),
    make("span", {}, make(`i.piece-dot.${one.piece}`, { "aria-hidden": "true" }), " ", t(`piece-${one.piece}`), one.side ? ` (${sideName(one.side, score)})` : "",
      " ", one.seen ? t("lies-there") : one.within ? t("place-ring") : one.at ? t("place-at") : t("place-centre")));
  const shown = items.length <= NEXT ? items : missing.slice(0, NEXT);
  return [sees ? make("p.count-laid", { role: "status" }, t("laid-count", { laid: items.length - missing.length, count: items.length })) : "",
    make("ul.laying", {}, ...shown.map(named))];
}

/** A block that follows the laying of pieces. Returns { element, show(state, items) }. */
export function makeLayout(geometry) {
  const drawing = make("div.board-frame");
  const lines = make("div");
  const board = makeBoard(drawing, geometry);
  return {
    element: make("div.layout", {}, lines, drawing),
    show(state, items) {
      board.names(state.score);
      board.pieces(state.board);
      board.place(items);
      fill(lines, ...layingLines(items, state));
    },
  };
}
