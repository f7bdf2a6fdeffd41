// The table's rulings, strokes and alerts as elements, the same on every page.

import { inWords, reasons } from "./differences.mjs";
import { AS_IS, button, fill, make } from "./dom.mjs";
import { language, t, tableSays, words } from "./i18n.mjs";
import { nameOf, seatedThen, sideName } from "./names.mjs";
import { dueInWords, factInWords, foulInWords, pieceList, sentence, shownRuling } from "./sentence.mjs";

/** A figure with its question mark if an open question may change it. */
export const doubtMark = () => make("span.doubt", { title: t("doubt") }, "?");

/** The table's or the book's own words, in the reader's language where the page knows them in it. */
export function byTheBook(text) {
  const read = tableSays(text);
  return make("span", { lang: language === "en" || read !== text ? null : "en" }, read);
}

/** Alerts that stand; questions have their own place. `none`: what keeps the place of those that do not. */
export function showAlerts(element, alerts, none = null) {
  const shown = (alerts ?? []).filter((alert) => alert.level !== "ask");
  element.hidden = shown.length === 0 && !none;
  fill(element, shown.length ? null : none, ...shown.map((alert) => make("p.alert", { "data-level": alert.level }, byTheBook(alert.says))));
}

/** What is told is told; whether it is in the journal too stands beside it. */
export const savedMark = (saved) => saved === false ? make("span.mark", { "data-saved": "no" }, t("not-saved")) : null;

/** What fell in a stroke: each piece in its colour, with its pocket. */
export const dots = (entry) => (entry?.fell ?? []).map(({ piece, pocket }) => make("span.fallen", {},
  make(`i.piece-dot.${piece}`, { role: "img", "aria-label": t(`piece-${piece}`) }), pocket ? make("small", {}, pocket) : ""));

/** The ruling card: one sentence, then every clause that made it, in the book's words. */
export function showRuling(element, state, clauses) {
  const ruling = shownRuling(state);
  if (!ruling) return fill(element, make("h2", {}, t("ruling")), make("p.soft", {}, t("nothing-ruled")));
  const { score } = state;
  const entry = (state.history ?? []).find(({ seq }) => seq === ruling.seq);
  const cited = new Set();
  const line = (id, says, kind, ...more) => {
    cited.add(id);
    return make(`li.${kind}`, {}, make("span", {}, says, ...more), make("span.clause", AS_IS, id));
  };
  const items = (ruling.fouls ?? []).map((foul) => foul.status === "to confirm"
    ? line(foul.clause, `${foulInWords(foul)} `, "flag", make("span.mark", {}, t("to-confirm")))
    : line(foul.clause, foulInWords(foul), "foul"));
  // What was returned and paid may have been placed already: where the ruling says what is left to do, that is shown.
  for (const back of ruling.place_now ? [] : ruling.returned ?? []) {
    items.push(line(back.why, t("comes-back", { piece: t(`piece-${back.piece}`) }), "cite", because(clauses[back.why])));
  }
  for (const due of ruling.dues ?? []) items.push(line(due.why, dueInWords(due, score), "cite", because(clauses[due.why])));
  for (const id of ruling.cites ?? []) if (!cited.has(id)) items.push(line(id, byTheBook(clauses[id]), "cite"));
  return fill(element,
    make("h2", {}, t("ruling-number", { seq: ruling.seq }), ruling.seat ? ` · ${nameOf(ruling.seat, score)}` : ""),
    make("p.says", {}, ...dots(entry), `${sentence(ruling, score)} `,
      ruling.provisional ? make("span.mark", {}, t("provisional")) : null, " ", savedMark(ruling.saved)),
    items.length ? make("ul", {}, ...items) : null,
    ...whatToDo(ruling, score),
    ...whatChanged(ruling, score, clauses),
    ruling.notes?.length ? make("p.soft", {}, ...ruling.notes.flatMap((note, index) => [index ? "; " : "", byTheBook(note)])) : null,
    ruling.unseen?.length ? make("p.soft", {}, t("not-watched", { facts: ruling.unseen.map(factInWords).join(", ") })) : null);
}

const because = (clause) => clause ? make("span", {}, ": ", byTheBook(clause)) : null;

/** What lies to be placed now, and what to be taken off: pieces of one kind and place together. */
export function whatToDo(ruling, score = { sides: [] }) {
  const line = (kind, title, pieces, where) => {
    const counted = new Map();
    for (const one of pieces ?? []) {
      const what = JSON.stringify([one.piece, one.side ? sideName(one.side, score) : null, where(one)]);
      counted.set(what, (counted.get(what) ?? 0) + 1);
    }
    const said = [...counted].map(([key, count]) => {
      const [piece, side, place] = JSON.parse(key);
      const pieces = pieceList(Array(count).fill(piece));
      return `${side ? t("pieces-of", { pieces, side }) : pieces}${place}`;
    }).join("; ");
    return said ? make(`p.todo.${kind}`, {}, make("b", {}, title), ` ${said}`) : null;
  };
  const place = ({ to, within }) => ` ${within ? t("place-ring") : to ? t("place-at") : t("place-centre")}`;
  return [line("lay", t("place-now"), ruling.place_now, place), line("take", t("take-off"), ruling.take_off, () => "")].filter(Boolean);
}

/** Earlier rulings that are different now: each in names and words, what it is now before what it was. Where only the
 * reading is different nobody is told. */
function whatChanged(ruling, score, clauses) {
  const lines = (ruling.changed ?? []).flatMap(({ seq, fields, was }) => {
    const changes = { differences: Object.keys(fields ?? {}).map((figure) => ({ seq, figure, was: was?.[figure], now: fields[figure] })) };
    const found = inWords(changes, score);
    const said = (found.length ? found : reasons(changes, clauses, score)).join("; ");
    return said ? [make("li", {}, make("span", {}, said), make("span.clause", AS_IS, seq))] : [];
  });
  return lines.length ? [make("details.changed", { open: lines.length < 4 },
    make("summary", {}, t("changed", { count: lines.length })), make("ul", {}, ...lines))] : [];
}

/** An answer as a person says it: a word, pieces with their pockets, or several facts at once; a seat by who sits there. */
export function answerInWords(said, score = null) {
  if (said === true || said === false) return t(said ? "yes" : "no");
  if (Array.isArray(said)) return said.length ? said.map((one) => answerInWords(one, score)).join(", ") : t("nothing");
  if (said === null || typeof said !== "object") {
    const text = String(said);
    return words(`answer-${text.replaceAll(/[ _]/g, "-")}`) ?? words(`piece-${text}`) ?? (words(`seat-${text}`) && nameOf(text, score ?? { sides: [] })) ?? text.replaceAll("_", " ");
  }
  if (said.piece) return said.pocket ? t("piece-in", { piece: t(`piece-${said.piece}`), pocket: said.pocket }) : t(`piece-${said.piece}`);
  return Object.entries(said).map(([fact, value]) => {
    const none = Array.isArray(value) && !value.length;
    return words(`answered-${fact.replaceAll("_", "-")}${none ? "-none" : ""}`, { value: none ? "" : answerInWords(value, score) })
      ?? `${factInWords(fact)}: ${none ? t("nothing") : answerInWords(value, score)}`;
  }).join("; ");
}

/** The strokes and rulings, newest first. `correct(seq)`: opens one; without it the rows are only read. */
export function showHistory(element, history, score, correct = null) {
  fill(element, ...[...(history ?? [])].reverse().map((entry) => {
    const then = seatedThen(score, entry);
    const said = [entry.seat ? make("b", AS_IS, `${nameOf(entry.seat, then)} `) : null, ...dots(entry), entry.taken_back ? t("taken-back") : entry.answered !== undefined ? t("answer", { said: answerInWords(entry.answered, then) }) : (entry.ruled && sentence(entry.ruled, then)) || entry.says,
      entry.provisional ? doubtMark() : null, savedMark(entry.saved), entry.told ? make("span.mark", {}, t("told")) : null];
    const row = make(`span.text${entry.fouls?.length ? ".fouled" : ""}${entry.void ? ".void" : ""}`, {}, ...said);
    if (!correct || entry.event !== "shot") return make("div", {}, make("span.n", {}, entry.seq), row);
    const tap = button("", () => correct(entry.seq), ".stroke");
    tap.setAttribute("aria-label", t("fix-stroke", { seq: entry.seq }));
    tap.append(make("span.n", {}, entry.seq), row);
    return make("div", {}, tap);
  }));
}
