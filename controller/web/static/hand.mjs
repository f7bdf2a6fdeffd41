// Scoring by hand: a stroke is one tap, and undone in one. The same stroke takes further pieces with `and`.

import { button, fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { nameOf } from "./names.mjs";
import { fallen } from "./readings.mjs";

let together = false;

/** Fills `element` with the pad for whoever is on turn. */
export function showHand(element, { state, ways }) {
  const { score, pieces, shot } = state();
  const seat = score.turn;
  element.hidden = !["playing", "trial"].includes(score.state) || !seat;
  if (element.hidden) return fill(element);
  const add = async (piece) => {
    if (together && state().shot) {
      const { seq } = state().shot;
      together = false;
      const last = await ask(`/stroke/${seq}`).catch(() => null);
      if (last) await ways.propose(t("hand"), { event: "correct", seq, with: fallen(last, [...(last.pocketed ?? []), ...(piece ? [{ piece }] : [])]) }, { stroke: seq });
    } else {
      await ways.act({ event: "shot", seat: state().score.turn, pocketed: piece ? [{ piece }] : [] });
    }
    showHand(element, { state, ways });
  };
  const tap = (piece) => {
    const made = button("", () => add(piece), ".chip");
    made.dataset.add = piece ?? "miss";
    made.append(piece ? make(`i.piece-dot.${piece}`, { "aria-hidden": "true" }) : "", piece ? t("hand-add", { piece: t(`piece-${piece}`) }) : t("hand-miss"));
    return made;
  };
  const same = button(t("hand-same"), () => {
    together = !together;
    showHand(element, { state, ways });
  }, ".chip");
  same.setAttribute("aria-pressed", String(together));
  same.disabled = !shot;
  const back = button(t("hand-undo"), () => ways.act({ event: "void" }), ".chip");
  back.disabled = !shot;
  return fill(element, make("h2", {}, t("hand-for", { name: nameOf(seat, score) })),
    make("div.chips", { "data-seat": seat, "data-seq": shot?.seq }, ...pieces.map(tap), tap("striker"), tap(null), same, back));
}
