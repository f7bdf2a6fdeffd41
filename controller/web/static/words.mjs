// The table's figures in words and elements, the same on every page.

import { fill, make } from "./dom.mjs";

export const STATES = {
  idle: "No match", trial: "Trial board", playing: "Playing", paused: "Stopped", board_over: "Board over",
  match_over: "Match over",
};
const QUEEN = { board: "on the board", pending: "waits for her cover", covered: "covered" };
const ARMED = { armed: "watching", degraded: "watching in part", off: "by hand" };

/** A figure with its question mark if an open question may change it. */
export function figure(value, path, score) {
  const open = (score.provisional ?? []).includes(path);
  return make("span", {}, String(value ?? "–"), open ? make("span.doubt", { title: "an open question may change this" }, "?") : null);
}

const players = (side) => Object.values(side.seats).join(" & ") || side.name;
export const nameOf = (seat, score) => {
  for (const side of score.sides) if (seat in side.seats) return side.seats[seat];
  return seat ?? "nobody";
};
/** A side keeps its name when the players change ends: it is not the seat of that name. */
const sideName = (name, score) => {
  const side = score.sides.find((one) => one.name === name);
  return side ? players(side) : name ?? "nobody";
};

export function showSides(element, score) {
  element.dataset.count = score.sides.length;
  fill(element, ...score.sides.map((side) => {
    const turn = score.turn in side.seats;
    const fact = (label, value, path, kind = "") => make(`div${kind}`, {}, make("dt", {}, label), make("dd", {}, figure(value, path, score)));
    return make(`article.side${turn ? ".turn" : ""}`, { "data-side": side.name },
      make("div.who", {}, side.colour ? make(`i.piece-dot.${side.colour}`, { title: side.colour }) : null,
        make("span", { title: players(side) }, players(side))),
      make("div.points", { "data-points": side.name }, figure(side.points, `score.${side.name}`, score)),
      make("dl", {},
        side.left == null ? null : fact("left", side.left, `left.${side.colour}`),
        fact("in hand", side.in_hand, `in_hand.${side.name}`),
        side.games ? fact("games", side.games, `games.${side.name}`) : null,
        side.owed ? fact("owes", side.owed, `owed.${side.name}`, ".owes") : null,
        side.queen ? make("div", {}, make("i.piece-dot.queen"), make("dd", {}, side.queen === "covered" ? "queen" : "queen, uncovered")) : null),
      make("div.to-play", {}, turn && score.state === "playing" ? make("span", {}, `${nameOf(score.turn, score)} to play`,
        score.provisional?.includes("turn") ? make("span.doubt", {}, "?") : null) : ""));
  }));
}

export function showStrip(element, score, book) {
  const parts = [make("span", {}, make("b", { id: "state" }, STATES[score.state] ?? score.state))];
  if (score.state !== "idle") {
    parts.push(
      make("span", {}, `Board ${score.board}`, score.game > 1 ? `, game ${score.game}` : ""),
      make("span", {}, "Queen ", make("b", { id: "queen" }, figure(QUEEN[score.queen] ?? score.queen, "queen", score)),
        score.queen_side && score.queen !== "board" ? ` (${sideName(score.queen_side, score)})` : ""),
    );
  }
  if (book?.title || score.book) parts.push(make("span.soft", {}, book?.title ?? score.book));
  const clock = score.clock ?? {};
  if (clock.running && clock.left != null) {
    const left = Math.max(0, Math.ceil(clock.left));
    parts.push(make(`span.clock${left <= 5 ? ".short" : ""}`, { id: "clock" }, `${left} s`));
  }
  if (score.asks) parts.push(make("span.mark", {}, score.asks === 1 ? "1 open question" : `${score.asks} open questions`));
  fill(element, ...parts);
}

export function showArmed(element, score) {
  element.dataset.level = score.armed;
  element.textContent = ARMED[score.armed] ?? score.armed;
}

export function showAlerts(element, alerts) {
  const shown = (alerts ?? []).filter((alert) => alert.level !== "ask");
  element.hidden = shown.length === 0;
  fill(element, ...shown.map((alert) => make("p.alert", { "data-level": alert.level }, alert.says)));
}

/** What is told is told; whether it is in the journal too stands beside it. */
export function savedMark(saved) {
  return saved === false ? make("span.mark", { "data-saved": "no" }, "told, not yet saved") : make("span.soft", { "data-saved": "yes" }, "saved");
}

/** The ruling card: one line, then every clause that made it, in words. */
export function showRuling(element, state, clauses) {
  // Pieces that were put back say nothing new: what they were put back for is what everybody looks for.
  const ruling = state.ruling?.event === "placed" && state.stroke ? state.stroke : state.ruling;
  if (!ruling) {
    fill(element, make("h2", {}, "Ruling"), make("p.soft", {}, "Nothing has been ruled yet."));
    return;
  }
  const entry = (state.history ?? []).find(({ seq }) => seq === ruling.seq);
  const said = new Set();
  const line = (id, text, kind, ...more) => {
    said.add(id);
    return make(`li.${kind}`, {}, make("span.clause", {}, id), make("span", {}, text ?? clauses[id] ?? "", ...more));
  };
  const items = (ruling.fouls ?? []).map((foul) => foul.status === "to confirm"
    ? line(foul.clause, `${foul.says} `, "flag", make("span.mark", {}, "to confirm"))
    : line(foul.clause, foul.says, "foul"));
  // What was returned and paid may have been placed already: where the ruling says what is left to do, that is shown.
  for (const back of ruling.place_now ? [] : ruling.returned ?? []) {
    items.push(line(back.why, `${back.piece} back on the board${clauses[back.why] ? `: ${clauses[back.why]}` : ""}`, "cite"));
  }
  for (const due of ruling.dues ?? []) {
    const parts = [due.pieces ? `pays ${due.pieces}` : null, due.owed ? `owes ${due.owed}` : null].filter(Boolean);
    items.push(line(due.why, `${sideName(due.side, state.score)} ${parts.join(", ")}${clauses[due.why] ? `: ${clauses[due.why]}` : ""}`, "cite"));
  }
  for (const id of ruling.cites ?? []) if (!said.has(id)) items.push(line(id, clauses[id], "cite"));
  fill(element,
    make("h2", {}, `Ruling ${ruling.seq}${ruling.seat ? ` · ${nameOf(ruling.seat, state.score)}` : ""}`),
    make("p.says", { id: "says" }, ...fallen(entry), `${(ruling === state.ruling ? state.score.last?.says : entry?.says) ?? ""} `,
      ruling.provisional ? make("span.mark", {}, "provisional") : null,
      savedMark(ruling.saved)),
    items.length ? make("ul", {}, ...items) : null,
    ...whatToDo(ruling, state.score),
    ...whatChanged(ruling),
    ruling.notes?.length ? make("p.soft", {}, ruling.notes.join("; ")) : null,
    ruling.unseen?.length ? make("p.soft", {}, `not watched: ${ruling.unseen.join(", ")}`) : null);
}

/** What lies to be placed now, and what to be taken off: pieces of one kind and place together. */
export function whatToDo(ruling, score = { sides: [] }) {
  const line = (title, pieces, where) => {
    const counted = new Map();
    for (const one of pieces ?? []) {
      const what = `${one.piece}${one.side ? ` (${sideName(one.side, score)})` : ""}${where(one)}`;
      counted.set(what, (counted.get(what) ?? 0) + 1);
    }
    const said = [...counted].map(([what, count]) => `${count} ${what}`).join("; ");
    return said ? make("p.todo", {}, make("b", {}, title), ` ${said}`) : null;
  };
  const place = ({ to, within }) => within ? " inside the outer circle" : to ? ` at ${to.map((mm) => mm.toFixed(1)).join(", ")} mm` : " at the centre";
  return [line("To be placed now:", ruling.place_now, place), line("To be taken off:", ruling.take_off, () => "")];
}

/** Earlier rulings that are different now. */
const whatChanged = (ruling) => ruling.changed?.length
  ? [make("details.changed", { open: ruling.changed.length < 4 },
    make("summary", {}, `Changed: ${ruling.changed.length === 1 ? "one ruling" : `${ruling.changed.length} rulings`}`),
    make("ul", {}, ...ruling.changed.map(({ seq, says }) => make("li", {}, make("span.clause", {}, seq), make("span", {}, says)))))]
  : [];

const FACTS = { pocketed: ["", "nothing fell"], off_board: ["off the board: ", "nothing left the board"] };

/** An answer as a person says it: a word, pieces with their pockets, or several facts at once. */
export function answerInWords(said) {
  if (said === true || said === false) return said ? "yes" : "no";
  if (Array.isArray(said)) return said.length ? said.map(answerInWords).join(", ") : "nothing";
  if (said === null || typeof said !== "object") return String(said).replaceAll("_", " ");
  if (said.piece) return said.pocket ? `${said.piece} in ${said.pocket}` : said.piece;
  return Object.entries(said).map(([fact, value]) => {
    const [before, none] = FACTS[fact] ?? [`${fact.replaceAll("_", " ")}: `, `${fact.replaceAll("_", " ")}: none`];
    return Array.isArray(value) && !value.length ? none : before + answerInWords(value);
  }).join("; ");
}

/** What fell in a stroke: each piece in its colour, with its pocket. */
const fallen = (entry) => (entry?.fell ?? []).map(({ piece, pocket }) => make("span.fallen", {},
  make(`i.piece-dot.${piece}`, { title: piece }), pocket ?? ""));

/** `correct(seq)`: opens a stroke for correction; without it the rows are only read. */
export function showHistory(element, history, score, correct = null) {
  fill(element, ...[...(history ?? [])].reverse().map((entry) => make("div", {},
    correct && entry.event === "shot"
      ? make("button.btn.n", { type: "button", "aria-label": `Correct stroke ${entry.seq}`, onclick: () => correct(entry.seq) }, entry.seq)
      : make("span.n", {}, entry.seq),
    make(`span${entry.fouls?.length ? ".fouled" : ""}`, {}, entry.seat ? `${nameOf(entry.seat, score)}: ` : "", ...fallen(entry), entry.says,
      entry.provisional ? make("span.doubt", {}, "?") : null,
      entry.saved === false ? savedMark(false) : null))));
}
