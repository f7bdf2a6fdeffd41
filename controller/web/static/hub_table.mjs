// One table in the hub: its board as it lies, its last rulings, what waits, and the way to its own pages.

import { makeBoard } from "./board.mjs";
import { fill, make } from "./dom.mjs";
import { clockOf, lampOf, pageOf, picturesOf, sidesOf, stateOf, stripOf, titleOf, waited, waitsFor, watchOf } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { clockTime, t, words } from "./i18n.mjs";
import { ask, listen } from "./live.mjs";
import { notice, showBlind } from "./watch.mjs";
import { byTheBook } from "./words.mjs";

const at = (id) => document.getElementById(id);
const table = decodeURIComponent(location.pathname.split("/")[2]);
const laws = await ask("/geometry");
let drawn = "";
let board = null;

const alike = (one, other) => typeof one === typeof other && one?.length === other?.length;

function show(one) {
  const waits = (waiting) => make("div.waits", {}, waitsFor(waiting), ...picturesOf(one, waiting));
  // What is no measure (a text, a pair too short) is left the laws'.
  const own = Object.entries(one.score.measures ?? {}).filter(([name, mm]) => alike(mm, laws[name]));
  const measures = { ...laws, ...Object.fromEntries(own) };
  if (JSON.stringify(measures) !== drawn) {
    drawn = JSON.stringify(measures);
    board = makeBoard(at("board"), measures);
  }
  // A board that nobody sees now is shown as it lay, with the time it was seen last.
  showBlind(at("board"), !one.online ? { blind: true, seen: one.since }
    : one.health?.camera === "none" ? { blind: false } : watchOf(one) ?? { blind: false });
  document.title = one.title;
  fill(at("title"), ...titleOf(one));
  fill(at("state"), one.online ? stateOf(one) : `${lampOf(one)} ${waited(one.since)}`, clockOf(one));
  fill(at("watch"), stripOf(one));
  fill(at("says"), byTheBook(one.says));
  fill(at("sides"), ...sidesOf(one));
  fill(at("waiting"), ...one.waiting.map(waits));
  const console = pageOf(one, "/umpire");
  fill(at("answer"), console ? make("a.btn.first", { href: console }, t(one.lamp === "ask" ? "club-answer" : "club-console"))
    : make("span.soft", {}, t("club-no-page")));
  fill(at("rulings"), ...(one.rulings.length ? [] : [make("p.soft", {}, t("club-no-rulings"))]), ...one.rulings.map(({ seq, says, event, at: when }) =>
    make("div", {}, make("span.n", {}, seq), make("span", {}, says ? byTheBook(says) : words(`event-${event}`) ?? event, make("span.soft", {}, ` ${clockTime(when)}`)))));
  board.names({ sides: one.sides, turn: one.turn });
  board.pieces(one.board);
}

showTop();
listen((kind, body) => {
  if (kind === "state" && body) show(body);
  if (kind === "board") board?.pieces(body);
}, notice(at("lost")), `/tables/${encodeURIComponent(table)}/events`);
