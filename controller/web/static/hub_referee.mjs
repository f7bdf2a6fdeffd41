// A referee of many tables, on a phone: what waits, the oldest first, and the way to the table that asks; of all tables,
// or of those whose matches name this referee. Where the hub
// may call its tables a question is answered here, else on the table's own console, which asks for the table's PIN.

import { chiming } from "./chime.mjs";
import { button, fill, make } from "./dom.mjs";
import { refereesDoor, showDoor } from "./hub_door.mjs";
import { follow } from "./hub_tables.mjs";
import { pageOf, pairsOf, picturesOf, playersOf, stageOf, titleOf, waitsFor } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { keyOf } from "./names.mjs";
import { answerInWords } from "./words.mjs";

const at = (id) => document.getElementById(id);
const CALLED = ["called", "held"];
const KEPT = "carrom-referee-name";
let tiles = null; // before the first are heard
let day = { titles: {}, next: [], results: [] };
let mine = kept();
let chosen = null; // the choice that is to be sent, and of which question
let refused = null; // why an answer was not taken
let due = 0;
let referee = false; // whether this browser gave the PIN

function kept() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** The day's referees by name. */
const referees = () => new Map([...day.next, ...day.results].filter(({ referee }) => referee).map(({ referee }) => [keyOf(referee), referee]));

const narrowed = () => referees().has(mine);

const isMine = ({ referee }) => !narrowed() || keyOf(referee) === mine;

/** The tables that are this referee's now. A table stays so after the match, for what is still open there. */
function myTiles() {
  if (!narrowed()) return tiles;
  const there = day.next.filter(({ stage }) => [...CALLED, "playing"].includes(stage));
  const others = there.filter((one) => one.stage === "playing" && !isMine(one)).map(({ table }) => table);
  const own = [...there, ...day.results].filter(isMine).map(({ table }) => table);
  return tiles.filter(({ table }) => own.includes(table) && !others.includes(table));
}

/** Who may be chosen: whoever is named in the day's fixtures. */
function showReferees() {
  const named = [...referees()].sort(([, one], [, other]) => one.localeCompare(other));
  at("mine").hidden = !named.length;
  const options = [["", t("club-all")], ...named];
  if (options.map(([key]) => key).join("\n") !== [...at("whose").options].map(({ value }) => value).join("\n")) {
    fill(at("whose"), ...options.map(([key, name]) => make("option", { value: key }, name)));
  }
  at("whose").value = narrowed() ? mine : "";
}

/** What waits at a table. Of a question for referees alone everybody hears only that there is one. */
const waiting = (tile) => [
  tile.lamp === "ask" && !tile.waiting.some(({ level }) => level === "ask") ? make("p.q", {}, t("club-see-table")) : null,
  ...tile.waiting.map((one) => line(tile, one)),
];

const line = (tile, one) => make("div", { "data-ask": one.ask ?? "" }, waitsFor(one), ...picturesOf(tile, one), ...answersOf(tile, one));

/** What a referee may answer where the hub calls its tables: a choice, then once more to send it. */
function answersOf(tile, one) {
  const key = `${tile.table} ${one.ask}`;
  const choose = (choice) => { chosen = choice === undefined ? null : { key, choice }; refused = null; show(); };
  if (!one.choices?.length) return [];
  const buttons = chosen?.key !== key ? one.choices.map((choice) => button(answerInWords(choice, tile), () => choose(choice)))
    : [button(t("answer", { said: answerInWords(chosen.choice, tile) }), () => send(tile, one, chosen.choice), ".first"), button(t("leave-it"), () => choose())];
  return [make("div.buttons", {}, ...buttons), refused?.key === key ? make("p.said.bad", { role: "alert" }, refused.says) : null];
}

async function send(tile, one, choice) {
  try {
    await ask(`/tables/${encodeURIComponent(tile.table)}/answer`, { ask: one.ask, choice });
  } catch (error) {
    refused = { key: `${tile.table} ${one.ask}`, says: error.message };
  }
  chosen = null;
  show();
}

/** Who is asked to look at a challenge, on that table's own page of it: by name, so that its players read who decided. */
function juryOf(tile) {
  if (!tile.challenged || !referee || !pageOf(tile, "/jury")) return null;
  const key = `${tile.table} jury`;
  const name = make("input", { type: "text", required: true, maxlength: 80, value: referees().get(mine) ?? "", autocomplete: "name" });
  const form = make("form.jury", {}, make("label.field", {}, t("club-jury-name"), name), make("button.btn.first", { type: "submit" }, t("club-jury")),
    refused?.key === key ? make("p.said.bad", { role: "alert" }, refused.says) : null);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const { path } = await ask(`/tables/${encodeURIComponent(tile.table)}/jury`, { name: name.value });
      location.href = pageOf(tile, path);
    } catch (error) {
      refused = { key, says: error.message };
      document.activeElement?.blur();
      show();
    }
  });
  return form;
}

function card(tile) {
  const console = pageOf(tile, "/umpire");
  return make("section.card.waits", { "data-level": tile.lamp, "data-table": tile.table },
    make("h2", {}, ...titleOf(tile)),
    make("p.soft", {}, tile.sides.map((side) => `${playersOf(side)} ${side.points}`).join(" : ")),
    ...waiting(tile),
    juryOf(tile),
    make("div.buttons", {},
      console ? make("a.btn.first", { href: console }, t(tile.lamp === "ask" ? "club-answer" : "club-console")) : make("span.soft", {}, t("club-no-page")),
      make("a.btn", { href: `/tables/${tile.table}` }, t("club-look"))));
}

function show() {
  if (document.activeElement?.closest("form.jury")) return; // a name is being typed
  // The hub has put them in order: whose question is oldest, then faults.
  const found = myTiles().filter((tile) => ["ask", "fault"].includes(tile.lamp));
  at("count").textContent = found.length ? t("club-referee-open", { count: found.length }) : t("club-referee-none");
  fill(at("waits"), ...found.map(card));
}

/** The matches that may begin now, or would if somebody were free; and whose tables they are. */
async function showNext() {
  day = await ask("/day/state");
  showReferees();
  showAll();
  const next = day.next.filter((one) => CALLED.includes(one.stage) && isMine(one));
  at("next").hidden = !next.length;
  fill(at("called"), ...next.map((one) => make("p", { "data-stage": one.stage }, make("b", {}, day.titles[one.table] ?? one.table), ` ${pairsOf(one).join(" : ")} `,
    make("span.soft", {}, [one.time, one.referee, stageOf(one, day.titles)].filter(Boolean).join(" · ")))));
}

function showAll() {
  if (!tiles) return;
  show();
  chime(myTiles());
}

async function whoAmI() {
  referee = (await ask("/me")).umpire;
  showDoor(referee);
  if (tiles) show();
}

showTop();
const chime = chiming(at("chime"), at("silent"));
const dayKnown = showNext().catch(() => {});
const anew = follow((rows) => {
  tiles = rows;
  dayKnown.then(showAll); // so that nothing chimes for another's table
}, (kind) => {
  if (kind === "state") whoAmI().catch(() => {}); // a session may have ended: with it the stream begins anew
  if (kind !== "state" && kind !== "day") return;
  due ||= setTimeout(() => { // several changes at once are one
    due = 0;
    showNext().catch(() => {});
  }, 500);
});
at("whose").addEventListener("change", ({ target }) => {
  mine = target.value;
  try {
    localStorage.setItem(KEPT, mine);
  } catch {
    // It is chosen again next time.
  }
  showNext().catch(() => {});
});
setInterval(() => { // how long each has waited, and whose time has come
  showAll();
  showNext().catch(() => {});
}, 20_000);

refereesDoor(t("club-log-in"), t("club-referee-why"), async () => {
  await whoAmI();
  anew(); // as a referee now, who is told more
});
