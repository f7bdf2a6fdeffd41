// The hall's screen: tables that play, then results, then what is next, a page at a time; nothing to touch.

import { pointsAndGames } from "./course.mjs";
import { AS_IS, fill, make } from "./dom.mjs";
import { clockKnown, hubNow, hubTime } from "./hub_clock.mjs";
import { follow } from "./hub_tables.mjs";
import { clockOf, lampOf, pairsOf, sidesOf, stageOf, stateOf, stripOf, titleOf, waited, walkoverOf } from "./hub_tile.mjs";
import { t, translate } from "./i18n.mjs";
import { ask } from "./live.mjs";

const at = (id) => document.getElementById(id);
const SHOWN_MS = 12_000;
const ON_A_PAGE = { tables: 6, lines: 8 };
let tiles = [];
let day = { club: "", titles: {}, next: [], results: [] };
let turn = 0;

const cut = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

const big = (tile) => make("article.hall-table", { "data-lamp": tile.lamp },
  make("h2", {}, ...titleOf(tile), make("span.soft", {}, ` ${tile.online ? stateOf(tile) : `${lampOf(tile)} ${waited(tile.since)}`}`, clockOf(tile))),
  stripOf(tile), ...sidesOf(tile));

const result = (row) => make("tr", {}, make("td", {}, row.event || row.title), make("td", AS_IS, row["side 1"]),
  row.walkover ? make("td.soft", {}, walkoverOf(row)) : make("td.figure", {}, pointsAndGames([row["points 1"], row["points 2"]], [row["games 1"], row["games 2"]])), make("td", AS_IS, row["side 2"]));

const fixture = (one) => make("tr", {}, make("td.figure", {}, one.time.slice(-5)), make("td", {}, one.table ? day.titles[one.table] ?? one.table : t("club-any-table")),
  ...pairsOf(one).map((side) => make("td", AS_IS, side)), make("td.soft", {}, stageOf(one, day.titles)));

const sheet = (rows, line) => make("table.hall-lines", {}, make("tbody", {}, ...rows.map(line)));

function pages() {
  const playing = tiles.filter((tile) => tile.online && tile.state !== "idle");
  return [
    ...cut(playing.length ? playing : tiles, ON_A_PAGE.tables).map((some) => [t("club-on-tables"), () => make("div.hall-tables", {}, ...some.map(big))]),
    ...cut([...day.results].reverse(), ON_A_PAGE.lines).map((some) => [t("club-results"), () => sheet(some, result)]),
    ...cut(day.next, ON_A_PAGE.lines).map((some) => [t("club-next-matches"), () => sheet(some, fixture)]),
  ];
}

function show() {
  const all = pages();
  at("now").textContent = hubTime(hubNow());
  if (!all.length) return fill(at("page"), make("p.soft", {}, t("club-none")));
  const [title, body] = all[turn % all.length];
  at("title").textContent = day.club ? `${day.club} · ${title}` : title;
  fill(at("page"), body());
}

translate();
follow((rows) => {
  tiles = rows;
  show();
});

async function refresh() {
  await clockKnown;
  day = await ask("/day/state").catch(() => day);
  show();
}
refresh();
setInterval(() => { turn += 1; refresh(); }, SHOWN_MS);
