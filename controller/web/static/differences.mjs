// What an event would change, in names and words: "Ben pays 1", never "south: 1 paid".

import { t } from "./i18n.mjs";
import { nameOf, sideName } from "./names.mjs";
import { dueInWords, foulInWords, pieceList } from "./sentence.mjs";

const HAPPENED = ["fouls", "dues", "returned", "void"]; // told of each stroke; figures are told as they end up
const SCORED = ["score", "games", "match_over", "winner"];

/** Whether an event changes more than the stroke it is about: the score, a board's end, or what was ruled on others. */
export function furtherThan({ ruling, differences = [] }, stroke) {
  const own = [stroke, ruling?.seq];
  return differences.some(({ seq, figure, was, now }) => SCORED.includes(figure)
    || (figure === "board" && Boolean(was?.over) !== Boolean(now?.over))
    || (HAPPENED.includes(figure) && !own.includes(seq)));
}

/** Every change in a sentence: first what is ruled otherwise, then how it stands at the end. */
export function inWords({ differences = [] }, score) {
  const last = Math.max(...differences.map(({ seq }) => seq ?? 0), 0);
  const found = [];
  for (const { seq, figure, was, now } of differences) {
    if (figure === "void") found.push(t(now ? "change-void" : "change-counts", { seq }));
    if (figure === "fouls") found.push(...apart(was, now, ({ clause, status }) => `${clause}${status}`, (foul, gone) => t(gone ? "change-no-foul" : "change-foul", { seq, what: foulInWords(foul) })));
    if (figure === "dues") found.push(...apart(was, now, JSON.stringify, (due, gone) => t(gone ? "change-no-due" : "change-due", { seq, what: dueInWords(due, score) })));
    if (figure === "returned") {
      found.push(...apart(was, now, ({ piece, side }) => `${piece}${side}`, ({ piece }, gone) => t(gone ? "change-stays" : "change-back", { seq, pieces: pieceList([piece]) })));
    }
  }
  for (const { seq, figure, was, now } of differences) if ((seq ?? last) === last) found.push(...asItEnds(figure, was, now, score));
  return [...new Set(found)];
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
