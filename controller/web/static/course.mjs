// The course of a match: its boards one after another, for the pause between two of them.

import { AS_IS, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { players, sideName } from "./names.mjs";
import { givenInWords } from "./sentence.mjs";

/** A table of the boards, newest last. `boards`: `{game, board, winner, points, drawn, score}`; `most`: so many of them. */
export function course(boards, score, most = 8) {
  const several = boards.some(({ game }) => game > 1);
  return make("table.course", {},
    make("caption", {}, t("course")),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, t("board")), ...score.sides.map((side) => make("th", { ...AS_IS, scope: "col" }, players(side))))),
    make("tbody", {}, ...boards.slice(-most).map((one) => make("tr", {},
      make("th", { scope: "row" }, several ? `${one.game}·${one.board}` : String(one.board)),
      ...score.sides.map(({ name }) => make(one.winner === name ? "td.won" : "td", {},
        String(one.score[name] ?? 0), one.winner === name ? make("small", { "aria-label": t("wins-points", { count: one.points }) }, `+${one.points}`) : null))))));
}

/** How a match stands or ended: its points, and where more than one game was won, its games before them. */
export const pointsAndGames = (points, games) => (games.reduce((one, more) => one + more, 0) > 1
  ? `${games.join(" : ")} (${points.join(" : ")})` : points.join(" : "));

/** Who won what, in one line: of the board, or of the match. */
export function outcome(state) {
  const { score, ruling } = state;
  return [...givenInWords(ruling, (side) => sideName(side, score)), ended(score, ruling?.board ?? {})].join("; ");
}

function ended(score, board) {
  if (score.state === "match_over") return score.winner ? t("says-match", { name: sideName(score.winner, score) }) : t("says-match-over");
  return board.drawn ? t("says-drawn") : t("says-board", { name: sideName(board.winner, score), points: board.points ?? 0 });
}
