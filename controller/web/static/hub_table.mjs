// One table in the hub: its board as it lies, its last rulings, what waits, and the way to its own pages.

import { makeBoard } from "./board.mjs";
import { fill, make } from "./dom.mjs";
import { LAMPS, sidesOf, stateOf, waited } from "./hub_tile.mjs";
import { ask, listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);
const table = decodeURIComponent(location.pathname.split("/")[2]);
const laws = await ask("/geometry");
let seen = -1;
let drawn = "";
let board = null;

/** The table's own page, if it says an address that a browser may follow. */
function pageOf(text, path) {
  try {
    const url = new URL(path, text);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function show(one) {
  const measures = { ...laws, ...one.score.measures };
  if (JSON.stringify(measures) !== drawn) {
    drawn = JSON.stringify(measures);
    board = makeBoard(at("board"), measures);
  }
  at("board").classList.toggle("old", !one.online);
  document.title = at("title").textContent = one.title;
  at("state").textContent = one.online ? stateOf(one) : `${LAMPS.off} ${waited(one.since)}`;
  at("says").textContent = one.says;
  fill(at("sides"), ...sidesOf(one));
  fill(at("waiting"), ...one.waiting.map(({ level, says, t }) =>
    make("p.alert", { "data-level": level }, says, make("span.soft", {}, ` ${waited(t)}`))));
  const console = pageOf(one.page, "/umpire");
  fill(at("answer"), console ? make("a.btn.first", { href: console }, one.lamp === "ask" ? "Answer at the table's console" : "Open the table's console")
    : make("span.soft", {}, "This table does not say where its own pages are (web.address)."));
  fill(at("rulings"), ...(one.rulings.length ? [] : [make("p.soft", {}, "None has been heard since this page's hub was started.")]), ...one.rulings.map(({ seq, says, event, at: when }) =>
    make("div", {}, make("span.n", {}, seq), make("span", {}, says || event, make("span.soft", {}, ` ${waited(when)}`)))));
  board.names({ sides: one.sides, turn: one.turn });
  board.pieces(one.board);
}

listen(async (kind, rows) => {
  const tile = kind === "state" && rows.find((row) => row.table === table);
  if (!tile || tile.changes === seen) return;
  seen = tile.changes;
  show(await ask(`/tables/${encodeURIComponent(table)}/state`));
}, notice(at("lost")));
