// What a secretary puts right in the season: two names that are one player, a match that counts for nothing.

import { AS_IS, button, make } from "./dom.mjs";
import { sheet } from "./hub_sheet.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { openSheet, refusedIn } from "./sheet.mjs";

const LONGEST_REASON = 60;

/** The section's parts. `may`: as `/season/amend` says; `then()` follows what was done. */
export function amendingOf(may, then) {
  const row = (one) => make("span", {}, one.struck ? make("span.soft", {}, `${t("club-struck", { why: one.struck })} `) : "",
    one.struck ? undo({ what: "restore", match: one.match }, one.match, then) : named(button(t("club-strike"), () => openStrike(one, then), ".small"), one.match));
  const columns = [[t("club-end"), ({ end }) => new Date(end * 1000).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" }), 2],
    [t("players"), ({ sides }) => sides.map(([who, points]) => `${who} ${points}`).join(" : "), 5], [t("club-table"), ({ table }) => table, 2], [t("club-counts"), row, 4]];
  const merged = may.merged.map(([name, into]) => make("li", {}, make("span", AS_IS, t("club-merged", { name, into })), " ", undo({ what: "split", name }, name, then)));
  return [make("h2", {}, t("club-amend")),
    make("div.buttons", {}, button(t("club-merge"), () => openMerge(may.players, then), ".small")),
    make("ul.hub-pool", {}, ...merged), may.latest.length ? sheet(columns, may.latest) : ""];
}

const named = (element, subject) => {
  element.dataset.subject = subject;
  return element;
};

const undo = (act, subject, then) => named(button(t("undo"), async () => {
  try {
    await ask("/season/amend", act);
  } catch (error) {
    openSheet(t("undo"), make("p.said.bad", { role: "alert" }, error.message));
  }
  await then();
}, ".small"), subject);

/** What a sheet's form asks for; it stays open where that is refused. */
const does = (sheet, act, then) => sheet.attempt(async () => {
  try {
    await ask("/season/amend", act);
  } catch (error) {
    refusedIn(error.message);
    return false;
  }
  await then();
  return true;
});

function openStrike(one, then) {
  const why = make("input", { type: "text", maxlength: LONGEST_REASON, autocomplete: "off" });
  const strike = () => (why.value.trim() ? does(opened, { what: "strike", match: one.match, why: why.value }, then) : refusedIn(t("club-why-needed")));
  const opened = openSheet(one.sides.map(([who]) => who).join(" : "), make("p.soft", {}, t("club-strike-why")),
    make("label.field", {}, t("reason"), why), make("div.buttons", {}, button(t("club-strike"), strike)));
}

function openMerge(players, then) {
  const known = make("datalist", { id: "known" }, ...players.map((name) => make("option", { value: name })));
  const [name, into] = ["name", "into"].map(() => make("input", { type: "text", list: "known", autocomplete: "off" }));
  const merge = () => does(opened, { what: "merge", name: name.value.trim(), into: into.value.trim() }, then);
  const opened = openSheet(t("club-merge"), known, make("p.soft", {}, t("club-merge-why")),
    make("label.field", {}, t("club-merge-name"), name), make("label.field", {}, t("club-merge-into"), into),
    make("div.buttons", {}, button(t("club-merge"), merge)));
}
