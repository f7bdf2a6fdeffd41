// The season's standings, as a sheet to read and to print.

import { fill, make } from "./dom.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask, listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);

const COLUMNS = [["club-place", (one) => one.place], ["player", (one) => one.player], ["club-played", (one) => one.played], ["club-won", (one) => one.won],
  ["club-drawn", (one) => one.drawn], ["club-lost", (one) => one.lost], ["club-given", (one) => one.given],
  ["club-boards", (one) => `${one.boards_for} : ${one.boards_against}`], ["points", (one) => `${one.points_for} : ${one.points_against}`]];

function table(standings) {
  // The roles stay where a phone's style makes cards of the rows.
  const row = (cells) => make("tr", { role: "row" }, ...cells);
  return make("table", { role: "table" }, make("thead", { role: "rowgroup" }, row(COLUMNS.map(([title]) => make("th", { scope: "col", role: "columnheader" }, t(title))))),
    make("tbody", { role: "rowgroup" }, ...standings.map((one) => row(COLUMNS.map(([title, cell]) => make("td", { role: "cell", "data-title": t(title) }, cell(one)))))));
}

async function refresh() {
  const season = await ask("/season/state");
  at("club").textContent = season.club;
  at("trouble").hidden = !season.trouble;
  const none = season.trouble ? "" : t(season.kept ? "club-season-none" : "club-season-off");
  fill(at("standings"), season.standings.length ? table(season.standings) : make("p.soft", {}, none));
  fill(at("count"), season.kept && !season.trouble ? t("club-season-count", { count: season.matches }) : "");
}

let due = 0;
showTop();
listen((kind) => {
  if (kind !== "state") return;
  clearTimeout(due);
  due = setTimeout(() => refresh().catch(() => {}), 500); // several changes at once are one
}, notice(at("lost")));
