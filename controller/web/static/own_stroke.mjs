// One's own stroke told by hand, where nothing senses the table: what fell, piece by piece, then done.

import { button, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { nameOf } from "./names.mjs";
import { dots } from "./words.mjs";

let fell = [];
let begun = null; // the ruling after which this stroke is told

/** The card for the seat that is on turn, if it is one of `seats`; null where the table watches or another is on turn.
 * `say(event)`: tells the stroke; `again()`: shows the card anew. */
export function ownStroke({ score, pieces }, seats, say, again) {
  const seat = score.turn;
  if (score.armed !== "off" || !["playing", "trial"].includes(score.state) || !(seat in seats)) return null;
  if (begun !== score.seq) [begun, fell] = [score.seq, []];
  const now = (pocketed) => { fell = pocketed; again(); };
  const chips = [...pieces, "striker"].map((piece) => {
    const chip = button("", () => now([...fell, { piece }]), ".chip");
    chip.dataset.add = piece;
    chip.append(make(`i.piece-dot.${piece}`, { "aria-hidden": "true" }), t("hand-add", { piece: t(`piece-${piece}`) }));
    return chip;
  });
  const done = button(t("stroke-done"), () => { done.disabled = true; say({ event: "shot", seat, pocketed: fell }); }, ".first");
  const clear = button(t("stroke-anew"), () => now([]));
  clear.disabled = !fell.length;
  return make("section.card.own-stroke", {}, make("h2", {}, t("hand-for", { name: nameOf(seat, score) })),
    make("p.fell", {}, ...dots({ fell }), fell.length ? "" : t("reading-nothing")), make("div.chips", {}, ...chips), make("div.buttons", {}, done, clear));
}
