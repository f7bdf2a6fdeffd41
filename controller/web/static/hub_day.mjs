// The day of play: results and what is still to be played, as a sheet to print.

import { fill, make } from "./dom.mjs";
import { bindingOf, deskOf, tablesOf, undo } from "./hub_desk.mjs";
import { refereesDoor, showDoor } from "./hub_door.mjs";
import { sheet } from "./hub_sheet.mjs";
import { followDay } from "./hub_tables.mjs";
import { differingOf, pairsOf, stageOf, walkoverOf } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";

const at = (id) => document.getElementById(id);

const orNone = (columns, rows, none) => (rows.length ? sheet(columns, rows) : make("p.soft", {}, none));

const beside = (text, control) => (control ? make("span", {}, text, " ", control) : text);

const roundOf = ({ round, id }) => [round, id].filter(Boolean).join(" · ");

const played = (row, text) => (row.walkover ? "" : text);

const DONE = [[t("club-event"), (row) => row.event], [t("club-round"), roundOf], [t("club-table"), (row) => row.title],
  [t("players"), (row) => row["side 1"]], [t("points"), (row) => played(row, `${row["points 1"]} : ${row["points 2"]}`)], [t("players"), (row) => row["side 2"]],
  [t("club-games"), (row) => played(row, `${row["games 1"]} : ${row["games 2"]}`)], [t("club-boards"), (row) => played(row, row["boards played"])]];

/** What the day's end waits for: a table, a person, an earlier match. */
const holdsOf = ({ holds: { what, who }, titles }) => (what ? t(`club-holds-${what}`, { who: what === "table" ? titles[who] ?? who : who }) : "");

async function refresh() {
  const [day, { umpire }] = await Promise.all([ask("/day/state"), ask("/me")]);
  const desk = day.desk && umpire;
  showDoor(umpire, day.desk);
  const next = [[t("club-time"), (one) => one.time], [t("club-stage"), (one) => beside([stageOf(one, day.titles), ...one.lacks.map((what) => t(`club-no-${what}`))].filter(Boolean).join(" · "), desk && deskOf(one, day, soon))],
    [t("club-event"), (one) => one.event], [t("club-round"), roundOf],
    [t("club-table"), (one) => (one.table ? day.titles[one.table] ?? one.table : t("club-any-table"))], [t("players"), (one) => [pairsOf(one).join(" : "), differingOf(one)].filter(Boolean).join(" · ")],
    [t("rulebook"), (one) => one.book], [t("club-referee"), (one) => one.referee]];
  const ended = (row) => (row.walkover ? beside(walkoverOf(row), desk && !row.withdrawn && undo(row.walkover, soon)) : (row.goes_on && t("club-goes-on", { who: row.goes_on })) || (row["ended by"] && make("span", { lang: "en" }, row["ended by"])));
  const end = (row) => beside(row.end, desk && bindingOf(row, day.next, soon));
  const done = [...DONE, [t("club-ended-by"), ended], [t("club-end"), end]];
  at("club").textContent = day.club;
  at("ends").textContent = day.ends && [t("club-ends", { time: day.ends }), holdsOf(day)].filter(Boolean).join(" · ");
  fill(at("results"), orNone(done, day.results, t("club-no-results")));
  fill(at("next"), orNone(next, day.next, t("club-no-fixtures")));
  fill(at("tables"), ...(desk ? tablesOf(day, soon) : []));
}

const soon = () => refresh().catch(() => {});
showTop();
refereesDoor(t("club-desk"), t("club-desk-why"), refresh);
setInterval(soon, 20_000); // how late each is
followDay(refresh);
