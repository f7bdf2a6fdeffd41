// The day of play: results and what is still to be played, as a sheet to print.

import { fill, make } from "./dom.mjs";
import { sheet } from "./hub_sheet.mjs";
import { pairsOf, stageOf } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask, listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);

const orNone = (columns, rows, none) => (rows.length ? sheet(columns, rows) : make("p.soft", {}, none));

const DONE = [[t("club-event"), (row) => row.event], [t("club-round"), (row) => row.round], [t("club-table"), (row) => row.title],
  [t("players"), (row) => row["side 1"]], [t("points"), (row) => `${row["points 1"]} : ${row["points 2"]}`], [t("players"), (row) => row["side 2"]],
  [t("club-games"), (row) => `${row["games 1"]} : ${row["games 2"]}`], [t("club-boards"), (row) => row["boards played"]], [t("club-ended-by"), (row) => row["ended by"] && make("span", { lang: "en" }, row["ended by"])], [t("club-end"), (row) => row.end]];

async function refresh() {
  const day = await ask("/day/state");
  const next = [[t("club-time"), (one) => one.time], [t("club-stage"), (one) => stageOf(one, day.titles)], [t("club-event"), (one) => one.event], [t("club-round"), (one) => one.round],
    [t("club-table"), (one) => day.titles[one.table] ?? one.table], [t("players"), (one) => pairsOf(one).join(" : ")],
    [t("rulebook"), (one) => one.book], [t("club-referee"), (one) => one.referee]];
  at("club").textContent = day.club;
  fill(at("results"), orNone(DONE, day.results, t("club-no-results")));
  fill(at("next"), orNone(next, day.next, t("club-no-fixtures")));
}

const soon = () => refresh().catch(() => {});
let due = 0;
showTop();
setInterval(soon, 20_000); // how late each is
listen((kind) => {
  if (kind !== "state") return;
  clearTimeout(due);
  due = setTimeout(soon, 500); // several changes at once are one
}, notice(at("lost")));
