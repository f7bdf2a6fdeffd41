// The hall's screen: tables that play and whom they call, then results, then what is next, a page at a time; nothing to
// touch. A table keeps its place, and letters are as large as its tile has room for.

import { AS_IS, fill, make } from "./dom.mjs";
import { clockKnown, hubNow, hubTime } from "./hub_clock.mjs";
import { breadth, fitted, grid } from "./hub_fit.mjs";
import { follow } from "./hub_tables.mjs";
import { clockOf, endedSides, lampOf, pairsOf, placeOf, playersOf, stageOf, stateOf, stripOf, titleOf, waited, walkoverOf } from "./hub_tile.mjs";
import { t, translate } from "./i18n.mjs";
import { ask } from "./live.mjs";

const at = (id) => document.getElementById(id);
const SHOWN_MS = 12_000;
const SOON_MS = 500;
const MOST = { tables: 24, matches: 8, calls: 3 };
const USUAL = ["Asha Rao", "Sinnathamby Balasubramaniam"]; // a short name and a long one, for which a tile has to have room,
const LEAST_PX = 11; // in letters of about that size at least
const GONE_S = 600; // so long a free table that is away keeps its place
const WON = t("won").replaceAll(" ", "\u00a0");
let tiles = [];
let day = { club: "", titles: {}, next: [], results: [] };
let turn = 0;
let due = 0;

/** A list in parts of at most `most`, about as long as each other. */
function parts(list, most) {
  const size = Math.ceil(list.length / Math.ceil(list.length / most));
  return list.length ? Array.from({ length: Math.ceil(list.length / size) }, (_, part) => list.slice(part * size, (part + 1) * size)) : [];
}

/** What a tile of that size has room for, in px. `lines`: how many small ones at its foot. */
function measures(wide, high, lines = 0) {
  const edge = Math.min(0.03 * wide, 0.06 * high);
  const head = Math.min(0.2 * high, 0.08 * wide);
  const foot = 0.8 * head * lines;
  const side = (high - 2 * edge - head - foot) / 2;
  return { wide: wide - 3 * edge, edge, head, foot, side, figure: Math.min(0.82 * side, 0.14 * wide) };
}

const nameRoom = (size, figures) => ({ wide: size.wide - figures * size.figure, high: 0.96 * size.side, largest: 0.9 * size.figure });

const usual = (wide, high) => {
  const size = measures(wide, high);
  return Math.sqrt(USUAL.reduce((product, name) => product * fitted(name, nameRoom(size, 2.8)).size, 1));
};

/** Of two who play together each is named in one line, if there are two. */
const together = (who) => who.replaceAll(" & ", "\u00a0& ");

/** What stands at the head or foot of a tile; where it is long, in small letters and two lines. */
function lineOf(tag, wide, high, largest, words) {
  const line = make(tag, {}, ...words);
  line.style.height = `${high}px`;
  line.style.fontSize = `${fitted(line.textContent, { wide, high, largest, most: 2 }).size}px`;
  return line;
}

/** Figures have the room of two digits: no name moves as they grow. */
const room = (sides, figure) => Math.max(0, ...sides.map((side) => side[figure] ?? "").map((text) => (text === "" ? 0 : breadth(`${text}`.padStart(2, "0")))));

function sidesOf(sides, size) {
  const [games, points] = [room(sides, "games"), room(sides, "points")];
  const gutter = sides.some((side) => "turn" in side) ? 0.55 : 0;
  const tracks = [gutter, null, games && 0.75 * games + 0.5, points && points + 0.1];
  const named = nameRoom(size, tracks.reduce((sum, one) => sum + one, 0.5));
  return sides.map(({ who, won, turn: on, ...figures }) => {
    // The mark of a winner has the room of a word.
    const { lines, size: letters } = fitted(`${together(who)} ${won ? WON : ""}`, named);
    const beside = won ? lines.pop().slice(0, -WON.length).trim() : "";
    const name = make("span.hall-name", {}, make("bdi", AS_IS, ...lines.map((line) => make("span", {}, `${line} `)), beside && make("span.beside", {}, `${beside} `)), won ? make("i", {}, WON) : null);
    name.style.fontSize = `${letters}px`;
    const line = make(`div.hall-side${won ? ".won" : ""}${on ? ".turn" : ""}`, {}, make("span", { "aria-hidden": "true" }, on ? "▸" : ""), name,
      make(`span${games ? ".hall-games" : ""}`, {}, figures.games), make("b", {}, figures.points));
    line.style.gridTemplateColumns = tracks.map((one) => (one === null ? "minmax(0, 1fr)" : `${one}em`)).join(" ");
    return line;
  });
}

/** A tile. `one`: its `lamp`, what stands at its `head` and `foot`, and its `sides`. */
const tileOf = (one, size) => make("article.hall-table", { "data-lamp": one.lamp }, lineOf("h2", size.wide, size.head, size.head / 1.3, one.head),
  ...sidesOf(one.sides ?? [], size), size.foot ? lineOf("p.soft", size.wide, size.foot, size.head / 1.5, one.foot) : null);

const apart = (...words) => words.filter(Boolean).join(" · ");

const comingSides = (one) => pairsOf(one).map((who) => ({ who, points: "" }));

function tableOf(tile) {
  const over = tile.state === "match_over";
  const idle = tile.state === "idle";
  const comes = idle && tile.online ? day.next.find(({ table }) => table === tile.table) : null;
  const games = tile.sides.reduce((sum, side) => sum + side.games, 0);
  const board = idle || !tile.board ? ""
    : games ? t("game-board", { game: games + !over, board: tile.board }) : t("board-number", { board: tile.board });
  return {
    lamp: tile.lamp,
    head: [...titleOf(tile), make("span.soft", {}, ` · ${apart(board, tile.online ? stateOf(tile) : `${lampOf(tile)} ${waited(tile.since)}`)}`, clockOf(tile),
      comes ? ` · ${apart(comes.time.slice(-5), stageOf(comes, day.titles))}` : null, " "), stripOf(tile)],
    sides: idle ? comes && comingSides(comes) : tile.sides.map((side) => ({ who: playersOf(side), points: side.points, games: games > over ? side.games : null,
      won: tile.winner === side.name, turn: tile.turn != null && tile.turn in side.seats })),
  };
}

const resultOf = (row) => ({ lamp: "fine", head: [apart(row.event, row.round, row.id) || row.title], foot: [walkoverOf(row) || apart(row.title, row.end.slice(-5))], sides: endedSides(row) });

const fixtureOf = (one) => ({ lamp: one.stage === "called" ? "ask" : "off", head: [apart(one.time.slice(-5), placeOf(one, day.titles), one.event, one.id || one.round)],
  foot: [stageOf(one, day.titles)], sides: comingSides(one) });

const byTitle = (one, other) => one.title.localeCompare(other.title, "en", { numeric: true }) || (one.table < other.table ? -1 : 1);

/** The tables that have a place: those that are there, in a match or not heard yet, and who was there a moment ago. In an
 * order that only another table changes. */
function placed() {
  const there = tiles.filter((tile) => tile.online || tile.state !== "idle" || tile.lamp === "unknown" || hubNow() - (tile.since ?? 0) < GONE_S);
  return [...(there.length ? there : tiles)].sort(byTitle);
}

/** Who is called, some at a time; else who comes next. */
function callsOf() {
  const called = day.next.filter(({ stage }) => stage === "called");
  const some = parts(called, MOST.calls);
  return some.length ? some[turn % some.length] : day.next.filter(({ stage }) => stage !== "playing").slice(0, 1);
}

function callOf(one, wide, high) {
  const text = [placeOf(one, day.titles), pairsOf(one).map(together).join(" : ")].join(" ");
  const label = make("span.soft", {}, apart(one.stage === "called" ? t("club-called") : t("club-next"), one.time.slice(-5)));
  const said = make("b", AS_IS, text);
  const { size } = fitted(text, { wide, high: 0.7 * high, largest: 0.45 * high });
  said.style.fontSize = `${size}px`;
  label.style.fontSize = `${fitted(label.textContent, { wide, high: 0.24 * high, largest: 0.8 * size, most: 1 }).size}px`;
  return make("p.hall-call", { "data-stage": one.stage }, label, said);
}

/** The pages: each its title, and what it shows in so much room. */
function pages(page, gap) {
  const most = (limit, high) => {
    let count = limit;
    while (count > 1 && grid(count, { wide: page.wide, high }, gap, usual).size < LEAST_PX) count -= 1;
    return count;
  };
  const tilesIn = (some, high, lines) => {
    const found = grid(some.length, { wide: page.wide, high }, gap, usual);
    const size = measures(found.wide, found.high, lines);
    const box = make("div.hall-tables", {}, ...some.map((one) => tileOf(one, size)));
    box.style.cssText = `--columns: ${found.columns}; --edge: ${size.edge}px; --figure: ${size.figure}px; height: ${high}px`;
    return box;
  };
  const calls = callsOf();
  const band = calls.length ? 0.16 * page.high : 0;
  const side = (page.wide - gap * (calls.length - 1)) / calls.length;
  const called = () => {
    const box = make("div.hall-calls", {}, ...calls.map((one) => callOf(one, 0.94 * side, band)));
    box.style.height = `${band}px`;
    return box;
  };
  const free = page.high - (band && band + gap);
  return [
    ...parts(placed().map(tableOf), most(MOST.tables, free)).map((some) => [t("club-on-tables"), () => [tilesIn(some, free), band ? called() : null]]),
    ...[[t("club-results"), [...day.results].reverse().map(resultOf)], [t("club-next-matches"), day.next.map(fixtureOf)]].flatMap(([title, list]) =>
      parts(list, most(MOST.matches, page.high)).map((some) => [title, () => [tilesIn(some, page.high, 2)]])),
  ];
}

function show() {
  const { clientWidth: wide, clientHeight: high } = at("page");
  const all = pages({ wide, high }, 0.008 * Math.min(innerWidth, innerHeight * 1.8));
  at("now").textContent = hubTime(hubNow());
  if (!all.length) return fill(at("page"), make("p.soft", {}, t("club-none")));
  const [title, body] = all[turn % all.length];
  const head = at("title");
  head.textContent = day.club ? `${day.club} · ${title}` : title;
  head.style.fontSize = `${fitted(head.textContent, { wide: head.clientWidth, high: head.clientHeight, largest: 0.8 * head.clientHeight, most: 2 }).size}px`;
  fill(at("page"), ...body());
}

translate();
follow((rows) => {
  tiles = rows;
  show();
}, (kind) => {
  if (kind === "day") due ||= setTimeout(refresh, SOON_MS); // several changes at once are one
});

async function refresh() {
  due = 0;
  await clockKnown;
  day = await ask("/day/state").catch(() => day);
  show();
}
refresh();
setInterval(() => { turn += 1; refresh(); }, SHOWN_MS);
addEventListener("resize", show);
document.fonts.addEventListener("loadingdone", show); // letters of another script are as broad as its own font has them
