// The day of play: results and what is still to be played, as a sheet to print.

import { fill, make } from "./dom.mjs";
import { bindingOf, deskOf, tablesOf, undo } from "./hub_desk.mjs";
import { refereesDoor, showDoor } from "./hub_door.mjs";
import { sheet } from "./hub_sheet.mjs";
import { followDay } from "./hub_tables.mjs";
import { differingOf, endedSides, lineOf, pairsOf, placeOf, stageOf, walkoverOf } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";

const at = (id) => document.getElementById(id);

const part = (id, title, says, columns, rows, none) => make("section", { id }, make("h2", {}, title), says,
  rows.length ? sheet(columns, rows, ".hub-matches") : make("p.soft", {}, none));

const said = (...words) => words.filter(Boolean).join(" · ");

/** Where a match is played and what it is of, and below how it stands: two lines in every row, so that it keeps its height. */
const about = (place, { event, round, id }, ...stands) => [make("div", {}, said(place, event, round, id)),
  make("div.soft", {}, ...stands.filter(Boolean).flatMap((one) => [one, " "]))];

const columns = (figures, time, sides, more) => [[t("club-time"), time], [said(t("players"), figures), (one) => sides(one).map(lineOf), 5], [t("club-stage"), more, 5]];

/** What the day's end waits for: a table, a person, an earlier match. */
const holdsOf = ({ holds: { what, who }, titles }) => (what ? t(`club-holds-${what}`, { who: what === "table" ? titles[who] ?? who : who }) : "");

async function refresh() {
  const [day, { umpire }] = await Promise.all([ask("/day/state"), ask("/me")]);
  const desk = day.desk && umpire;
  showDoor(umpire, day.desk);
  const stage = (one) => said(stageOf(one, day.titles), ...one.lacks.map((what) => t(`club-no-${what}`)), differingOf(one), one.referee && `${t("club-referee")}: ${one.referee}`, one.book);
  const next = columns("", (one) => one.time, (one) => pairsOf(one).map((who) => ({ who })),
    (one) => about(placeOf(one, day.titles), one, stage(one), desk && deskOf(one, day, soon)));
  const ended = (row) => (row.walkover ? [walkoverOf(row), desk && !row.withdrawn && undo(row.walkover, soon)]
    : [said(row["boards played"] && `${t("club-boards")}: ${row["boards played"]}`, row.goes_on && t("club-goes-on", { who: row.goes_on })),
      !row.goes_on && row["ended by"] && make("span", { lang: "en" }, row["ended by"]), desk && bindingOf(row, day.next, soon)]);
  const several = day.results.some((row) => row["games 1"] + row["games 2"] > 1);
  const done = columns(several ? `${t("club-games")} (${t("points")})` : t("points"), (row) => row.end.slice(-5), endedSides, (row) => about(row.title, row, ...ended(row)));
  at("club").textContent = day.club;
  const ends = day.ends && said(t("club-ends", { time: day.ends }), holdsOf(day));
  // A match that ends goes from the second list to the end of the first: all that was before and comes after stays there.
  fill(at("matches"), part("results", t("club-results"), null, done, day.results, t("club-no-results")),
    part("next", t("club-next"), make("p.soft.hub-ends", {}, ends), next, day.next, t("club-no-fixtures")));
  fill(at("tables"), ...(desk ? tablesOf(day, soon) : []));
}

const soon = () => refresh().catch(() => {});
showTop();
refereesDoor(t("club-desk"), t("club-desk-why"), refresh);
setInterval(soon, 20_000); // how late each is
followDay(refresh);
