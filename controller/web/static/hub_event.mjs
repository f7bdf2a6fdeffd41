// An event as it was drawn and as it stands: bracket, cross tables, rounds, standings, who plays next and where.

import { AS_IS, fill, make } from "./dom.mjs";
import { bindingOf, deskOf, undo } from "./hub_desk.mjs";
import { refereesDoor, showDoor } from "./hub_door.mjs";
import { desksOf } from "./hub_event_desk.mjs";
import { sheet } from "./hub_sheet.mjs";
import { followDay } from "./hub_tables.mjs";
import { lineOf, placeOf, stageOf } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { whoOf } from "./names.mjs";

const at = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search);
const wanted = asked.get("event");
document.body.classList.toggle("tv", asked.has("tv"));

const titled = (title, ...body) => make("section", {}, make("h2", {}, title), ...body);
const joined = (...parts) => parts.filter(Boolean).join(" · ");

/** Where and when a match is played, and what holds it up; nothing once it has a result. */
function whereOf(match, { calls, titles }) {
  if (!match.needed) return t("club-not-played");
  const call = calls[match.id];
  if (!call) return match.sides.some(({ won }) => won) || match.score.length ? "" : match.when;
  const table = call.table && placeOf(call, titles);
  // Of one that waits for a winner the bracket itself says for whom.
  const about = call.begins ? t("club-about", { time: call.begins }) : "";
  return joined(table, (match.sides.some(({ waits }) => waits) ? about : stageOf(call, titles)) || match.when);
}

const sideOf = (side, points) => lineOf({ ...side, who: side.waits ? whoOf(side.text, { side: side.text }) : side.text, points });

const matchOf = (match, shown) => make("div.draw-match", { "data-match": match.id, "data-stage": shown.calls[match.id]?.stage ?? "" },
  make("p.soft", {}, joined(match.id, whereOf(match, shown), shown.marks?.[match.id] && t(`club-match-${shown.marks[match.id]}`))),
  ...match.sides.map((side, number) => sideOf(side, match.score[number])), decidesOf(match, shown));

/** What the desk of the day may decide about a match of the event. */
function decidesOf({ id }, { desk, calls, titles }) {
  if (!desk?.results) return null;
  const [call, row] = [calls[id], desk.results[id]];
  if (call) return call.sides.some((side) => side.some((seat) => call.awaits[seat] === call.seats[seat])) ? null : deskOf(call, { free: desk.free, titles }, soon);
  if (row?.walkover && !row.withdrawn) return undo(row.walkover, soon);
  return row?.drawn.length ? bindingOf(row, [], soon) : null;
}

const treeOf = (shown) => titled(t("club-bracket"), make("div.draw-tree", { tabindex: "0", role: "group", "aria-label": t("club-bracket") },
  ...shown.tree.map((round) => make("div.draw-round", {}, ...round.map((match) => make("div.draw-place", {}, match ? matchOf(match, shown) : ""))))));

/** The heading of a list: a round, or what hangs on a loss. */
function headingOf({ round, beside }) {
  if (!beside) return t("club-round-of", { name: round });
  const named = { third: "club-third", GF: "club-both-sides", GF2: "club-both-again" }[round];
  if (named) return t(named);
  return round.startsWith("C-") ? t("club-consolation", { name: round.slice(2) }) : t("club-losers-round", { name: round.replace(/^L/, "") });
}

const listOf = ({ matches, ...list }, shown) => titled(headingOf(list), make("div.draw-list", {}, ...matches.map((match) => matchOf(match, shown))));

function crossOf({ name: group, players, cells }) {
  const head = make("tr", {}, make("td", {}), make("th", { scope: "col" }, t("player")), ...players.map((_, number) => make("th", { scope: "col" }, number + 1)));
  const line = (name, number) => make("tr", {}, make("td", {}, number + 1), make("th", { scope: "row", ...AS_IS }, name),
    ...cells[number].map((mark) => make(`td${mark === "1" ? ".won" : ""}`, {}, mark)));
  return titled(group ? t("club-group", { name: group }) : t("club-everybody"), make("table.draw-cross", {}, make("thead", {}, head), make("tbody", {}, ...players.map(line))));
}

function standingsOf({ name: group, values, rows }) {
  const columns = [[t("club-place"), (one) => one.place ?? ""], [t("player"), (one) => one.name, 4], [t("club-played"), (one) => one.played],
    ...values.map((name, number) => [t(`club-by-${name}`), (one) => one.values[number]])];
  return titled(joined(t("club-standings"), group && t("club-group", { name: group })), sheet(columns, rows));
}

const prizesOf = ({ name: group, rows }) => titled(joined(t("club-prizes"), group && group !== "knockout" && t("club-group", { name: group })),
  make("ol.draw-prizes", {}, ...rows.map((one) => make("li", { value: one.place, ...AS_IS }, one.name))));

/** Shows what a desk tries; null: what holds again. */
function tries(trial) {
  tried = trial;
  fill(at("trial"), ...(trial ? trial.says : []));
  at("desk").hidden = Boolean(trial);
  if (trial) showEvent(trial.shown, { titles: {}, marks: trial.marks });
  else soon();
}

function nextOf(shown) {
  const by = new Map([...shown.tree.flat().filter(Boolean), ...shown.lists.flatMap(({ matches }) => matches)].map((match) => [match.id, match]));
  const away = { needed: true, sides: [], score: [], when: "" };
  return titled(t("club-next-matches"), sheet([[t("club-match"), ({ match }) => match], [t("player"), ({ player }) => player, 4],
    [t("club-against"), ({ against }) => against, 4], [t("club-stage"), ({ match }) => whereOf(by.get(match) ?? { ...away, id: match }, shown), 4]], shown.next));
}

/** While a desk tries something its page stays as it is tried. */
let tried = null;

async function refresh() {
  const [{ shown, events, titles, club, may, desk }, { umpire }] = await Promise.all([ask(`/event/state${wanted ? `?event=${encodeURIComponent(wanted)}` : ""}`), ask("/me")]);
  showDoor(umpire, may);
  at("name").textContent = shown?.name ?? club;
  at("desk").hidden = !(may && umpire) || Boolean(tried);
  if (may && umpire) fill(at("desk"), ...desksOf(shown, desk, { then: refresh, tries }));
  if (tried) return;
  fill(at("events"), ...(events.length > 1 ? events.map(({ id, name }) => make("a.btn.small", { href: `/event?event=${encodeURIComponent(id)}`,
    ...(id === shown?.id ? { "aria-current": "page" } : {}) }, name)) : []));
  if (!shown) return fill(at("shown"), make("p.soft", {}, t("club-no-events")));
  return showEvent(shown, { titles, desk });
}

function showEvent(shown, more) {
  fill(at("says"), ...(shown.trouble ? [make("p.said.bad", { role: "alert" }, t("club-event-trouble"))] : []), ...shown.says.map((line) => make("p.said.bad", {}, line)));
  if (shown.trouble) return fill(at("shown"));
  const terms = shown.terms.map(([name, value]) => (name === "book" ? value : t(`club-term-${name}`, { value })));
  at("about").textContent = joined(t(`club-system-${shown.system}`), t("club-entries", { count: shown.entries }), ...terms, t("club-seed", { seed: String(shown.seed) }));
  const all = { calls: {}, ...shown, ...more };
  return fill(at("shown"), ...shown.prizes.map(prizesOf), ...(shown.tree.length ? [treeOf(all)] : []), ...(shown.crosses.length ? [make("div.draw-crosses", {}, ...shown.crosses.map(crossOf))] : []), ...shown.lists.map((one) => listOf(one, all)),
    ...shown.standings.map(standingsOf), ...(shown.next.length ? [nextOf(all)] : []));
}

const soon = () => refresh().catch(() => {});
showTop();
refereesDoor(t("club-desk"), t("club-event-desk-why"), refresh);
setInterval(soon, 20_000); // what is expected when
followDay(refresh);
