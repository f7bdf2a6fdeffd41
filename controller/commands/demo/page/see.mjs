// The demo's two views: left what the camera sees, with what was found drawn over it and each pocket's trace below, right the
// board as the table understands it.

import { makeBoard } from "/static/board.mjs";
import { draw, fill, make } from "/static/dom.mjs";
import { layingNow } from "/static/laying.mjs";
import { ask } from "/static/live.mjs";
import { sentence, shownRuling } from "/static/sentence.mjs";

const EVERY_MS = 200;
const path = (points) => `M${points.map((point) => point.join(" ")).join("L")}`;

/** Keeps both views up to date for as long as the page is open. `at(id)`: the page's elements. */
export async function see(at) {
  const board = makeBoard(at("understood"), await ask("/geometry"));
  const picture = draw("image", { width: 0, height: 0 });
  const over = draw("g");
  const view = draw("svg.camera", { role: "img", "aria-label": "what the camera sees, with what was found drawn over it" }, picture, over);
  let shown = null;
  const look = async () => {
    try {
      const now = await ask("/seen");
      const sees = now.over && now.picture != null;
      const waits = at("camera").querySelector("p");
      if (waits && now.making) waits.textContent = `The camera is being set up… ${now.making}`;
      if (!view.isConnected && sees) at("camera").replaceChildren(view);
      if (sees) {
        view.setAttribute("viewBox", now.over.crop.join(" "));
        picture.setAttribute("width", now.over.size[0]);
        picture.setAttribute("height", now.over.size[1]);
        fill(over, ...now.over.lines.map((line) => draw("path.over", { d: path(line) })),
          ...now.over.pieces.map(({ piece, path: round }) => draw(`path.over.${piece}`, { d: `${path(round)}Z` })));
      }
      if (now.picture != null && now.picture !== shown) picture.setAttribute("href", `/now.jpg?${shown = now.picture}`);
      fill(at("traces"), ...Object.entries(now.traces).map(([pocket, beams]) => trace(pocket, beams, now.seconds)));
      const { state } = now;
      board.names(state.score);
      board.pieces(state.board);
      board.stroke(state.shot, state.tracks);
      board.place(layingNow(state));
      at("says").textContent = sentence(shownRuling(state), state.score) || "Nothing has been ruled yet.";
      at("lost").hidden = true;
    } catch {
      at("lost").hidden = false;
    }
    setTimeout(look, EVERY_MS);
  };
  await look();
}

/** One pocket's beams over the last seconds: a line where light passes, a block where something breaks it. */
function trace(pocket, beams, seconds) {
  const bars = Object.values(beams).flatMap((spans, row) => spans.map(([from, until]) =>
    draw("rect.broken", { x: 100 * (1 - from / seconds), y: 2 + 11 * row, width: Math.max(0.6, (100 * (from - until)) / seconds), height: 8 })));
  const felt = bars.length;
  return make("div.trace", {}, make("b", {}, pocket),
    draw("svg", { viewBox: "0 0 100 24", preserveAspectRatio: "none", role: "img", "aria-label": felt ? `${pocket}: broken ${felt} times of late` : `${pocket}: light passes` },
      ...[6, 17].map((y) => draw("line.beam", { x1: 0, x2: 100, y1: y, y2: y })), ...bars));
}
