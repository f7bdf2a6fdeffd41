// The board in SVG, in millimetres, y up: markings once, pieces and strokes as they come.

import { draw, fill } from "./dom.mjs";
import { t } from "./i18n.mjs";

const TURNS = { south: 0, east: -90, north: 180, west: 90 };

/** Draws the empty board into an element. Returns { pieces(board), stroke(shot, tracks), place(list), odd(found),
 * names(score) }. */
export function makeBoard(holder, mm) {
  holder.setAttribute("translate", "no"); // the names of those who sit there
  const half = mm.side_mm / 2;
  const edge = half + mm.frame_width_mm;
  const radius = (piece) => (piece === "striker" ? mm.striker_diameter_mm : mm.coin_diameter_mm) / 2;
  const layers = Object.fromEntries(
    ["hidden", "tracks", "rings", "pieces", "ticks", "odd", "fallen", "names"].map((name) => [name, draw("g", { id: `b-${name}` })]),
  );
  const svg = draw(
    "svg",
    { viewBox: `${-edge} ${-edge} ${2 * edge} ${2 * edge}`, role: "img", "aria-label": t("board-above") },
    draw("rect.b-frame", { x: -edge, y: -edge, width: 2 * edge, height: 2 * edge, rx: 22 }),
    draw("rect.b-wood", { x: -half, y: -half, width: 2 * half, height: 2 * half }),
    ...markings(mm),
    draw("g", { transform: "scale(1 -1)" }, layers.hidden, layers.tracks, layers.rings, layers.pieces, layers.ticks, layers.odd, layers.fallen),
    layers.names,
  );
  holder.replaceChildren(svg);
  const pockets = pocketCentres(mm);

  return {
    pieces(board) {
      const lying = board?.pieces ?? [];
      const shapes = lying.flatMap(({ piece, x, y }) => [
        draw(`circle.p.${piece}`, { cx: x, cy: y, r: radius(piece) }),
        draw("circle.p-in", { cx: x, cy: y, r: radius(piece) * 0.62 }),
      ]);
      fill(layers.pieces, ...shapes);
      fill(layers.hidden, ...(board?.hidden ?? []).map((area) => draw("polygon.hidden-area", { points: area.join(" ") })));
    },
    stroke(shot, tracks) {
      const lines = (tracks ?? []).map(({ piece, points }) =>
        draw(`polyline.track.${piece}`, { points: points.map(([x, y]) => `${x},${y}`).join(" ") }));
      fill(layers.tracks, ...lines);
      const fell = (shot?.pocketed ?? []).filter(({ pocket }) => pocket in pockets);
      fill(layers.fallen, ...fell.flatMap(({ piece, pocket }, index) => {
        const [x, y] = pockets[pocket];
        const same = fell.slice(0, index).filter((other) => other.pocket === pocket).length;
        const [dx, dy] = [-Math.sign(x) * 6 * same, Math.sign(y) * 2 * same];
        return [draw(`circle.p.${piece}`, { cx: x + dx, cy: y + dy, r: radius(piece) * 0.72 }),
          draw("circle.fell", { cx: x + dx, cy: y + dy, r: radius(piece) * 0.72 + 3 })];
      }));
    },
    place(list) {
      fill(layers.rings, ...(list ?? []).flatMap(({ piece, at, within, seen }) => [
        at && draw(`circle.ghost.${piece}${seen ? ".laid" : ""}`, { cx: at[0], cy: at[1], r: radius(piece) }),
        within && !seen && draw("circle.ring-due", { cx: within.centre[0], cy: within.centre[1], r: within.outer_mm }),
      ]).filter(Boolean));
      // Ticks lie on the pieces, ghosts below them.
      fill(layers.ticks, ...(list ?? []).filter(({ at, seen }) => at && seen).map(({ at: [x, y] }) => draw("path.tick", { d: `M${x - 9},${y} l6,-7 l12,15` })));
    },
    /** Rings about what lies there and should not, and about where something should and does not. */
    odd({ gone = [], more = [] }) {
      fill(layers.odd, ...[...gone.map(({ at: [x, y] }) => [x, y]), ...more.map(({ x, y }) => [x, y])].map(([cx, cy]) => draw("circle.odd", { cx, cy, r: 30 })));
    },
    names(score) {
      const middle = half + mm.frame_width_mm / 2;
      const shown = score.sides.flatMap((side) => Object.entries(side.seats));
      fill(layers.names, ...shown.flatMap(([seat, name]) => {
        const turn = score.turn === seat;
        const label = draw(`text.seat-name${turn ? ".turn" : ""}`, { transform: `rotate(${TURNS[seat]}) translate(0 ${middle})` },
          cut(name));
        if (seat === "north") label.setAttribute("transform", `translate(0 ${-middle})`);
        return [label];
      }));
    },
  };
}

const cut = (name) => (name.length > 26 ? `${name.slice(0, 25)}…` : name);

function pocketCentres(mm) {
  const c = mm.side_mm / 2 - mm.pocket_radius_mm;
  return { NE: [c, c], NW: [-c, c], SW: [-c, -c], SE: [c, -c] };
}

function markings(mm) {
  const half = mm.side_mm / 2;
  const parts = Object.values(pocketCentres(mm)).map(([x, y]) => draw("circle.b-hole", { cx: x, cy: y, r: mm.pocket_radius_mm }));
  for (const turn of [0, 90, 180, 270]) {
    const outer = half - (mm.outer_line_mm[0] + mm.outer_line_mm[1]) / 2;
    const inner = half - (mm.inner_line_mm[0] + mm.inner_line_mm[1]) / 2;
    const length = mm.line_half_length_mm;
    const [near, far] = mm.arrow_mm.slice(0, 2).map((radius) => radius / Math.SQRT2);
    const base = [-1, 1].flatMap((sign) => {
      const at = { cx: sign * mm.line_half_length_mm, cy: half - (mm.outer_line_mm[0] + mm.inner_line_mm[1]) / 2 };
      return [draw("circle.b-wood", { ...at, r: mm.base_circle_mm / 2 }),
        draw("circle.b-ring", { ...at, r: mm.base_circle_mm / 2 }),
        draw("circle.b-disc", { ...at, r: mm.base_disc_mm / 2 })];
    });
    parts.push(draw("g", { transform: `rotate(${turn})` },
      draw("line.b-line.wide", { x1: -length, x2: length, y1: outer, y2: outer }),
      draw("line.b-line", { x1: -length, x2: length, y1: inner, y2: inner }),
      ...base,
      draw("line.b-arrow", { x1: near, y1: near, x2: far - 14, y2: far - 14 }),
      draw("path.b-arrow", { d: `M ${near + 2} ${near + 34} A 24 24 0 1 1 ${near + 34} ${near + 2}` })));
  }
  parts.push(draw("circle.b-ring", { r: mm.outer_circle_mm / 2 }), draw("circle.b-disc", { r: 4, opacity: 0 }),
    draw("circle.b-ring", { r: mm.centre_circle_mm / 2 }));
  return parts;
}
