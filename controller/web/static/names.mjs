// Who is who: players and sides by name.

import { t } from "./i18n.mjs";

export const players = (side) => Object.values(side.seats).join(" & ") || side.name;

/** Names as they are called across a hall: "Chandrasekaran V.", "Ben & Bhavana". */
export function shortly(side) {
  const names = Object.values(side.seats);
  const whole = players(side);
  if (whole.length <= SHORT) return whole;
  if (names.length > 1) return names.map(called).join(" & ");
  const [, ...more] = whole.trim().split(/\s+/);
  return more.length ? `${called(whole)} ${more.at(-1)[0]}.` : called(whole);
}

/** The name by which a player is called: the given name, as much of it as is said in a breath. */
export function called(name) {
  const [given] = name.split(" ");
  return given.length > BREATH ? `${given.slice(0, BREATH - 1)}…` : given;
}

const BREATH = 18; // letters; "Venkatanarasimha" is said whole

const SHORT = 12; // letters that a band has room for in one line

/** Names in at most two lines: one for each of two players, or given and family name. */
export function inLines(side) {
  const names = Object.values(side.seats);
  if (names.length > 1) return [shortName(names[0]), `& ${names.slice(1).map(shortName).join(" & ")}`];
  const whole = players(side);
  const space = whole.indexOf(" ");
  return whole.length > SHORT && space > 0 ? [whole.slice(0, space), whole.slice(space + 1)] : [whole];
}

const shortName = (name) => (name.length > SHORT ? name.split(" ")[0] : name);

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

/** The seats that are played from, with their players: [[seat, name], …]. */
export const seated = (score) => score.sides.flatMap((side) => Object.entries(side.seats));

/** Whether a figure hangs on an open question. */
export const open = (path, score) => (score.provisional ?? []).includes(path);
