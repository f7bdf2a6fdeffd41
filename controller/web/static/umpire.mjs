// The umpire's console: questions, the ruling, corrections, calls, stop and play.

import { makeBoard } from "./board.mjs";
import { button, draw, fill, make } from "./dom.mjs";
import { choice, field, strokeForm } from "./form.mjs";
import { ask, listen, notice } from "./live.mjs";
import { newMatch } from "./match.mjs";
import { propose } from "./propose.mjs";
import { showSessions } from "./sessions.mjs";
import { showWatched } from "./watched.mjs";
import { STATES, answerInWords, nameOf, showAlerts, showArmed, showHistory, showRuling, showSides, showStrip } from "./words.mjs";

const at = (id) => document.getElementById(id);
const playing = new Set(); // questions whose clip runs instead of the still picture
let state = null;
let clauses = {};
let calls = [];
let books = [];
let book = null;
let board = null;

// -- the door

async function enter() {
  const { umpire } = await ask("/me");
  at("login").hidden = umpire;
  at("console").hidden = !umpire;
  if (!umpire) return at("pin").focus();
  if (board) return;
  board = makeBoard(at("board"), await ask("/geometry"));
  books = await ask("/books").catch(() => []);
  closedForm();
  listen(show, notice(at("lost")));
}

at("pin-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("/login", { pin: at("pin").value });
    at("pin-says").hidden = true;
    await enter();
  } catch (error) {
    at("pin-says").textContent = error.message;
    at("pin-says").hidden = false;
  }
  at("pin").value = "";
});
at("leave").addEventListener("click", async () => {
  await ask("/logout", {});
  location.reload();
});

at("who").addEventListener("toggle", () => {
  if (at("who").open) showSessions(at("sessions"), tell).catch((error) => tell(error.message, true));
});

// -- acting

async function act(event) {
  try {
    const ruling = await ask("/act", event);
    tell(ruling.seq ? `Taken as event ${ruling.seq}.` : "Taken.");
    return true;
  } catch (error) {
    if (error.status === 401) await enter();
    tell(error.message, true);
    return false;
  }
}

let quiet = 0;
function tell(text, bad = false) {
  at("said").textContent = text;
  at("said").classList.toggle("bad", bad);
  at("said").hidden = false;
  at("said").scrollIntoView({ block: "nearest", behavior: "smooth" });
  clearTimeout(quiet);
  if (!bad) quiet = setTimeout(() => { at("said").hidden = true; }, 6000);
}

const seats = () => state.score.sides.flatMap((side) => Object.entries(side.seats));

// -- showing

async function show(kind, body) {
  if (kind === "board") return board.pieces(body);
  if (kind === "clock") {
    if (state) {
      state.score.clock = body;
      showStrip(at("strip"), state.score, state.book);
      showNow();
    }
    return;
  }
  state = body;
  if (state.book?.id !== book) {
    book = state.book?.id;
    [clauses, calls] = await Promise.all([ask("/clauses").catch(() => ({})), ask("/calls").catch(() => [])]);
    showCalls();
  }
  const { score } = state;
  at("table").textContent = `Umpire · ${score.table}`;
  const waiting = state.asks.length + state.flags.length;
  document.title = waiting ? `(${waiting}) Umpire` : "Umpire";
  showArmed(at("armed"), score);
  showAsks();
  showRuling(at("ruling"), state, clauses);
  showSides(at("sides"), score);
  showStrip(at("strip"), score, state.book);
  showAlerts(at("alerts"), state.alerts);
  showHistory(at("history"), state.history, score, correctOne);
  showWatched(at("watched"), state.watched, clauses);
  showMatch();
  showNow();
  board.names(score);
  board.pieces(state.board);
  board.stroke(state.shot, state.tracks);
  board.place(state.to_place);
}

function showNow() {
  const { score } = state;
  const points = score.sides.map((side) => side.points).join(" : ");
  const clock = score.clock?.running && score.clock.left != null ? ` · ${Math.max(0, Math.ceil(score.clock.left))} s` : "";
  fill(at("now"), make("b", {}, points || "–"),
    score.state === "playing" ? `${nameOf(score.turn, score)} to play${clock}` : STATES[score.state]);
  const stopped = score.state === "paused" || score.state === "trial";
  const stop = at("stop");
  stop.textContent = stopped ? "Play" : "Stop";
  stop.classList.toggle("danger", !stopped);
  stop.classList.toggle("first", stopped);
  stop.hidden = !["playing", "paused", "trial"].includes(score.state);
  stop.dataset.event = score.state === "trial" ? "play" : stopped ? "resume" : "pause";
}
at("stop").addEventListener("click", (event) => act({ event: event.target.dataset.event }));

// -- questions

function showAsks() {
  fill(at("asks"), ...state.asks.map(askCard), ...state.flags.map(flagCard));
}

/** The picture of a question, and the button that plays its clip instead. */
function picture({ ask: id, picture: still, clip, evidence }) {
  const moving = clip && playing.has(id);
  const src = moving ? `/clip/${clip[0]}-${clip[1]}` : still != null ? `/picture/${still}` : null;
  const toggle = clip && button(moving ? "Still picture" : "Play the stroke", () => {
    if (!playing.delete(id)) playing.add(id);
    showAsks();
  }, ".small");
  const drawing = !moving && src ? evidence?.drawing : null;
  const shown = drawing ? drawnOver(src, drawing) : src && make("img", { src, alt: "the picture in question" });
  const says = drawing && make("p.soft", {}, drawing.says.join("; "));
  return [shown, says, toggle && make("div.buttons", {}, toggle)];
}

/** The board's part of a picture, with the lines and the striker's disc that its placement is judged by. */
function drawnOver(src, { size, crop, lines, striker }) {
  const path = (points) => `M${points.map((point) => point.join(" ")).join("L")}`;
  return draw("svg.evidence", { viewBox: crop.join(" "), role: "img", "aria-label": "the picture in question" },
    draw("image", { href: src, width: size[0], height: size[1] }),
    ...lines.map((line) => draw("path.line", { d: path(line) })),
    draw("path.disc", { d: path(striker) }));
}

function askCard(question) {
  const answer = (said, seat) => act({ event: "answer", ask: question.ask, choice: said, ...(seat ? { seat } : {}) });
  const choices = (seat) => question.choices.map((said, index) =>
    button(answerInWords(said), () => answer(said, seat), index === 0 ? ".first" : ""));
  const rows = question.sides?.length
    ? question.sides.map((seat) => make("div", {}, make("p.soft", {}, `${nameOf(seat, state.score)} says`), make("div.buttons", {}, ...choices(seat))))
    : [make("div.buttons", {}, ...choices())];
  return make("section.card.ask", { "data-ask": question.ask },
    make("h2", {}, `Question${question.seat ? ` · ${nameOf(question.seat, state.score)}` : ""}`),
    ...picture(question),
    make("p.q", {}, question.question),
    question.says && question.says !== question.question ? make("p.soft", {}, question.says) : null,
    ...rows);
}

/** A foul that was raised and has no consequence until somebody confirms it. */
function flagCard(flag) {
  const answer = (said) => ({ event: "answer", ask: flag.ask, choice: said });
  const name = `${flag.clause}: ${clauses[flag.clause] ?? flag.says}`;
  return make("section.card.ask.flagged", { "data-flag": flag.clause },
    make("h2", {}, `Foul to confirm${flag.seat ? ` · ${nameOf(flag.seat, state.score)}` : ""}`),
    ...picture(flag),
    make("p.q", {}, make("span.clause", {}, flag.clause), " ", clauses[flag.clause] ?? flag.says),
    make("div.buttons", {},
      button("Confirm", () => propose(`Confirm ${name}`, answer("foul"), act), ".first"),
      button("Wave away", () => act(answer("no foul"))),
      button("Replay the stroke", () => propose("Replay the stroke", answer("replay the stroke"), act))));
}

// -- corrections

function closedForm() {
  fill(at("fix"), make("h2", {}, "Last stroke"), make("div.buttons", {},
    button("Correct it", () => (state.shot ? correctOne(state.shot.seq) : tell("There is no stroke to correct.", true))),
    button("Take it back", () => propose("Take the last stroke back", { event: "void" }, act)),
    button("Enter one by hand", () => openForm("A stroke by hand", { seat: state.score.turn ?? undefined }, (event) => event))));
}

/** Opens a stroke of this match for correction. It stays the stroke that is corrected, however play goes on meanwhile. */
async function correctOne(seq) {
  try {
    openForm(`Correct stroke ${seq}`, await ask(`/stroke/${seq}`), (event) => ({ event: "correct", seq, with: event }));
    at("fix").scrollIntoView({ block: "nearest" });
  } catch (error) {
    tell(error.message, true);
  }
}

function openForm(title, shot, wrap) {
  const form = strokeForm(shot, seats(), state.pieces);
  at("fix").replaceChildren(make("h2", {}, title), form.element, make("div.buttons", {},
    button("Show what changes", () => propose(title, wrap(form.event()), async (event) => {
      if (await act(event)) closedForm();
    }), ".first"),
    button("Close", closedForm)));
}

// -- calls

function showCalls() {
  const search = make("input", { type: "search", placeholder: "find a clause", "aria-label": "find a clause" });
  const list = make("div.calls");
  const refresh = () => {
    const wanted = search.value.trim().toLowerCase();
    // What has consequences comes first; what can only be cited needs no seat and comes last.
    const found = calls.filter(({ clause, says }) => `${clause} ${says}`.toLowerCase().includes(wanted))
      .sort((one, other) => (other.seat !== false) - (one.seat !== false));
    list.replaceChildren(...found.map(callRow));
  };
  search.addEventListener("input", refresh);
  at("calls").replaceChildren(make("h2", {}, "Calls of the book"), search, list);
  refresh();
}

function callRow({ clause, says, consequence, seat = true }) {
  const call = (side) => propose(`${clause}: ${says}`, { event: "call", clause, ...(side ? { seat: side } : {}) }, act);
  const who = seat ? seats().map(([id, name]) => button(name, () => call(id), ".small")) : [button("Call", () => call(), ".small")];
  return make("div.one", {},
    make("div", {}, make("span.clause", {}, clause), " ", says, consequence ? make("div.then", {}, consequence) : null),
    make("div.seats", {}, ...who));
}

// -- the match

function showMatch() {
  const { score, ruling } = state;
  const parts = [];
  if (score.state === "board_over") {
    parts.push(button("Next board", () => act({ event: "next_board" }), ".first"));
    const demand = ruling?.board?.on_demand ?? 0;
    if (demand > 0) parts.push(button(`Claim ${demand} on demand`, () => propose("Claim points", { event: "claim", points: demand }, act)));
  }
  if (score.state === "playing" && score.turn) {
    parts.push(button("Time is up", () => propose("The stroke clock ran out", { event: "timeout", seat: score.turn }, act)),
      button("Passes", () => propose(`${nameOf(score.turn, score)} passes`, { event: "pass", seat: score.turn }, act)));
  }
  if (at("match").querySelector("details[open]")) return;
  fill(at("match"), make("h2", {}, "Match"), make("div.buttons", {}, ...parts), newMatch(books, state, act), otherCall());
}

function otherCall() {
  const action = choice(["warn", "foul", "deduct", "draw", "forfeit", "disqualify", "wave_off"].map((word) => [word, word.replace("_", " ")]), "warn");
  const seat = choice([["", "–"], ...seats()], "");
  const clause = make("input", { type: "text", placeholder: "clause id, if any" });
  const points = make("input", { type: "number", min: 1, max: 99, placeholder: "points" });
  const reason = make("input", { type: "text", maxlength: 500, placeholder: "kept with the call" });
  const send = button("Show what changes", () => {
    const event = { event: "call", action: action.value };
    if (seat.value) event.seat = seat.value;
    if (clause.value.trim()) event.clause = clause.value.trim();
    if (points.value) event.points = Number(points.value);
    if (reason.value.trim()) event.reason = reason.value.trim();
    return propose(`Call: ${action.value}`, event, act);
  }, ".first");
  return make("details", {}, make("summary", {}, "Another call"), make("div.fields", {}, field("What", action), field("Against", seat),
    field("Clause", clause), field("Points", points), field("Reason", reason)), make("div.buttons", {}, send));
}

await enter();
