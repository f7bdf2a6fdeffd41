// A stroke as a form: filled with what was seen, giving back the event with only what was changed.

import { make } from "./dom.mjs";
import { EMPTY_SAYS_NOTHING, FACTS, FLAGS } from "./facts.mjs";
import { t, words } from "./i18n.mjs";
import { factInWords } from "./sentence.mjs";

const POCKETS = ["NE", "NW", "SE", "SW"];
const NOT_KNOWN = ["unknown", t("not-known")];
const inWords = (value) => (typeof value === "boolean" ? t(value ? "yes" : "no") : words(`value-${value}`) ?? value);
const enough = (fact) => words(`in-order-${fact.replaceAll(/[._]/g, "-")}`) ?? "";

/** Returns { element, event() }. `shot`: the stroke to begin with; `seats`: [[seat, name], …]; `pieces`: kinds in play. */
export function strokeForm(shot, seats, pieces) {
  const seat = choice(seats.map(([id, name]) => [id, name]), shot.seat ?? seats[0]?.[0]);
  const kinds = [...pieces, "striker", "unknown"].map((piece) => [piece, t(`piece-${piece}`)]);
  const fell = rowsOf(t("fell-pocket"), shot.pocketed ?? [], ({ piece, pocket, t: at } = {}) => {
    const what = choice(kinds, piece ?? pieces[0]);
    const where = choice([["", t("not-known")], ...POCKETS.map((name) => [name, name])], pocket ?? "");
    const value = () => ({ piece: what.value, ...(where.value ? { pocket: where.value } : {}), ...(at == null ? {} : { t: at }) });
    return { parts: [what, where], value };
  });
  const off = rowsOf(t("left-board"), (shot.off_board ?? []).map((piece) => ({ piece })), ({ piece } = {}) => {
    const what = choice(kinds, piece ?? pieces[0]);
    return { parts: [what], value: () => what.value };
  });
  const facts = FACTS.map(({ path, values, inOrder }) => {
    const label = factInWords(path);
    if (values.length === 0) {
      const before = read(shot, path);
      const control = make("input", { type: "number", min: 0, value: before ?? "", placeholder: enough(path) });
      return { path, label, control, was: before ?? undefined, now: () => (control.value === "" ? undefined : Number(control.value)) };
    }
    const options = [...values.map((value) => [value, inWords(value)]), NOT_KNOWN];
    const was = read(shot, path) ?? inOrder;
    const control = choice(options, was);
    return { path, label, control, was, now: () => options.find(([value]) => String(value) === control.value)[0] };
  });
  const flags = FLAGS.map((flag) => {
    const label = factInWords(`flags.${flag}`);
    const box = make("input", { type: "checkbox", checked: (shot.flags ?? []).includes(flag) });
    return { flag, box, element: make("label", {}, box, label) };
  });
  const element = make("div.form", {},
    field(t("struck-by"), seat), fell.element, off.element,
    make("details", {}, make("summary", {}, t("placement-stroke")),
      make("div.fields", {}, ...facts.map(({ label, control }) => field(label, control)))),
    make("details", { open: flags.some(({ box }) => box.hasAttribute("checked")) }, make("summary", {}, t("seen-by-umpire")),
      make("div.checks", {}, ...flags.map((one) => one.element))));

  return {
    element,
    event() {
      const event = structuredClone(shot);
      delete event.seq;
      event.event = "shot";
      event.seat = seat.value;
      // Whoever fills in the form has decided: what the camera doubted is doubted no more.
      delete event.doubts;
      set(event, "pocketed", fell.values());
      set(event, "off_board", off.values());
      set(event, "flags", flags.filter(({ box }) => box.checked).map(({ flag }) => flag));
      for (const { path, was, now } of facts) {
        if (now() !== was) write(event, path, now());
      }
      if (event.unseen) event.unseen = event.unseen.filter((fact) => !says(event, fact));
      return event;
    },
  };
}

/** Whether the stroke says anything about a fact: what a person has filled in was seen. */
function says(event, fact) {
  const [head, part] = fact.split(".");
  const value = event[head];
  if (head === "seat" || value == null) return false;
  if (head === "flags" && part) return value.includes(part);
  if (Array.isArray(value)) return part ? value.some((one) => one?.[part] != null) : value.length > 0 || !EMPTY_SAYS_NOTHING.includes(head);
  return part ? value[part] != null : true;
}

export function field(label, control) {
  return make("label.field", {}, label, control);
}

export function choice(options, chosen) {
  return make("select", {}, ...options.map(([value, label]) =>
    make("option", { value: String(value), selected: String(value) === String(chosen) }, label)));
}

function rowsOf(title, values, makeRow) {
  const rows = new Set();
  const list = make("div.rows");
  const add = (value) => {
    const row = makeRow(value);
    for (const part of row.parts) part.setAttribute("aria-label", title);
    const remove = make("button.btn.small", { type: "button", "aria-label": t("remove") }, "✕");
    const line = make(row.parts.length === 1 ? "div.row.one" : "div.row", {}, ...row.parts, remove);
    remove.addEventListener("click", () => {
      rows.delete(row);
      line.remove();
    });
    rows.add(row);
    list.append(line);
  };
  values.forEach(add);
  const more = make("button.btn.small", { type: "button", onclick: () => add() }, t("add-piece"));
  return {
    element: make("fieldset", {}, make("legend", {}, title), list, make("div.buttons", {}, more)),
    values: () => [...rows].map((row) => row.value()),
  };
}

function set(event, key, list) {
  if (list.length || key in event) event[key] = list;
}

function read(event, path) {
  return path.split(".").reduce((value, key) => value?.[key], event);
}

function write(event, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  let at = event;
  for (const key of keys) at = at[key] ??= {};
  at[last] = value;
}
