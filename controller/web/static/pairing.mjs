// Letting another device in: a one-time code as a picture that its camera reads, for an umpire or for one side's players.

import { button, fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { players } from "./names.mjs";
import { openSheet } from "./sheet.mjs";

/** Fills `element` with a button for each device that may be let in. */
export function showPairing(element, score, officiating, ways) {
  const sides = officiating === "players" || score.challenges_left ? score.sides : [];
  fill(element, make("h2", {}, t("pairing")), make("p.soft", {}, t(officiating === "players" ? "pairing-why-players" : "pairing-why")),
    make("div.buttons", {}, button(t("pair-umpire"), () => show(t("pair-umpire"), {}, ways)),
      ...sides.map((side) => button(t("pair-side", { name: players(side) }), () => show(t("pair-side", { name: players(side) }), { side: side.name }, ways)))));
}

async function show(title, body, ways) {
  try {
    const { address, picture, seconds } = await ask("/invite", body);
    openSheet(title, make("img.code", { src: picture, alt: t("code-picture") }), make("p", {}, t("code-why", { count: Math.round(seconds / 60) })),
      make("p.soft.address", {}, address));
  } catch (error) {
    ways.tell(error.message, { bad: true });
  }
}
