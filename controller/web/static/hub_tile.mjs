// One table as the hub shows it: who plays, how it stands, what waits for somebody and since when.

import { make } from "./dom.mjs";
import { t } from "./i18n.mjs";

export const LAMPS = { ask: "needs a referee", fault: "needs a look", fine: "plays by itself", off: "away" };

const clockTime = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/** "since 20:41, for 3 min": both, because nobody reckons in a hall. */
export function waited(since, now = Date.now() / 1000) {
  if (since == null || since <= 0) return "";
  const minutes = Math.max(0, Math.floor((now - since) / 60));
  const long = minutes < 1 ? "just now" : minutes < 90 ? `for ${minutes} min` : `for ${Math.floor(minutes / 60)} h`;
  return `since ${clockTime(since)}, ${long}`;
}

export const playersOf = (side) => Object.values(side.seats).join(" & ") || side.name;

export const stateOf = ({ online, state }) => (online ? t(`state-${state}`) : LAMPS.off);

/** What it does, and if it needs somebody since when; of what waits below, the time stands there. */
const aboutOf = (tile) => (tile.online
  ? [stateOf(tile), tile.lamp === "fine" ? null : LAMPS[tile.lamp]].filter(Boolean).join(" · ")
  : `${LAMPS.off} ${waited(tile.since)}`);

export const sidesOf = (tile) => tile.sides.map((side) =>
  make(`div.hub-side${tile.turn != null && tile.turn in side.seats ? ".turn" : ""}`, {},
    make("span", {}, tile.turn != null && tile.turn in side.seats ? "▸ " : "", playersOf(side), tile.winner === side.name ? make("span.soft", {}, " won") : null),
    make("b", {}, side.points)));

/** The tile, a link to the table's own page in the hub. */
export function tileOf(tile) {
  const about = [tile.book, tile.board ? `board ${tile.board}` : null].filter(Boolean).join(" · ");
  return make("a.card.hub-table", { href: `/tables/${tile.table}`, "data-table": tile.table, "data-lamp": tile.lamp },
    make("h2", {}, make("span.lamp", { "aria-hidden": "true" }), tile.title),
    make("p.hub-state", {}, aboutOf(tile)),
    ...sidesOf(tile),
    make("p.soft", {}, about),
    ...(tile.online ? tile.waiting.slice(0, 3) : []).map(({ level, says, t }) =>
      make("p.alert", { "data-level": level }, says, make("span.soft", {}, ` ${waited(t)}`))));
}
