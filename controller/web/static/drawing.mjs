// A stroke put right on the drawn board: a piece is tapped, then where it is or fell. Without a piece a pocket, then what fell.

import { makeBoard } from "./board.mjs";
import { button, fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";

const FINGER_PX = 22; // half a finger's width: the nearest piece within it is meant
const POCKETS = ["NE", "NW", "SW", "SE"];

/** Returns the element. `board`: as it lies now; `pieces`: kinds in play; `sees`: the camera sees the board, so that where
 * a piece lies is not a person's to say. `fell(pocketed)`: what fell in truth; `lies(pieces)`: how everything lies. */
export function makeDrawing(mm, { board, shot, pieces, sees }, { fell, lies }) {
  const frame = make("div.board-frame");
  const drawn = makeBoard(frame, mm);
  const svg = frame.firstElementChild;
  const says = make("p.soft", { role: "status" }, t("tap-drawing"));
  const chips = make("div.chips", { hidden: true });
  const lying = board?.pieces ?? [];
  const pocketed = shot.pocketed ?? [];
  let chosen = null; // one of `lying`, or `{ piece, index }` of `pocketed`
  drawn.pieces(board);
  drawn.stroke(shot, []);

  const choose = (one) => {
    chosen = one;
    drawn.place(one && !("index" in one) ? [{ within: { centre: [one.x, one.y], outer_mm: mm.coin_diameter_mm } }] : []);
    chips.hidden = true;
    says.textContent = one ? t("drawing-chosen", { piece: t(`piece-${one.piece}`) }) : t("tap-drawing");
  };
  const chip = (piece, text, does, pressed) => {
    const made = button("", does, ".chip");
    made.append(make(`i.piece-dot.${piece}`, { "aria-hidden": "true" }), text);
    if (pressed != null) made.setAttribute("aria-pressed", String(pressed));
    return made;
  };

  function tappedPocket(pocket) {
    if (chosen && "index" in chosen) {
      const { index } = chosen;
      if (pocketed[index].pocket !== pocket) return fell(pocketed.with(index, { ...pocketed[index], pocket }));
    } else if (chosen) return fell([...pocketed, { piece: chosen.piece, pocket }]);
    offer(pocket, pocketed.findLastIndex((one) => one.pocket === pocket));
  }

  /** What fell in a pocket, to be chosen, and what may have fallen there besides. */
  function offer(pocket, index) {
    choose(index < 0 ? null : { piece: pocketed[index].piece, index });
    const there = pocketed.flatMap((one, at) => (one.pocket === pocket ? [[one.piece, at]] : []));
    chips.hidden = false;
    fill(chips, ...there.map(([piece, at]) => chip(piece, t("piece-in", { piece: t(`piece-${piece}`), pocket }), () => offer(pocket, at), at === index)),
      make("p", {}, t("fell-in", { pocket })), ...[...pieces, "striker"].map((piece) => chip(piece, t(`piece-${piece}`), () => fell([...pocketed, { piece, pocket }]))));
    chips.scrollIntoView({ block: "nearest" });
  }

  svg.addEventListener("click", ({ clientX, clientY }) => {
    const scale = svg.getScreenCTM();
    const at = new DOMPoint(clientX, clientY).matrixTransform(scale.inverse());
    const [x, y] = [at.x, -at.y];
    const far = (one) => Math.hypot(one.x - x, one.y - y);
    const near = lying.reduce((best, one) => (best === null || far(one) < far(best) ? one : best), null);
    const meant = near && far(near) <= FINGER_PX / scale.a ? near : null;
    if (chosen && "index" in chosen && (!meant || meant.piece === chosen.piece)) return fell(pocketed.toSpliced(chosen.index, 1));
    if (meant) return choose(meant === chosen ? null : meant);
    if (!chosen) return null;
    if (sees) {
      says.textContent = t("camera-sees-it", { piece: t(`piece-${chosen.piece}`) });
      return null;
    }
    return lies(lying.map((one) => (one === chosen ? { piece: one.piece, x: Math.round(x), y: Math.round(y) } : one)));
  });
  const pockets = POCKETS.map((pocket) => make(`button.btn.pocket.${pocket}`, { type: "button", onclick: () => tappedPocket(pocket) }, make("b", {}, pocket)));
  return make("div.by-pocket", {}, says, make("div.pockets", {}, frame, ...pockets), chips);
}
