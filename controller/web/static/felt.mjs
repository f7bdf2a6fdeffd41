// What fell in the latest stroke: when, felt by which beams, and how sure the table was of its reading. For the umpire.

import { make } from "./dom.mjs";
import { t, words } from "./i18n.mjs";

const SURE = 0.995; // from here on a percentage would say 100

/** The lines, nothing where nothing was felt or a person told the stroke. */
export function feltLines({ felt, stroke, shot }) {
  if (!felt || !shot || felt.seq !== shot.seq || (stroke && stroke.seq !== felt.seq)) return [];
  const lines = felt.passages.map(({ pocket, t: seconds, beams, taken_for: piece }) => make("li", {},
    t("felt-in", { what: words(`piece-${piece}`) ?? piece, pocket, seconds: seconds.toFixed(1), beams: beams.map((beam) => t(`beam-${beam}`)).join(", ") })));
  const sure = felt.sure >= SURE ? null : make("li", {}, t("felt-sure", { percent: Math.round(felt.sure * 100) }));
  return lines.length || sure ? [make("ul.felt.soft", { "aria-label": t("felt") }, ...lines, sure)] : [];
}
