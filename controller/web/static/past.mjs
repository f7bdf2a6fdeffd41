// The matches that were played: a list to choose from, each with its boards, its strokes and its score sheet as a file.
// Asked for anew each time the list is opened; nothing of it is kept on the page.

import { course, pointsAndGames } from "./course.mjs";
import { button, fill, make } from "./dom.mjs";
import { dayAndTime, t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { sideName } from "./names.mjs";
import { fileOf, matchFile } from "./share.mjs";
import { openSheet } from "./sheet.mjs";
import { showHistory } from "./words.mjs";

const FILES = ["pdf", "csv", "png"];
const SHORT = ["pause", "resume", "placed"]; // what is no part of a match's story

/** Fills `element` with the matches, newest first; `tell(text, bad)` says what went wrong. */
export async function showPast(element, tell) {
  const matches = await ask("/matches");
  fill(element, ...matches.map((row) => {
    const tap = button("", () => open(row, tell), ".past");
    tap.append(make("span", {}, make("b", {}, Object.values(row.seats).join(" – ")), ` ${pointsAndGames(Object.values(row.score), Object.values(row.games))}${row.over ? "" : ` (${t("not-over")})`}`,
      make("div.soft", {}, `${dayAndTime(row.began)} · ${row.book}`)));
    return make("div", { "data-match": row.match }, tap);
  }), matches.length ? null : make("p.soft", {}, t("past-none")));
}

async function open(row, tell) {
  const body = make("div.stack", {}, make("p.soft", { role: "status" }, t("past-reading")));
  const title = `${Object.values(row.seats).join(" – ")} · ${dayAndTime(row.began)}`;
  const sheet = openSheet(title, make("div.buttons", {}, ...FILES.map((form) => matchFile(row.match, form))), body);
  try {
    showMatch(body, await ask(fileOf(row.match, "json")));
  } catch (error) {
    sheet.close();
    tell(error.message, true);
  }
}

function showMatch(element, { title, note, result, events }) {
  const seated = (seats) => ({ sides: result.sides.map(({ name, players }) =>
    ({ name, seats: Object.fromEntries(Object.entries(seats).filter(([, player]) => players.includes(player))) })) });
  let seats = events[0].event.seats ?? {};
  const score = seated(seats);
  const rows = events.filter(({ event }) => !SHORT.includes(event.event)).map(({ event, ruling }) => {
    if (event.event === "seats") seats = event.seats;
    return [{ ...ruling, ruled: ruling, fell: event.pocketed, fouls: (ruling.fouls ?? []).filter(({ status }) => status === "ruled") }, seated(seats)];
  });
  const history = make("div.history");
  for (const [row, then] of rows) {
    const line = make("div");
    showHistory(line, [row], then);
    history.append(...line.children);
  }
  fill(element,
    make("p.says", {}, [...(result.given ?? []).map(({ side, how }) => t(`says-given-${how}`, { name: sideName(side, score) })),
      result.winner ? t("says-match", { name: sideName(result.winner, score) }) : t("not-over")].join("; ")),
    make("p", {}, `${result.sides.map((side) => side.players.join(" & ")).join(" – ")} ${pointsAndGames(result.sides.map(({ points }) => points), result.sides.map(({ games }) => games))}`),
    make("p.soft", {}, title), note ? make("p.alert", { "data-level": "warning" }, note) : null,
    result.boards.length ? course(result.boards, score, result.boards.length) : null,
    make("h3", {}, t("strokes")), history);
}
