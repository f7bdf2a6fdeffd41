// The desk of a drawn event: who takes part, the draw, the next round, and what is changed on the day; each tried before
// it is done, and undone again.

import { AS_IS, button, make } from "./dom.mjs";
import { choice, field } from "./form.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { openSheet, refusedIn } from "./sheet.mjs";

const CELLS = ["name", "partner", "club", "seeding", "rating"];
const SYSTEMS = ["knockout", "double", "groups", "round_robin", "swiss", "ties"];
const SIZED = { groups: 4, swiss: 5 };

/** The desk's parts. `shown`: the event as everybody has it; `desk`: what the desk needs of it; `tools`: `then()` follows
 * what was done, `tries(trial)` shows what is tried. */
export function desksOf(shown, desk, tools) {
  const one = { event: shown?.id, desk, ...tools };
  const acts = desk?.version ? actsOf(one) : [];
  const lines = desk ? [...(desk.published === false && !shown.prizes?.length ? [t("club-unpublished")] : []), ...desk.says] : [];
  return [make("h2", {}, t("club-desk")), make("div.buttons", {}, ...acts, button(t("club-new-event"), () => openNew(), ".small")),
    ...lines.map((line) => make("p.said.bad", { role: "alert" }, line)), ...(desk?.entries ? [entriesOf(one)] : [])];
}

/** What can be done with the event as a whole. */
function actsOf(one) {
  const { drawn, comes, takes, entries, undo, published } = one.desk;
  const acts = [[comes === "draw", "club-draw", () => trial(one, { what: "draw" })], [comes === "next", "club-draw-next", () => trial(one, { what: "next" })],
    [published === false, "club-publish", () => does(one, { what: "publish" })], [takes, "club-add-entry", () => openEntry(one, null)],
    [!drawn, "club-sheet", () => openList(one)], [!drawn && entries.some(({ there }) => there === "here"), "club-check-in", () => does(one, { what: "check_in" })],
    [!drawn, "club-terms", () => openTerms(one)], [drawn, "club-swap", () => openSwap(one)]].filter(([may]) => may);
  const what = undo && [t(`club-act-${undo.what}`), undo.about].filter(Boolean).join(" · ");
  return [...acts.map(([, word, act], at) => button(t(word), act, comes && !at ? ".first" : ".small")), ...(undo ? [button(t("club-undo-what", { what }), () => trial(one, { what: "undo" }), ".small")] : [])];
}

let opens = null; // whether the list is open, once somebody has opened or closed it

/** Who takes part, and where each is. */
function entriesOf(one) {
  const { drawn, entries } = one.desk;
  const line = ({ name, cells, there }, number) => {
    const state = (to, how) => () => how(one, { what: "state", number, to });
    const buttons = [[there === "late", "club-is-here", state("here", does)], [there === "here" && !drawn, "club-is-late", state("late", does)],
      [there === "withdrawn", "club-returns", state("here", trial)], [drawn && ["here", "late"].includes(there), "club-withdraw", state("withdrawn", trial)],
      [true, "club-correct", () => openEntry(one, number)], [!drawn, "remove", () => does(one, { what: "remove", number })]];
    const seed = cells.seeding && t("club-seeded", { place: cells.seeding });
    return make("li", { "data-there": there }, make("span.draw-who", {}, make("b", AS_IS, name), make("span.soft", AS_IS, ["", cells.club, seed, there && t(`club-there-${there}`)].filter((part, at) => part || !at).join(" · "))),
      make("span.buttons", {}, ...buttons.filter(([may]) => may).map(([, word, act]) => {
        const found = button(t(word), act, ".small");
        found.dataset.entry = number; // two buttons that look alike are not the same
        return found;
      })));
  };
  const there = entries.filter(({ there: is }) => is === "here").length;
  const box = make("details.card", { open: opens ?? !drawn }, make("summary", {}, t("club-entries-there", { count: entries.length, there })),
    entries.length ? make("ul.draw-entries", {}, ...entries.map(line)) : make("p.soft", {}, t("club-no-entries")));
  box.querySelector("summary").addEventListener("click", () => { opens = !box.open; });
  return box;
}

const sends = ({ event, desk }, act) => ask("/event/act", { event, version: desk.version, ...act });

/** Why something was refused, over the page. */
const refused = (error) => openSheet(t("club-desk"), ...error.message.split("\n").map((line) => make("p.said.bad", { role: "alert" }, line)));

/** Does an act at once. */
async function does(one, act) {
  try {
    await sends(one, act);
  } catch (error) {
    refused(error);
  }
  await one.then();
}

/** Shows what an act would make of the event; it is done, or left. */
async function trial(one, act) {
  let found;
  try {
    found = await sends(one, { ...act, preview: true });
  } catch (error) {
    refused(error);
    return one.then();
  }
  const seen = { ...one, desk: { version: found.version } };
  if (!found.shown) return does(seen, act);
  const { new: fresh, changed, gone, left, says } = found;
  const changes = [[fresh.length, () => t("club-changes-new", { count: fresh.length })], [changed.length, () => t("club-changes-changed", { ids: changed.join(", ") })],
    [gone.length, () => t("club-changes-gone", { count: gone.length })], ...left.map(({ id, who, off }) => [true, () => t(off ? "club-left-off" : "club-left-wins", { id, who: [who].flat().join(" : ") })]),
    [says.length, () => t("club-check-finds")]].filter(([some]) => some).map(([, text]) => make("p", AS_IS, text()));
  const done = () => {
    one.tries(null);
    return does(seen, act);
  };
  return one.tries({
    shown: found.shown,
    marks: Object.fromEntries([...fresh.map((id) => [id, "new"]), ...changed.map((id) => [id, "changed"])]),
    says: [make("section.card", { role: "status" }, make("h2", {}, t("club-preview")), ...changes, ...says.map((line) => make("p.said.bad", { lang: "en" }, line)),
      make("div.buttons", {}, button(t("club-do"), done, ".first"), button(t("club-discard"), () => one.tries(null))))],
  });
}

/** A form over the page; `act()`: what it asks for, `then(answer)`: what follows. */
function openForm(title, word, act, then, ...parts) {
  const opened = openSheet(title, ...parts, make("div.buttons", {}, button(t(word), () => opened.attempt(async () => {
    try {
      await then(await act());
    } catch (error) {
      refusedIn(error.message);
      return false;
    }
    return true;
  }), ".first")));
}

const typed = (value = "", more = {}) => make("input", { type: "text", value, autocomplete: "off", ...more });

function openNew() {
  const name = typed();
  const system = choice(SYSTEMS.map((one) => [one, t(`club-system-${one}`)]), SYSTEMS[0]);
  const size = make("input", { type: "number", min: 1 });
  const [groups, rounds] = ["groups", "rounds"].map((what) => make("span", {}, t(`club-size-${what}`)));
  const sized = make("label.field", {}, groups, rounds, size);
  const fits = () => {
    sized.hidden = !(system.value in SIZED);
    size.value = SIZED[system.value] ?? "";
    groups.hidden = system.value !== "groups";
    rounds.hidden = system.value !== "swiss";
  };
  system.addEventListener("change", fits);
  fits();
  const act = () => ask("/event/act", { what: "new", name: name.value, system: system.value, size: size.value ? Number(size.value) : null });
  const then = ({ event }) => {
    const to = new URL(location.href);
    to.searchParams.set("event", event);
    location.assign(to);
  };
  openForm(t("club-new-event"), "club-create", act, then, field(t("club-event-name"), name), field(t("club-system"), system), sized, make("p.soft", {}, t("club-terms-why")));
}

function openEntry(one, number) {
  const cells = number == null ? {} : one.desk.entries[number].cells;
  const inputs = CELLS.map((cell) => [cell, typed(cells[cell])]);
  const words = { name: t("player"), partner: t("club-partner"), club: t("club-club"), seeding: t("club-by-seeding"), rating: t("club-rating") };
  const act = () => sends(one, { what: "entry", number, cells: Object.fromEntries(inputs.map(([cell, input]) => [cell, input.value])) });
  openForm(t(number == null ? "club-add-entry" : "club-correct"), "club-do", act, one.then, ...inputs.map(([cell, input]) => field(words[cell], input)));
}

function openTerms(one) {
  const text = make("textarea", { rows: 12, spellcheck: "false", ...AS_IS }, one.desk.terms);
  openForm(t("club-terms"), "club-do", () => sends(one, { what: "terms", text: text.value }), one.then, make("p.soft", {}, t("club-terms-why")), field("event.toml", text));
}

function openList(one) {
  const file = make("input", { type: "file", accept: ".csv,.xlsx,.ods" });
  const act = async () => {
    const bytes = new Uint8Array(await file.files[0]?.arrayBuffer() ?? []);
    return sends(one, { what: "sheet", base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) });
  };
  openForm(t("club-sheet"), "club-do", act, one.then, make("p.soft", {}, t("club-sheet-why")), field(t("club-sheet"), file));
}

function openSwap(one) {
  const entries = one.desk.entries.map(({ name }, number) => [number, name]);
  const [first, second] = [0, 1].map((number) => choice(entries, number));
  const opened = openSheet(t("club-swap"), make("p.soft", {}, t("club-swap-why")), field(t("player"), first), field(t("player"), second),
    make("div.buttons", {}, button(t("club-preview-it"), () => {
      opened.close();
      return trial(one, { what: "swap", number: Number(first.value), other: Number(second.value) });
    }, ".first")));
}
