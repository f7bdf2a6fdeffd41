// The day of play: results and what is still to be played, as a sheet to print.

import { fill, make } from "./dom.mjs";
import { ask, listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);

function sheet(columns, rows, none) {
  if (!rows.length) return make("p.soft", {}, none);
  return make("table", {}, make("thead", {}, make("tr", {}, ...columns.map(([title]) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...columns.map(([, cell]) => make("td", {}, cell(row)))))));
}

const side = (one, ...seats) => seats.map((seat) => one.seats[seat]).filter(Boolean).join(" & ");

const DONE = [["Event", (row) => row.event], ["Round", (row) => row.round], ["Table", (row) => row.title],
  ["Players", (row) => row["side 1"]], ["Points", (row) => `${row["points 1"]} : ${row["points 2"]}`], ["Players", (row) => row["side 2"]],
  ["Games", (row) => `${row["games 1"]} : ${row["games 2"]}`], ["Boards", (row) => row["boards played"]], ["End", (row) => row.end]];

async function refresh() {
  const day = await ask("/day/state");
  const next = [["Time", (one) => (one.playing ? "now" : one.time)], ["Event", (one) => one.event], ["Round", (one) => one.round],
    ["Table", (one) => day.titles[one.table] ?? one.table], ["Players", (one) => side(one, "south", "east")],
    ["Players", (one) => side(one, "north", "west")], ["Book", (one) => one.book], ["Referee", (one) => one.referee]];
  at("club").textContent = day.club;
  fill(at("results"), sheet(DONE, day.results, "No match has ended yet."));
  fill(at("next"), sheet(next, day.next, "No fixtures have been published, or all are played."));
}

let due = 0;
listen((kind) => {
  if (kind !== "state") return;
  clearTimeout(due);
  due = setTimeout(() => refresh().catch(() => {}), 500); // several changes at once are one
}, notice(at("lost")));
