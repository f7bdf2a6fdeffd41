// What an umpire does with board and seats by hand: laying pieces as they lay or anew, a board again, a change of ends.

import { AS_IS, button, make } from "./dom.mjs";
import { strokeClip } from "./evidence.mjs";
import { t } from "./i18n.mjs";
import { asItLay, laid, neutral } from "./laying.mjs";
import { makeLayout } from "./layout.mjs";
import { nameOf } from "./names.mjs";
import { openSheet } from "./sheet.mjs";
import { byTheBook } from "./words.mjs";

const ROUND = ["south", "east", "north", "west"]; // anticlockwise, as seats follow each other
const RESHUFFLES = ["club-66", "club-67", "club-68"]; // the clauses that know a neutral formation

let following = null; // what a sheet that is open follows

/** The camera has seen the board anew: an open sheet is told. */
export const followBoard = () => following?.();

/** Opens the list; each says what it does. */
export function openProcedures(tools) {
  const { state, ways, calls, clauses } = tools;
  const { score, lay } = state();
  const under = ["playing", "paused", "trial"].includes(score.state);
  const tiles = [];
  const add = (name, does, what = t(`do-${name}`)) => {
    const tile = button("", () => { sheet.close(); does(); }, ".tile");
    tile.dataset.do = name;
    tile.append(make("b", {}, what), make("span.then", {}, t(`do-${name}-why`)));
    tiles.push(tile);
  };
  if (under && lay?.pieces?.length) add("restore", () => follow(tools, t("do-restore"), () => asItLay(state())));
  if (under && RESHUFFLES.some((clause) => clause in clauses())) {
    add("reshuffle", () => follow(tools, t("do-reshuffle"), () => neutral(state().ruling?.left ?? {}, tools.geometry), { stops: true }));
  }
  if (under && state().shot) add("replay-stroke", () => ways.propose(t("do-replay-stroke"), { event: "void" }, { stroke: state().shot?.seq, always: true }));
  for (const one of under ? calls().filter(({ does }) => does === "replay_board") : []) {
    const tile = button("", () => { sheet.close(); ways.propose(t("do-replay-board"), { event: "void", clause: one.clause }, { always: true }); }, ".tile");
    tile.dataset.do = "replay-board";
    tile.append(make("b", {}, t("do-replay-board")), make("span.then", {}, byTheBook(one.says)), make("span.clause", AS_IS, one.clause));
    tiles.push(tile);
  }
  for (const [name, seats] of changes(score)) add(name, () => ways.propose(t(`do-${name}`), { event: "seats", seats }, { always: true }));
  if (score.state === "board_over") {
    for (const [seat, name] of score.sides.flatMap((side) => Object.entries(side.seats))) {
      add("toss", () => ways.act({ event: "next_board", first: seat }), t("do-toss", { name }));
    }
  }
  const sheet = openSheet(t("board-and-seats"), tiles.length ? make("div.tiles", {}, ...tiles) : make("p.soft", {}, t("nothing-by-hand")));
}

/** The ways to change seats: opposite, and for four one seat on. */
function changes(score) {
  const now = Object.assign({}, ...score.sides.map(({ seats }) => seats));
  const taken = ROUND.filter((seat) => seat in now);
  if (!taken.length || score.state === "match_over") return [];
  const by = (steps) => Object.fromEntries(taken.map((seat) => [ROUND[(ROUND.indexOf(seat) + steps) % 4], now[seat]]));
  return taken.length === 4 ? [["ends", by(2)], ["round", by(1)]] : [["ends", by(2)]];
}

/** Follows the laying of what `wanted()` names until all of it lies there, or whoever umpires says that it does. */
async function follow(tools, title, wanted, { stops = false } = {}) {
  const { state, ways, geometry } = tools;
  if (stops && state().score.state === "playing") await ways.act({ event: "pause" });
  const layout = makeLayout(geometry);
  const lies = (pieces) => pieces.filter(({ piece }) => piece !== "striker").map(({ piece, x, y }) => ({ piece, x, y }));
  const done = button(t("it-lies-so"), async () => {
    sheet.close();
    const seen = state().health?.camera === "ok" ? lies(state().board?.pieces ?? []) : wanted().map(({ piece, at: [x, y] }) => ({ piece, x, y }));
    if (await ways.act({ event: "placed", pieces: seen, reason: title }) && stops) await ways.act({ event: "resume" });
  }, ".first");
  const show = () => {
    const items = laid(wanted(), state().board?.pieces, state().ruling?.left, state().lay?.within_mm);
    layout.show(state(), items);
    done.textContent = t(items.every(({ seen }) => seen) ? "all-lies" : "it-lies-so");
  };
  const sheet = openSheet(title, layout.element, make("div.buttons", {}, done));
  following = show;
  show();
  await sheet.closed;
  following = null;
}

/** Opens the strokes' times, newest first, with what may follow of an appeal against the last one. */
export function openTimes(tools) {
  const { state, ways, calls } = tools;
  const { score, history, shot } = state();
  const limit = score.clock?.limit;
  const timed = (history ?? []).filter(({ event, elapsed }) => event === "shot" && elapsed != null).reverse();
  const row = (entry) => make(`tr${limit && entry.elapsed > limit ? ".late" : ""}`, {}, make("th", { scope: "row" }, entry.seq), make("td", {}, nameOf(entry.seat, score)),
    make("td", {}, t("seconds", { count: entry.elapsed.toFixed(1) })), make("td", {}, limit && entry.elapsed > limit ? t("time-over") : ""));
  const clause = calls().find(({ time }) => time)?.clause;
  const rules = (event) => { sheet.close(); return event.action ? ways.act(event, { says: t("appeal-rejected") }) : ways.propose(t("appeal-upheld"), event, { stroke: shot.seq, always: true }); };
  const buttons = shot && clause ? [
    button(t("uphold", { name: nameOf(shot.seat, score) }), () => rules({ event: "call", clause, seat: shot.seat }), ".first"),
    button(t("reject"), () => rules({ event: "call", action: "wave_off", clause, seat: shot.seat, reason: "time appeal" }))] : [];
  const sheet = openSheet(t("times"), make("p.soft", {}, limit ? t("times-limit", { count: limit }) : t("times-no-limit")),
    timed.length ? make("table.times", {}, make("tbody", {}, ...timed.map(row))) : make("p", {}, t("times-none")),
    strokeClip(state(), shot?.seq), make("div.buttons", {}, ...buttons));
}
