// Fix: another reading of a stroke in two taps; else on the drawn board; else everything, as a form.

import { button, make } from "./dom.mjs";
import { makeDrawing } from "./drawing.mjs";
import { strokeClip } from "./evidence.mjs";
import { strokeForm } from "./form.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { nameOf, seated } from "./names.mjs";
import { openProtest } from "./protest.mjs";
import { fallen, readings } from "./readings.mjs";
import { replayAgain } from "./replay.mjs";
import { openSheet } from "./sheet.mjs";
import { dots } from "./words.mjs";

/** Opens the sheet for a stroke of this match. It stays that stroke's, however play goes on meanwhile. `putting`: the event
 * that puts another in the stroke's place: a correction, if it is left out. */
export async function openFix(seq, { state, ways, geometry }, putting = null) {
  let shot;
  try {
    shot = await ask(`/stroke/${seq}`);
  } catch (error) {
    return ways.tell(error.message, { bad: true });
  }
  const { score, pieces } = state();
  const title = t("fix-stroke-of", { seq, name: nameOf(shot.seat, score) });
  const correct = (event) => sheet.attempt(() => ways.propose(title, putting?.(event) ?? { event: "correct", seq, with: event }, { stroke: seq }));
  const chips = readings(shot, pieces, score.queen).map(({ says, piece, event }) => {
    const chip = button("", () => correct(event), ".chip");
    chip.append(piece ? make(`i.piece-dot.${piece}`, { "aria-hidden": "true" }) : "", says);
    return chip;
  });
  const others = seated(score).filter(([seat]) => seat !== shot.seat).slice(0, 3).map(([seat, name]) =>
    button(t("reading-struck-by", { name }), () => correct({ ...fallen(shot, shot.pocketed ?? []), seat }), ".chip"));
  const sheet = openSheet(title,
    make("p.fell", {}, ...dots({ fell: shot.pocketed }), shot.pocketed?.length ? "" : t("reading-nothing")),
    make("div.chips", {}, ...chips, ...others),
    strokeClip(state(), seq),
    seq === state().shot?.seq ? "" : make("p.soft", {}, t("drawn-as-it-lies-now")),
    makeDrawing(geometry, { board: state().board, shot, pieces, sees: state().health?.camera === "ok" }, {
      fell: (pocketed) => correct(fallen(shot, pocketed)),
      lies: (lying) => !putting && sheet.attempt(() => ways.act({ event: "placed", pieces: lying.filter(({ piece }) => piece !== "striker"), reason: title })),
    }),
    more(shot, score, pieces, correct),
    putting ? "" : make("div.buttons", {}, replayAgain(seq, { state, ways }), button(t("protest"), () => openProtest(seq, state())), button(t("take-stroke-back"), () => {
      sheet.close();
      const last = seq === state().shot?.seq;
      ways.propose(t("take-stroke-back"), last ? { event: "void" } : { event: "correct", seq, with: { event: "set", position: {} }, reason: "taken back" }, { stroke: seq });
    })));
}

function more(shot, score, pieces, correct) {
  const form = strokeForm(shot, seated(score), pieces);
  return make("details", {}, make("summary", {}, t("everything-else")), form.element,
    make("div.buttons", {}, button(t("correct-so"), () => correct(form.event()), ".first")));
}
