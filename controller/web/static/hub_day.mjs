// The day of play: results and what is still to be played, as a sheet to print.

import { fill, make } from "./dom.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask, listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);

function sheet(columns, rows, none) {
  if (!rows.length) return make("p.soft", {}, none);
  return make("table", {}, make("thead", {}, make("tr", {}, ...columns.map(([title]) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...columns.map(([, cell]) => make("td", {}, cell(row)))))));
}

const side = (one, ...seats) => seats.map((seat) => one.seats[seat]).filter(Boolean).join(" & ");

const DONE = [[t("club-event"), (row) => row.event], [t("club-round"), (row) => row.round], [t("club-table"), (row) => row.title],
  [t("players"), (row) => row["side 1"]], [t("points"), (row) => `${row["points 1"]} : ${row["points 2"]}`], [t("players"), (row) => row["side 2"]],
  [t("club-games"), (row) => `${row["games 1"]} : ${row["games 2"]}`], [t("club-boards"), (row) => row["boards played"]], [t("club-ended-by"), (row) => make("span", { lang: "en" }, row["ended by"])], [t("club-end"), (row) => row.end]];

async function refresh() {
  const day = await ask("/day/state");
  const next = [[t("club-time"), (one) => (one.playing ? t("club-now") : one.time)], [t("club-event"), (one) => one.event], [t("club-round"), (one) => one.round],
    [t("club-table"), (one) => day.titles[one.table] ?? one.table], [t("players"), (one) => side(one, "south", "east")],
    [t("players"), (one) => side(one, "north", "west")], [t("rulebook"), (one) => one.book], [t("club-referee"), (one) => one.referee]];
  at("club").textContent = day.club;
  fill(at("results"), sheet(DONE, day.results, t("club-no-results")));
  fill(at("next"), sheet(next, day.next, t("club-no-fixtures")));
}

let due = 0;
showTop();
listen((kind) => {
  if (kind !== "state") return;
  clearTimeout(due);
  due = setTimeout(() => refresh().catch(() => {}), 500); // several changes at once are one
}, notice(at("lost")));
