// What an event would change, in names and words: "Ben pays 1", never "south: 1 paid".

import { t, tableSays } from "./i18n.mjs";
import { nameOf, sideName } from "./names.mjs";
import { dueInWords, factInWords, foulInWords, pieceList } from "./sentence.mjs";

const SCORED = ["score", "games", "match_over", "winner"];

/** The other strokes than its own whose ruling an event changes: what is only passed on, as to where pieces were put, is none. */
export function othersChanged({ ruling, differences = [] }, stroke, history = []) {
  const passedOn = history.filter(({ event }) => event !== "shot").map(({ seq }) => seq);
  return [...new Set(differences.map(({ seq }) => seq))].filter((seq) => seq != null && ![stroke, ruling?.seq, ...passedOn].includes(seq));
}

/** Whether an event changes more than the stroke it is about: the score, a board's end, or anything of other rulings. */
export function furtherThan(would, stroke, history) {
  return othersChanged(would, stroke, history).length > 0 || (would.differences ?? []).some(({ figure, was, now }) => SCORED.includes(figure)
    || (figure === "board" && Boolean(was?.over) !== Boolean(now?.over)));
}

/** Every change in a sentence: first what is ruled otherwise, then how it stands at the end. */
export function inWords({ differences = [] }, score) {
  const last = Math.max(...differences.map(({ seq }) => seq ?? 0), 0);
  const found = [];
  for (const { seq, figure, was, now } of differences) {
    if (figure === "void") found.push(t(now ? "change-void" : "change-counts", { seq }));
    if (figure === "fouls") found.push(...foulsApart(was ?? [], now ?? []).map(([foul, id]) => t(id, { seq, what: foulInWords(foul) })));
    if (figure === "dues") found.push(...apart(was, now, JSON.stringify, (due, gone) => t(gone ? "change-no-due" : "change-due", { seq, what: dueInWords(due, score) })));
    if (figure === "returned") {
      found.push(...apart(was, now, ({ piece, side }) => `${piece}${side}`, ({ piece }, gone) => t(gone ? "change-stays" : "change-back", { seq, pieces: pieceList([piece]) })));
    }
  }
  for (const { seq, figure, was, now } of differences) if ((seq ?? last) === last) found.push(...asItEnds(figure, was, now, score));
  return [...new Set(found)];
}

/** By what an earlier ruling came about where nothing else of it is different: clauses, facts, notes. `clauses`: their words. */
export function reasons({ differences = [] }, clauses, score) {
  const known = (id) => (clauses[id] ? `${id} (${tableSays(clauses[id])})` : id);
  return differences.flatMap(({ seq, figure, was, now }) => {
    switch (figure) {
      case "cites": return [...apart(was, now, String, (id, gone) => t(gone ? "change-no-clause" : "change-clause", { seq, what: known(id) }))];
      case "unseen": return [...apart(was, now, String, (fact, gone) => t(gone ? "change-known" : "change-unknown", { seq, what: factInWords(fact) }))];
      case "notes": return [...apart(was, now, String, (note, gone) => (gone ? null : t("change-note", { seq, what: tableSays(note) })))].filter(Boolean);
      case "seat": return was && now ? [t("change-seat", { seq, now: nameOf(now, score), was: nameOf(was, score) })] : [];
      default: return [];
    }
  });
}

const stands = ({ status }) => status !== "to confirm";

/** Fouls that are ruled now and were not, and those that are none any more: one that was raised and is confirmed came. */
function foulsApart(was, now) {
  const among = (fouls, { clause }, meant) => fouls.some((one) => one.clause === clause && meant(one));
  return [
    ...was.filter((foul) => !among(now, foul, (one) => stands(one) || !stands(foul))).map((foul) => [foul, "change-no-foul"]),
    ...now.filter((foul) => stands(foul) && !among(was, foul, stands)).map((foul) => [foul, "change-foul"]),
  ];
}

/** What is only in one of two lists. */
function* apart(was, now, key, says) {
  const before = (was ?? []).map(key);
  const after = (now ?? []).map(key);
  for (const one of was ?? []) if (!after.includes(key(one))) yield says(one, true);
  for (const one of now ?? []) if (!before.includes(key(one))) yield says(one, false);
}

function asItEnds(figure, was, now, score) {
  const each = (id, name) => Object.keys({ ...was, ...now }).filter((key) => (was ?? {})[key] !== (now ?? {})[key])
    .map((key) => t(id, { name: name(key), was: (was ?? {})[key] ?? 0, now: (now ?? {})[key] ?? 0 }));
  const side = (key) => sideName(key, score);
  switch (figure) {
    case "score": return each("change-score", side);
    case "games": return each("change-games", side);
    case "owed": return each("change-owed", side);
    case "left": return each("change-left", (piece) => t(`piece-${piece}`));
    case "turn": return [now ? t("change-turn", { now: nameOf(now, score), was: nameOf(was, score) }) : t("change-no-turn")];
    case "queen": return [t("change-queen", { now: t(`queen-${now}`), was: t(`queen-${was}`) })];
    case "board": return boardEnds(was, now, side);
    case "match_over": return [t(now ? "says-match-over" : "change-match-goes-on")];
    case "winner": return now ? [t("says-match", { name: side(now) })] : [];
    default: return [];
  }
}

function boardEnds(was, now, side) {
  if (now?.over) return [now.drawn ? t("says-drawn") : t("says-board", { name: side(now.winner), points: now.points ?? 0 })];
  return was?.over ? [t("change-board-goes-on")] : [];
}
