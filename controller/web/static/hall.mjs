// The big board for the hall: readable from the back row, nothing to touch.

import { makeBoard } from "./board.mjs";
import { fill } from "./dom.mjs";
import { ask, listen, notice } from "./live.mjs";
import { savedMark, showAlerts, showSides, showStrip } from "./words.mjs";

const at = (id) => document.getElementById(id);
const board = makeBoard(at("board"), await ask("/geometry"));
let state = null;

function show(kind, body) {
  if (kind === "state") {
    state = body;
    showSides(at("sides"), state.score);
    showStrip(at("strip"), state.score, state.book);
    fill(at("ruling"), state.score.last?.says ?? "", " ", state.ruling?.saved === false ? savedMark(false) : null);
    // The hall is not told what only the umpire can mend or answer, but that the table itself is not well.
    showAlerts(at("alerts"), (state.alerts ?? []).filter((alert) => alert.level === "fault"));
    board.names(state.score);
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
// A page that stands for days starts afresh in the small hours, so that what a browser piles up never shows.
setInterval(() => {
  const now = new Date();
  if (now.getHours() === 4 && now.getMinutes() === 0) location.reload();
}, 60_000);
