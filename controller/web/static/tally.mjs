// How it stands, on a phone: a box for each side with its points, and what it has left, holds and owes.

import { AS_IS, fill, make } from "./dom.mjs";
import { fitAll } from "./fit.mjs";
import { t } from "./i18n.mjs";
import { open as hangs, players } from "./names.mjs";
import { doubtMark } from "./words.mjs";

/** Fills `element` with a box for each side. */
export function showTally(element, score) {
  fill(element, ...score.sides.map((side) => {
    const turn = score.turn != null && score.turn in side.seats && score.state === "playing";
    const details = [side.left == null ? null : make("span.mini", {}, make(`i.piece-dot.${side.colour}`, { role: "img", "aria-label": t(`piece-${side.colour}`) }), side.left, hangs(`left.${side.colour}`, score) ? doubtMark() : null),
      side.queen ? make("i.piece-dot.queen", { role: "img", "aria-label": t(`sign-queen-${side.queen}`) }) : null,
      side.owed ? make("span.mini.due", {}, `−${side.owed}`, hangs(`owed.${side.name}`, score) ? doubtMark() : null) : null];
    return make(`div.side${turn ? ".turn" : ""}`, { "data-side": side.name },
      make("p.who", { title: players(side) }, turn ? make("span.mark", { role: "img", "aria-label": t("to-play") }, "▶", hangs("turn", score) ? doubtMark() : null) : null,
        make("span.names", AS_IS, players(side))),
      make("p.points", {}, make("span", { "data-points": side.name }, String(side.points)), hangs(`score.${side.name}`, score) ? doubtMark() : null),
      make("p.details", {}, ...details));
  }));
  fitAll(element);
}
