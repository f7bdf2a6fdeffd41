// One side's own buttons, where the players decide: its word on each question, its own fouls, and what both sides want.

import { challengeSays } from "./bands.mjs";
import { mayChallenge, openChallenge } from "./challenge.mjs";
import { AS_IS, button, fill, make } from "./dom.mjs";
import { evidence } from "./evidence.mjs";
import { t, tableSays, translate } from "./i18n.mjs";
import { ask, listen } from "./live.mjs";
import { nameOf, players } from "./names.mjs";
import { answerOnce, answering, caughtUp, isGiven, tapped } from "./once.mjs";
import { ownStroke } from "./own_stroke.mjs";
import { questionCard } from "./question.mjs";
import { foulInWords, questionInWords } from "./sentence.mjs";
import { holding } from "./settled.mjs";
import { openSheet } from "./sheet.mjs";
import { showTally } from "./tally.mjs";
import { showWatching, watching } from "./watch.mjs";
import { answerInWords, byTheBook, showRuling } from "./words.mjs";

const at = (id) => document.getElementById(id);
const SAID_MS = 8000;
const [refusal, success] = at("toast").children;
let state = null;
let lostSince = null;
let side = null;
let book = null;
let clauses = {};
let calls = [];
let latest = null; // the number of the latest ruling on what this device said
let under = 0; // so much of it is being ruled on

const hold = holding(at("now"), () => null, (ask, since) => under > 0 || isGiven(ask) || since.some(({ seq }) => seq === latest));
const mine = () => state.score.sides.find(({ name }) => name === side);
const here = () => Boolean(side && mine()) && state.officiating === "players" && "flags" in state;

function tell(text, bad = false) {
  const toast = bad ? refusal : success;
  toast.hidden = false;
  toast.style.order = -Math.round(performance.now()); // the newest first, where there is room for one
  fill(toast, make("span", {}, text), button(t("close"), () => { toast.hidden = true; }, ".small"));
  setTimeout(() => { toast.hidden = true; }, SAID_MS);
}

const say = (event) => (event.event === "answer" ? answerOnce(event, state.score.match, () => send(event)) : send(event));

async function send(event) {
  under += 1;
  try {
    const said = await ask("/side/act", event);
    latest = said.seq ?? latest;
    if (said.waits) tell(t("waits-for-other"));
    return said;
  } catch (error) {
    tell(error.message, true);
    return null;
  } finally {
    under -= 1;
  }
}

// -- the card

function showNow() {
  const says = challengeSays(state.score);
  if (!here()) return fill(at("now"), says ? make("section.card", {}, make("p.says", {}, says)) : null, make("section.card", {}, make("p.says", {}, t(side ? "umpire-decides" : "not-let-in")), make("a.btn", { href: "/" }, t("back-to-scoreboard"))));
  const open = [...state.asks, ...state.flags];
  const wanted = state.proposed.map((one) => ({ ...one, ask: `wants ${JSON.stringify(one.event)}`, own: one.sides.includes(side) }));
  const queue = [...open.filter((one) => !one.sides?.length || one.sides.some((seat) => seat in mine().seats)), ...wanted.filter(({ own }) => !own)];
  if (hold.stays(state, queue, showNow)) return;
  const [question, fresh] = hold.next(state, queue);
  if (question) {
    fill(at("now"), question.event ? wish(question) : card(question));
    if (fresh) at("now").firstElementChild.classList.add("fresh");
    return;
  }
  const ruling = make("section.card.ruling");
  showRuling(ruling, state, clauses);
  fill(at("now"), open.length ? make("p.said", { role: "status" }, t("other-answers")) : null, ...wanted.map(wish), ownStroke(state, mine().seats, say, showNow), ruling);
}

function card(question) {
  const flag = question.clause;
  const what = flag ? foulInWords({ clause: flag, says: clauses[flag] ?? question.says }) : questionInWords(question, state.score);
  const choices = flag ? ["foul", "no foul", "replay the stroke"] : question.choices;
  return questionCard({ "data-ask": question.ask }, {
    head: [t(flag ? "foul-to-confirm" : "question"), question.seat ? ` · ${nameOf(question.seat, state.score)}` : ""],
    shown: evidence(question, showNow),
    asked: [make("p.q", {}, flag ? t("says-foul", { name: nameOf(question.seat, state.score), what }) : what), make("p.soft", {}, t("both-answer"))],
    answers: [make("div.buttons", {}, ...answering(choices.map((one) => button(answerInWords(one, state.score), () => say({ event: "answer", ask: question.ask, choice: one }))), { ask: question.ask }))],
  });
}

// -- what one side wants and the other has yet to

const wishInWords = ({ event, clause, seat, choice }) => (event === "call"
  ? t("says-foul", { name: nameOf(seat, state.score), what: tableSays(calls.find((one) => one.clause === clause)?.says) || clause })
  : event === "answer" ? t("answer", { said: answerInWords(choice, state.score) }) : event === "correct" ? t("stroke-back") : t(event === "next_board" ? "next-board" : event === "resume" ? "play" : `event-${event}`));

function wish({ ask: id, event, sides, own }) {
  const who = state.score.sides.filter(({ name }) => sides.includes(name)).map(players).join(", ");
  const does = (said) => () => answerOnce({ ask: id }, state.score.match, () => send(said));
  const wanted = own ? t("you-want", { what: wishInWords(event) }) : t("they-want", { name: who, what: wishInWords(event) });
  return questionCard({ "data-wants": event.event }, { head: [t("question")], asked: [make("p.q", {}, wanted)], answers: [make("div.buttons", {}, ...answering([own ? null : button(t("agree"), does(event), ".first"), button(t(own ? "undo" : "do-not-agree"), does({ event: "withdraw" }))].filter(Boolean), { ask: id }))] });
}

// -- the four under the thumb

function showThumbs() {
  const [says, event, kind] = { paused: ["play", "resume", "first"], trial: ["play", "play", "first"], board_over: ["next-board", "next_board", "first"] }[state.score.state] ?? ["stop", "pause", "danger"];
  at("stop").textContent = t(says);
  at("stop").dataset.event = event;
  at("stop").className = `btn ${kind}`;
  at("stop").disabled = !here() || ["idle", "match_over"].includes(state.score.state);
  at("own").disabled = at("theirs").disabled = !here() || !calls.length;
  at("back").disabled = !here() || !state.shot;
  at("challenge").hidden = !side || !mine() || !state.score.challenges_left;
  at("challenge").disabled = !mayChallenge(state, side);
}

function openFouls(title, seats) {
  const list = calls.filter((one) => one.about === "stroke" && one.seat !== false);
  const call = (one, seat) => { sheet.close(); say({ event: "call", clause: one.clause, seat }); };
  const sheet = openSheet(title, make("div.tiles", {}, ...list.map((one) => make("div.tile", {}, make("b", {}, byTheBook(one.says)), make("span.clause", AS_IS, one.clause),
    make("span.buttons", {}, ...Object.entries(seats).map(([seat, name]) => button(name, () => call(one, seat))))))));
}
tapped(at("stop"), () => say({ event: at("stop").dataset.event }));
tapped(at("own"), () => openFouls(t("own-foul"), mine().seats));
tapped(at("theirs"), () => openFouls(t("their-foul"), Object.assign({}, ...state.score.sides.filter(({ name }) => name !== side).map(({ seats }) => seats))));
tapped(at("back"), () => say({ event: "correct", seq: state.shot.seq, with: { event: "set", position: {} }, reason: "taken back" }));

tapped(at("challenge"), () => openChallenge(state, say, side));

async function show(kind, body) {
  if (kind !== "state") return;
  state = body;
  if (state.book?.id !== book) {
    book = state.book?.id;
    [clauses, calls] = await Promise.all([ask("/clauses").catch(() => ({})), ask("/calls").catch(() => [])]);
  }
  ({ side } = await ask("/me").catch(() => ({ side })));
  if (side && state.officiating === "players" && !("proposed" in state)) return anew(); // told more from now on
  document.title = mine() ? players(mine()) : t("player");
  showLine();
  showTally(at("tally"), state.score);
  showNow();
  showThumbs();
  caughtUp(state);
  document.body.dataset.seq = state.score.seq; // what is shown: for whoever measures how long it took
}

function showLine() {
  if (state || lostSince) showWatching(at("watch"), watching(state ?? { score: {} }, lostSince));
}

translate();
const anew = listen(show, (since) => {
  lostSince = since;
  showLine();
});
