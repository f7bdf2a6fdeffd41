// One table as the club's pages show it: who plays, how it stands, what waits for somebody and since when.

import { AS_IS, make } from "./dom.mjs";
import { hubNow, hubTime } from "./hub_clock.mjs";
import { t } from "./i18n.mjs";
import { whoOf } from "./names.mjs";
import { showWatching, simulatedMark, watching } from "./watch.mjs";
import { byTheBook } from "./words.mjs";

export const lampOf = (tile) => t(`club-lamp-${tile.cut ? "cut" : tile.lamp}`);

/** "for 3 min" */
function long(since, now) {
  const minutes = Math.max(0, Math.floor((now - since) / 60));
  if (minutes < 1) return t("club-just-now");
  return minutes < 90 ? t("club-minutes", { count: minutes }) : t("club-hours", { count: Math.floor(minutes / 60) });
}

/** "since 20:41, for 3 min": both, because nobody reckons in a hall. */
export function waited(since) {
  return since == null || since <= 0 ? "" : t("club-since", { time: hubTime(since), long: long(since, hubNow()) });
}

export const playersOf = (side) => Object.values(side.seats).join(" & ") || side.name;

export const stateOf = (tile) => (tile.online ? t(tile.challenged ? "event-challenge" : `state-${tile.state}`) : lampOf(tile));

/** What it does, and if it needs somebody; of what waits below, the time stands there. */
const aboutOf = (tile) => (!tile.online ? `${lampOf(tile)} ${waited(tile.since)}`
  : tile.lamp === "fine" ? stateOf(tile) : t("club-state", { state: stateOf(tile), lamp: lampOf(tile) }));

/** Its name, and whether it is a simulated one. */
export const titleOf = (tile) => [tile.title, tile.health?.simulated ? " " : null, simulatedMark(tile.health?.simulated)];

/** How well it watches, as on its own pages; null where it cannot be heard or has not said. */
export const watchOf = (tile) => (!tile.online || !tile.health ? null
  : watching({ score: { state: tile.state, armed: tile.armed }, health: tile.health }, null));

/** Its strip, if there is something amiss. */
export function stripOf(tile) {
  const now = watchOf(tile);
  if (!now?.why.length) return null;
  const strip = make("p.watch");
  showWatching(strip, now);
  return strip;
}

export const sidesOf = (tile) => tile.sides.map((side) => {
  const turn = tile.turn != null && tile.turn in side.seats;
  return make(`div.hub-side${turn ? ".turn" : ""}`, {},
    make("span", {}, turn ? "▸ " : "", make("bdi", AS_IS, playersOf(side)), tile.winner === side.name ? make("span.soft", {}, ` ${t("won")}`) : null),
    make("b", {}, side.points));
});

/** Its stroke clock and its round's, each empty while there is none. They go on by themselves. */
export const clockOf = ({ clock, round }) => make("span", {}, running("span.hub-clock", clock, "seconds", 1), running("span.hub-round", round, "round-left", 60));

const running = (tag, clock, says, unit) => make(tag, clock?.ends == null ? {} : { "data-ends": clock.ends, "data-left": clock.left, "data-says": says, "data-unit": unit },
  clock ? clockSays(clock, says, unit) : "");

/** Never more than was left when the hub sent it: this screen may not know the hub's clock yet. */
const clockSays = ({ ends, left }, says, unit) => ` · ${t(says, { count: Math.max(0, Math.ceil((ends == null ? left : Math.min(left, ends - hubNow())) / unit)) })}`;

setInterval(() => {
  for (const shown of document.querySelectorAll("[data-ends]")) {
    const { ends, left, says: message, unit } = shown.dataset;
    const says = clockSays({ ends: Number(ends), left: Number(left) }, message, Number(unit));
    if (shown.textContent !== says) shown.textContent = says;
  }
}, 250);

/** One thing that waits: its words and since when. */
export const waitsFor = (one) => make("p.alert", { "data-level": one.level }, byTheBook(one.says), make("span.soft", {}, ` ${waited(one.t)}`));

/** An address of the table's own pages, if it says one that a browser may follow. */
export function pageOf(tile, path) {
  try {
    const url = new URL(path, tile.page);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The tile, a link to the table's own page in the hub. */
export function tileOf(tile) {
  const about = [tile.book, tile.board ? t("board-number", { board: tile.board }) : null].filter(Boolean).join(" · ");
  return make("a.card.hub-table", { href: `/tables/${tile.table}`, "data-table": tile.table, "data-lamp": tile.lamp, "data-cut": tile.cut },
    make("h2", {}, make("span.lamp", { "aria-hidden": "true" }), ...titleOf(tile)),
    make("p.hub-state", {}, aboutOf(tile), clockOf(tile)),
    stripOf(tile),
    ...sidesOf(tile),
    make("p.soft", {}, about),
    ...(tile.online ? tile.waiting.slice(0, 3) : []).map(waitsFor));
}

/** The still picture and the clip of what waits, on the table's own pages; only a referee is told which they are. */
export function picturesOf(tile, one) {
  const still = one.picture != null ? pageOf(tile, `/picture/${one.picture}`) : null;
  const clip = one.clip ? pageOf(tile, `/clip/${one.clip[0]}-${one.clip[1]}`) : null;
  return [still && make("a.btn.small", { href: still }, t("club-picture")), clip && make("a.btn.small", { href: clip }, t("play-stroke"))];
}

const LATE_MIN = 5; // a match that begins some minutes after its time is not late

/** How it stands with a match that is still to be played, and why it is not called. */
export function stageOf({ stage, busy, awaits, late_min: late, until, after, begins }, titles) {
  const held = Object.entries(busy).map(([key, table]) => {
    const who = whoOf(key, awaits);
    return table ? t("club-held", { who, table: titles[table] ?? table }) : t("club-held-anywhere", { who });
  }).join(", ");
  const rests = () => t("club-rests", { who: Object.keys(busy).join(" & "), time: until.slice(-5) });
  const said = { rests: stage === "rests" && rests(), queues: t("club-queues"), playing: t("club-now"), called: t("club-called"), held, early: t("club-early", { time: until.slice(-5) }), away: t("club-table-away"), aside: until ? t("club-delayed", { time: until.slice(-5) }) : t("club-postponed"), waits: until ? t("club-on-day", { day: until.slice(0, 10) }) : after && t("club-after", { who: after }) }[stage];
  const about = begins && ["held", "rests", "queues", "waits"].includes(stage) ? t("club-about", { time: begins }) : "";
  return [said, about, stage !== "playing" && late >= LATE_MIN ? t("club-late", { count: late }) : ""].filter(Boolean).join(" · ");
}

/** The players of a fixture, one side after the other. */
export const pairsOf = ({ sides, seats, awaits }) => sides.map((side) => (side.every((seat) => awaits[seat] === seats[seat])
  ? whoOf(seats[side[0]], awaits) : side.map((seat) => seats[seat]).join(" & ")));

/** Where a fixture is played. */
export const placeOf = ({ table }, titles) => (table ? titles[table] ?? table : t("club-any-table"));

/** The sides of a match that has ended: `who`, what each has, and whether it `won`. Games are told where there were several. */
export const endedSides = (row) => [1, 2].map((side) => ({
  who: row[`side ${side}`], won: Boolean(row.winner) && row.winner === row[`side ${side}`], points: row.walkover ? "" : row[`points ${side}`],
  games: !row.walkover && row["games 1"] + row["games 2"] > 1 ? row[`games ${side}`] : null,
}));

/** A side of a match in a list: its players, and at the right what they have. */
export const lineOf = ({ who, won, waits, points, games }) => make(`div.draw-side${won ? ".won" : ""}${waits ? ".soft" : ""}`, {},
  make("bdi", AS_IS, who), points == null ? null : make("span", {}, make("b", {}, games ?? points), games == null ? null : ` (${points})`));

/** Who should play by a result that was corrected after the call; "" where it is who was called. */
export const differingOf = ({ differing, awaits }) => (Object.keys(differing).length
  ? t("club-by-result", { who: Object.values(differing).map((who) => whoOf(who, awaits)).join(" & ") }) : "");

/** What a result was given for at the desk; "" where it was played. */
export const walkoverOf = ({ walkover, withdrawn, winner, why }) => (walkover ? t("club-walkover", { who: winner, why: withdrawn ? t("club-why-withdrew") : why.join(", ") }) : "");
