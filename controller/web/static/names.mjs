// Who is who: players and sides by name.

import { lettersOf, tall } from "./fit.mjs";
import { t } from "./i18n.mjs";

export const players = (side) => Object.values(side.seats).join(" & ") || side.name;

/** How a sentence names a player, the same wherever it does: by the name he is called by, unless another is called so. */
export function shortNames(score) {
  const all = score.sides.flatMap(({ seats }) => Object.values(seats)).map((name) => called(name));
  return (name) => (all.filter((one) => one === called(name)).length > 1 ? withInitial(name) : called(name));
}

/** The name by which a player is called: the first that is no initial, at most so many letters of it. */
export function called(name, most = BREATH) {
  const given = name.trim().split(/\s+/).find((word) => lettersOf(word).length > 1 && !word.endsWith(".")) ?? name;
  const letters = lettersOf(given);
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : given;
}

const BREATH = 18; // letters that are said in a breath: "Venkatanarasimha" is said whole

const SHORT = 12; // letters that a band has room for in one line

/** Letters of the Latin alphabet that are about as broad: those of Indian scripts are broader. */
const breadth = (text) => lettersOf(text).length * (tall(text) ? 1.3 : 1);

/** Names in at most two lines: one for each of two players, or given and family name. */
export function inLines(side) {
  const names = Object.values(side.seats);
  if (names.length > 1) return names;
  const whole = players(side);
  const space = whole.indexOf(" ");
  return breadth(whole) > SHORT && space > 0 ? [whole.slice(0, space), whole.slice(space + 1)] : [whole];
}

/** "C. Venkateswaran": the family name is kept, of the others their first letters. */
export function withInitial(name) {
  const words = name.trim().split(/\s+/);
  return [...words.slice(0, -1).map((word) => (/\p{L}/u.test(word) ? `${lettersOf(word)[0]}.` : word)), words.at(-1)].join(" ");
}

/** The player on a seat. */
export function nameOf(seat, score) {
  for (const side of score.sides) if (seat in side.seats) return side.seats[seat];
  return seat ? seatName(seat) : t("nobody");
}

const seatName = (seat) => t(`seat-${seat}`);

/** A side keeps its name when the players change ends: it is not the seat of that name. */
export function sideName(name, score) {
  const side = score.sides.find((one) => one.name === name);
  return side ? players(side) : name ?? t("nobody");
}

/** Who is meant where only a result tells (`winner SF1`), in the reader's language; any other name as it is. */
export function whoOf(name, awaits) {
  if (!Object.values(awaits).includes(name)) return name;
  const [, which, id] = /^(\S+) (.*)$/.exec(name);
  return t(`club-${which.toLowerCase()}-of`, { id });
}

/** The seats that are played from, with their players: [[seat, name], …]. */
export const seated = (score) => score.sides.flatMap((side) => Object.entries(side.seats));

/** Whether a figure hangs on an open question. */
export const open = (path, score) => (score.provisional ?? []).includes(path);

/** The scoreboard with the players in the seats that they had at an earlier ruling. */
export const seatedThen = (score, { seats }) => (seats ? { ...score, sides: score.sides.map((side) => ({ ...side, seats: seats[side.name] ?? side.seats })) } : score);

/** What phones and spreadsheets write for one name, as one. */
export const keyOf = (name) => name.normalize("NFC").replace(/[\u2018\u2019\u201b\u02bb\u02bc\u02b9\u2032`\u00b4\uff07]/g, "'").replace(/[\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d]/g, "-")
  .toLowerCase().trim().replace(/\s+/g, " ");
