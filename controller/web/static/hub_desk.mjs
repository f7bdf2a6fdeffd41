// The club's desk on the day's page: what a secretary with the referees' PIN decides about a fixture, and takes back.

import { button, make } from "./dom.mjs";
import { pairsOf } from "./hub_tile.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { openSheet, refusedIn } from "./sheet.mjs";

const LONGEST_REASON = 60;
const REASONS = ["absent", "ill", "withdrew"];

/** What the desk may do about a match that is still to be played: one button, or null; `then()` follows what was done.
 * `day`: as `/day/state` says. */
export function deskOf(one, day, then) {
  if (one.stage === "playing") return null;
  if (one.stage === "aside" || one.here) return undo(one.fixture, then);
  return named(button(t("club-decide"), () => openDesk(one, day, then), ".small"), one.fixture);
}

/** Where matches have no table of their own: which tables take them, each with a button that sets it aside. */
export function tablesOf(day, then) {
  if (!day.next.some((one) => one.pool || !one.table) && !day.closed.length) return [];
  const line = (table) => {
    const aside = day.closed.includes(table);
    const act = aside ? { what: "undone", table } : { what: "aside", table, until: "" };
    return make("li", {}, make("span", {}, day.titles[table] ?? table, " ", aside ? make("span.soft", {}, t("club-table-aside")) : ""), " ",
      named(decide(t(aside ? "undo" : "club-set-aside"), act, then), table));
  };
  return [make("h2", {}, t("club-pool-tables")), make("p.soft", {}, t("club-pool-tables-why")),
    make("ul.hub-pool", {}, ...Object.keys(day.titles).sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map(line))];
}

/** The button that takes back what the desk has decided about a fixture. */
export const undo = (fixture, then) => decides(t("undo"), fixture, { what: "undone" }, then);

const decides = (text, fixture, what, then) => named(decide(text, { fixture, ...what }, then), fixture);

const decide = (text, act, then) => button(text, async () => {
  try {
    await ask("/day/act", act);
  } catch (error) {
    openSheet(text, make("p.said.bad", { role: "alert" }, error.message));
  }
  await then();
}, ".small");

/** What the desk may say about a result: who goes on from a draw, that it was not the fixture for which it was taken, or
 * which one it was. */
export function bindingOf(row, next, then) {
  if (row.walkover) return null;
  if (row.fixture) {
    const goesOn = row.goes_on ? [["", t("undo")]] : row.drawn.map(([side, who]) => [side, t("club-goes-on", { who })]);
    const on = row.drawn.length ? goesOn.map(([side, text]) => decides(text, row.fixture, { what: "played", winner: side }, then)) : [];
    return make("span.buttons", {}, ...on, decides(t("club-not-it"), row.fixture, { what: "open" }, then));
  }
  const titles = row.may_be.map((name) => next.find((one) => one.fixture === name)).filter(Boolean);
  const buttons = titles.map((one) => decides(t("club-is-it", { what: [one.time, one.event, one.round, one.id].filter(Boolean).join(" ") }),
    one.fixture, { what: "played", table: row.table, match: row.match }, then));
  return buttons.length ? make("span.buttons", {}, ...buttons) : null;
}

/** Two buttons that look alike are not the same where they belong to two fixtures. */
function named(element, fixture) {
  element.dataset.fixture = fixture;
  return element;
}

function openDesk(one, day, then) {
  const reason = make("input", { type: "text", maxlength: LONGEST_REASON, list: "reasons", autocomplete: "off" });
  const until = make("input", { type: "time" });
  const act = (what) => sheet.attempt(async () => {
    try {
      await ask("/day/act", { fixture: one.fixture, ...what() });
    } catch (error) {
      refusedIn(error.message);
      return false;
    }
    await then();
    return true;
  });
  const winner = ([seat], number) => button(t("club-walkover-for", { who: pairsOf(one)[number] }),
    () => (reason.value.trim() ? act(() => ({ what: "walkover", winner: seat, reason: reason.value })) : refusedIn(t("club-why-needed"))));
  const another = one.pool && day.free.length ? make("fieldset", {}, make("legend", {}, t("club-another-table")),
    make("div.buttons", {}, ...day.free.map((table) => button(day.titles[table] ?? table, () => act(() => ({ what: "table", table })))))) : "";
  const now = ["early", "rests"].includes(one.stage) ? make("fieldset", {}, make("legend", {}, t("club-here-how")),
    make("div.buttons", {}, button(t("club-call-now"), () => act(() => ({ what: "here" }))))) : "";
  const sheet = openSheet(pairsOf(one).join(" : "), now, another,
    make("fieldset", {}, make("legend", {}, t("club-walkover-how")),
      make("datalist", { id: "reasons" }, ...REASONS.map((why) => make("option", { value: t(`club-why-${why}`) }))),
      make("label.field", {}, t("reason"), reason), make("p.soft", {}, t("club-walkover-counts")),
      make("div.buttons", {}, ...one.sides.map(winner))),
    make("fieldset", {}, make("legend", {}, t("club-aside-how")),
      make("label.field", {}, t("club-until"), until),
      make("div.buttons", {}, button(t("club-set-aside"), () => act(() => ({ what: "aside", until: until.value }))))));
}
