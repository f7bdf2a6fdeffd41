// Rescue: how it stands in truth, and play on. Only what was changed is said.

import { button, make } from "./dom.mjs";
import { choice, field } from "./form.mjs";
import { t } from "./i18n.mjs";
import { players, seated } from "./names.mjs";
import { openSheet } from "./sheet.mjs";

/** Opens the sheet, filled with how it stands now. */
export function openRescue({ state, ways }) {
  const { score } = state();
  const sides = score.sides;
  const position = {};
  const put = (key, name, value, was) => {
    const group = position[key] ??= {};
    if (value === was) delete group[name];
    else group[name] = value;
    if (!Object.keys(group).length) delete position[key];
  };
  const number = (label, value, most, changed) => {
    const shown = make("output", { "aria-live": "polite" }, String(value));
    let now = value;
    const step = (by) => button(by > 0 ? "+" : "−", () => {
      now = Math.min(most, Math.max(0, now + by));
      shown.textContent = String(now);
      changed(now);
    });
    const [less, more] = [step(-1), step(1)];
    less.setAttribute("aria-label", t("less", { what: label }));
    more.setAttribute("aria-label", t("more-of", { what: label }));
    return make("div.stepper", { role: "group", "aria-label": label }, make("span", {}, label), less, shown, more);
  };
  const coloured = sides.filter(({ colour }) => colour);
  const sideOptions = sides.map((side) => [side.name, players(side)]);
  const turn = choice(seated(score), score.turn ?? "");
  const white = choice(sideOptions, coloured.find(({ colour }) => colour === "white")?.name ?? "");
  const queen = choice([["board", t("queen-board")], ...sides.flatMap((side) => ["pending", "covered"].map((how) =>
    [`${how} ${side.name}`, t(`queen-${how}-by`, { name: players(side) })]))], score.queen === "board" ? "board" : `${score.queen} ${score.queen_side}`);
  const reason = make("input", { type: "text", maxlength: 500 });
  const was = { turn: turn.value, white: white.value, queen: queen.value };
  const go = button(t("rescue-go"), async () => {
    const event = { event: "set", position: { ...position } };
    if (turn.value !== was.turn) event.position.turn = turn.value;
    if (white.value !== was.white) event.position.white = white.value;
    if (queen.value !== was.queen) {
      const [how, side] = queen.value.split(" ");
      event.position.queen = how;
      if (side) event.position.queen_side = side;
    }
    if (reason.value.trim()) event.reason = reason.value.trim();
    await sheet.attempt(() => ways.propose(t("rescue"), event));
  }, ".first");
  const sheet = openSheet(t("rescue"),
    make("div.steppers", {},
      ...sides.map((side) => number(t("points-of", { name: players(side) }), side.points, 999, (now) => put("score", side.name, now, side.points))),
      ...coloured.map((side) => number(t("left-of", { piece: t(`piece-${side.colour}`) }), side.left ?? 0, 9, (now) => put("left", side.colour, now, side.left))),
      ...sides.map((side) => number(t("owed-by", { name: players(side) }), side.owed, 19, (now) => put("owed", side.name, now, side.owed)))),
    make("div.fields", {}, field(t("turn"), turn), coloured.length ? field(t("who-is-white"), white) : null, field(t("piece-queen"), queen), field(t("reason"), reason)),
    make("div.buttons", {}, go));
}
