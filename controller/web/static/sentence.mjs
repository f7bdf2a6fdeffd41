// A ruling in one sentence, consequences first and by name; clause numbers stand elsewhere.

import { LABELS } from "./facts.mjs";
import { language, t, tableSays, words } from "./i18n.mjs";
import { nameOf, shortNames, sideName } from "./names.mjs";

/** The ruling that people look for: of pieces that were put back nothing new is said, so the stroke's stays; of an answer it is
 * the stroke's as it stands by that, with what else it changed. */
export function shownRuling({ ruling, stroke }) {
  if (!stroke || !["placed", "answer"].includes(ruling?.event)) return ruling ?? null;
  return ruling.event === "placed" ? stroke : { ...stroke, changed: ruling.changed?.filter(({ seq }) => seq !== stroke.seq) };
}

const ruledFouls = (ruling) => (ruling.fouls ?? []).filter(({ status }) => status !== "to confirm");

/** What a foul is called. */
export const foulInWords = (foul) => tableSays(foul.says);

/** A question in the reader's language; in the table's own words where the page knows no others. */
export function questionInWords({ question, about, key = "", pocket, missing, counts = [], late, seq, seat }, score) {
  const values = { seq, pocket, name: about === "colour" ? sideName(key, score) : nameOf(seat, score), pieces: pieceList(missing ?? []) };
  const [fact] = key.split(".");
  if (counts.length) return counts.map(([piece, seen, known]) => t("ask-board-count", { seen, known, piece: t(`piece-${piece}`), late: late ? "yes" : "no" })).join("; ");
  if (about === "board") return words(`ask-board-${key.replaceAll("_", "-")}`, values) ?? tableSays(question);
  if (about === "put back" || about === "colour") return t(`ask-${about.replace(" ", "-")}`, values);
  if (about !== "fact" && about !== "blank") return tableSays(question);
  if (fact === "pocketed" && key !== fact) return t(pocket ? "ask-piece-in" : "ask-piece", values);
  return words(`ask-${key === "*" ? "all" : fact}`, values) ?? (language === "en" ? question : t("ask-fact", { fact: factInWords(key) }));
}

/** A fact as a person says it. */
export const factInWords = (fact) => words(`fact-${fact.replaceAll(/[._]/g, "-")}`) ?? LABELS[fact] ?? fact.replaceAll(/[._]/g, " ");

/** "2 white, queen": pieces of one kind together. */
export function pieceList(pieces) {
  const counted = new Map();
  for (const piece of pieces) counted.set(piece, (counted.get(piece) ?? 0) + 1);
  return [...counted].map(([piece, count]) => t("pieces", { count, piece: t(`piece-${piece}`) })).join(", ");
}

/** "Ben pays 1", "Ben owes 2". */
export function dueInWords({ side, pieces, owed }, score) {
  const name = sideName(side, score);
  return [pieces ? t("says-pays", { name, count: pieces }) : null, owed ? t("says-owes", { name, count: owed }) : null].filter(Boolean).join(", ");
}

/** Who forfeited, was disqualified or conceded, of those whose match (or game, where it went on) is over by it. */
export const givenInWords = (ruling, name) => (ruling?.given ?? [])
  .filter(({ of, game }) => (of === "match" ? ruling.match_over : ruling.game_over && game === Object.values(ruling.games ?? {}).reduce((one, more) => one + more, 0)))
  .map(({ side, how }) => t(`says-given-${how}`, { name: name(side) }));

/** A side by the names that its players are called by. */
const teamIn = (score) => (name) => {
  const seats = Object.values(score.sides.find((one) => one.name === name)?.seats ?? {});
  return seats.length ? seats.map(shortNames(score)).join(" & ") : sideName(name, score);
};

/** The score, to be said: "The score: Asha 12, Ben 7", with the games where any was won. */
export function scoreInWords(score) {
  const games = score.sides.some((side) => side.games);
  const points = score.sides.map((side) => `${teamIn(score)(side.name)} ${side.points}${games ? ` (${t("sign-games", { count: side.games })})` : ""}`);
  return t("says-score", { points: points.join(", ") });
}

/** How a challenge was decided, by whom and why, and what each side has left. */
function verdictInWords({ challenge: { result, by, reason }, challenges_left: left = {} }, team) {
  const who = [by, reason].filter(Boolean).join(": ");
  return [t("says-verdict", { result: t(`verdict-${result}`) }) + (who ? ` (${who})` : ""),
    t("says-challenges-left", { left: Object.entries(left).map(([side, count]) => `${team(side)} ${count}`).join(", ") })].join("; ");
}

/** The sentence, "" before anything was ruled. */
export function sentence(ruling, score) {
  if (!ruling) return "";
  const [short, team] = [shortNames(score), teamIn(score)];
  const played = (seat) => short(nameOf(seat, score));
  const parts = [];
  const board = ruling.board ?? {};
  if (ruling.event === "verdict" && ruling.challenge) parts.push(verdictInWords(ruling, team));
  for (const foul of ruledFouls(ruling).slice(0, 1)) {
    parts.push(t("says-foul", { name: played(ruling.seat), what: foulInWords(foul) }));
  }
  if (ruling.void) parts.push(t("says-void"));
  parts.push(...givenInWords(ruling, team));
  if (board.over) parts.push(board.drawn ? t("says-drawn") : t("says-board", { name: team(board.winner), points: board.points ?? 0 }));
  if (ruling.match_over) parts.push(ruling.winner ? t("says-match", { name: team(ruling.winner) }) : t("says-match-over"));
  const dues = ruling.dues ?? [];
  // What an act placed now is told by itself; of what was returned and paid before some may lie there already.
  const now = ruling.place_now;
  for (const due of dues) {
    const pays = now ? 0 : due.pieces;
    const id = pays && due.owed ? "says-pays-owes" : pays ? "says-pays" : due.owed ? "says-owes" : null;
    if (id) parts.push(t(id, { name: team(due.side), count: pays || due.owed, owed: due.owed ?? 0 }));
  }
  const back = now ?? ruling.returned ?? [];
  if (back.length) parts.push(t("says-back", { pieces: pieceList(back.map(({ piece }) => piece)) }));
  if (ruling.take_off?.length) parts.push(t("says-off", { pieces: pieceList(ruling.take_off.map(({ piece }) => piece)) }));
  if (ruling.event === "shot" && !board.over && ruling.turn_kept != null) {
    parts.push(t(ruling.turn_kept ? "says-plays-on" : "says-to-play", { name: played(ruling.turn) }));
  }
  if (!parts.length && ruling.asks?.length) parts.push(t("says-asks"));
  return parts.join("; ") || words(`event-${ruling.event}`) || "";
}
