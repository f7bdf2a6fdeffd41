// The scoreboard for everybody, the hall and the stream: the same picture; only `/` goes on below it, and `/overlay` is
// a strip of it, to lie over a film.

import { challengeSays, roundSays, showBands, showClock } from "./bands.mjs";
import { makeBoard } from "./board.mjs";
import { course } from "./course.mjs";
import { fill, make } from "./dom.mjs";
import { fitAll, tall } from "./fit.mjs";
import { LANGUAGES, language, speak, t, translate } from "./i18n.mjs";
import { layingNow } from "./laying.mjs";
import { ask, listen } from "./live.mjs";
import { makeReplay } from "./replay.mjs";
import { sentence, shownRuling } from "./sentence.mjs";
import { speaking } from "./voice.mjs";
import { showBlind, showWatching, standing, watching } from "./watch.mjs";
import { dots, savedMark, showAlerts, showHistory, showRuling } from "./words.mjs";

/** How the sentence may be written, the best first: its height in hundredths of the picture, its width in % of the font's. */
const SIZES = [[8.4, 100], [7.4, 100], [6.4, 100], [5.7, 100], [5.2, 100], [5.02, 85], [5.02, 70], [5.02, 62.5], [4.4, 62.5], [3.8, 62.5]];
const at = (id) => document.getElementById(id);
const display = location.pathname === "/board" || location.hostname === "localhost"; // the table's own
const alone = location.pathname !== "/"; // in the hall and in a stream there is nobody to scroll
const geometry = await ask("/geometry");
const boards = [makeBoard(at("board"), geometry), ...(alone ? [] : [makeBoard(at("board-below"), geometry)])];
const voice = speaking(at("voice"));
const replay = alone ? makeReplay(at("replay"), () => showMiddle()) : null;
let clauses = {};
let book = null;
let state = null;
let lostSince = null;

translate();
at("more").hidden = alone;
at("umpire").hidden = alone;
document.body.classList.toggle("alone", alone);
document.body.classList.toggle("overlay", location.pathname === "/overlay");
at("links").append(...Object.entries(LANGUAGES).filter(([tag]) => tag !== language).map(([tag, name]) =>
  make("button.btn.small", { type: "button", lang: tag, onclick: () => speak(tag) }, name)));

async function show(kind, body) {
  if (kind === "state") {
    state = body;
    if (!alone && state.book?.id !== book) {
      book = state.book?.id;
      clauses = await ask("/clauses").catch(() => ({}));
    }
    showState();
  } else if (kind === "board") {
    if (body.moving) replay?.moved();
    if (state) state.board = body;
    for (const board of boards) {
      board.pieces(body);
      if (state) board.place(layingNow(state));
      if (body.moving) board.stroke(null, []);
    }
  } else if (kind === "clock" && state) {
    state.score.clock = body;
    showClock(at("clockbar"), at("clock"), state.score);
  }
}

function showState() {
  const { score } = state;
  document.title = score.sides.map((side) => `${side.points}`).join(" : ") || "Carrom";
  document.body.dataset.state = score.state;
  showLine();
  showBands(at("bands"), score);
  showClock(at("clockbar"), at("clock"), score);
  fill(at("where"), score.state === "idle" ? t("state-idle") : where(score));
  showSaying();
  showMiddle();
  replay?.show(state.replays, score.match);
  for (const board of boards) {
    board.names(score);
    board.pieces(state.board);
    board.stroke(state.shot, state.tracks);
    board.place(layingNow(state));
  }
  voice.hear(state);
  document.body.dataset.seq = score.seq; // what is shown: for whoever measures how long it took
  if (alone) return;
  showAlerts(at("alerts"), standing(state));
  showRuling(at("ruling"), state, clauses);
  showHistory(at("history"), state.history, score);
}

/** Between the bands: the board, or the course of the match between two boards; a replay covers it all while it lasts. */
function showMiddle() {
  const { score } = state;
  const between = ["board_over", "match_over"].includes(score.state) && state.boards?.length > 0;
  at("course").hidden = !between;
  at("board").hidden = between;
  if (between) fill(at("course"), course(state.boards, score));
  showLine();
}

function where(score) {
  const board = score.game > 1 ? t("game-board", { game: score.game, board: score.board }) : t("board-number", { board: score.board });
  return make("span", {}, [score.challenge ? t("event-challenge") : score.state === "playing" ? "" : t(`state-${score.state}`), board, roundSays(score)].filter(Boolean).join(" · "));
}

/** The club's match that this table was given: one side after the other, partners opposite. */
const calledHere = ({ seats }) => (seats.east ? [["south", "north"], ["east", "west"]] : [["south"], ["north"]])
  .map((side) => side.map((seat) => seats[seat]).join(" & ")).join(" : ");

function showSaying() {
  const { score } = state;
  const ruling = shownRuling(state);
  const entry = (state.history ?? []).find(({ seq }) => seq === ruling?.seq);
  at("says").classList.toggle("fouled", (ruling?.fouls ?? []).some(({ status }) => status !== "to confirm"));
  if (state.called) {
    fill(at("saying"), t("called-here", { who: calledHere(state.called) }));
    return sizeSaying();
  }
  if (score.challenge) {
    fill(at("saying"), challengeSays(score));
    return sizeSaying();
  }
  fill(at("saying"), ...dots(entry), sentence(ruling, score) || (score.last?.says ?? ""),
    ruling?.provisional ? make("span.doubt", { title: t("doubt") }, "?") : null,
    savedMark(ruling?.saved));
  sizeSaying();
}

/** A sentence is written as large as its place allows: a short one is read from the back row, a long one keeps all its words. */
function sizeSaying() {
  const [says, saying] = [at("says"), at("saying")];
  says.classList.toggle("tall", tall(saying.textContent));
  for (const [height, width] of SIZES) {
    saying.style.fontSize = `calc(${height} * var(--u))`;
    saying.style.fontStretch = `${width}%`;
    if (saying.scrollHeight <= saying.clientHeight + 1) return;
  }
}

function showLine() {
  if (!state && !lostSince) return;
  const now = watching(state ?? { score: {} }, lostSince);
  showWatching(at("watch"), now);
  const none = state?.health?.camera === "none" && !lostSince; // no camera, no board to draw
  at("picture").classList.toggle("no-board", (none && at("course").hidden) || // the course needs no camera
    (state?.score.sides.length ?? 2) > 2);
  for (const frame of [at("board"), at("board-below")]) showBlind(frame, none ? { blind: false } : now);
}

listen(show, (since) => {
  lostSince = since;
  if (since) voice.missed();
  showLine();
}, display ? "/events?display" : "/events");
function fitAgain() {
  fitAll(at("bands"));
  sizeSaying();
}
addEventListener("resize", fitAgain);
document.fonts.addEventListener("loadingdone", fitAgain);
// A page that stands for days starts afresh in the small hours, so that what a browser piles up never shows.
setInterval(() => {
  const now = new Date();
  if (now.getHours() === 4 && now.getMinutes() === 0) location.reload();
}, 60_000);
