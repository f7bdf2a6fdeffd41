// A call in the umpire's own words: warnings, points, forfeits, with a reason that is kept.

import { button, make } from "./dom.mjs";
import { choice, field } from "./form.mjs";
import { t } from "./i18n.mjs";
import { seated } from "./names.mjs";
import { openSheet } from "./sheet.mjs";

const ACTIONS = ["warn", "foul", "deduct", "draw", "forfeit", "disqualify", "wave_off"];

/** Opens the form. */
export function openOther({ state, ways }) {
  const action = choice(ACTIONS.map((word) => [word, t(`action-${word}`)]), "warn");
  const seat = choice([["", "–"], ...seated(state().score)], "");
  const clause = make("input", { type: "text", maxlength: 60 });
  const points = make("input", { type: "number", min: 1, max: 99 });
  const reason = make("input", { type: "text", maxlength: 500 });
  const send = button(t("show-changes"), () => {
    const event = { event: "call", action: action.value };
    if (seat.value) event.seat = seat.value;
    if (clause.value.trim()) event.clause = clause.value.trim();
    if (points.value) event.points = Number(points.value);
    if (reason.value.trim()) event.reason = reason.value.trim();
    return sheet.attempt(() => ways.propose(t("other-call"), event, { always: true }));
  }, ".first");
  const sheet = openSheet(t("other-call"), make("div.fields", {}, field(t("what"), action), field(t("against"), seat),
    field(t("clause"), clause), field(t("points"), points), field(t("reason"), reason)), make("div.buttons", {}, send));
}
