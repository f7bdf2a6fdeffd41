// The scoreboard for everybody: board, score, turn, queen, dues, the last ruling with its clauses in words.

import { makeBoard } from "./board.mjs";
import { ask, listen, notice } from "./live.mjs";
import { showAlerts, showArmed, showHistory, showRuling, showSides, showStrip } from "./words.mjs";

const at = (id) => document.getElementById(id);
const board = makeBoard(at("board"), await ask("/geometry"));
let clauses = {};
let book = null;
let state = null;

async function show(kind, body) {
  if (kind === "state") {
    state = body;
    if (state.book?.id !== book) {
      book = state.book?.id;
      clauses = await ask("/clauses").catch(() => ({}));
    }
    const { score } = state;
    at("table").textContent = `Table ${score.table}`;
    document.title = score.sides.map((side) => `${side.points}`).join(" : ") || "Carrom";
    showArmed(at("armed"), score);
    showSides(at("sides"), score);
    showStrip(at("strip"), score, state.book);
    showAlerts(at("alerts"), state.alerts);
    showRuling(at("ruling"), state, clauses);
    showHistory(at("history"), state.history, score);
    board.names(score);
    board.pieces(state.board);
    board.stroke(state.shot, state.tracks);
    board.place(state.to_place);
  } else if (kind === "board") {
    board.pieces(body);
    if (body.moving) board.stroke(null, []);
  } else if (kind === "clock" && state) {
    state.score.clock = body;
    showStrip(at("strip"), state.score, state.book);
  }
}

listen(show, notice(at("lost")));
