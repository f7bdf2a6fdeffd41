// The umpire's console: the door, the fixed screen, and which part of it shows what.

import { acting, undoing } from "./acting.mjs";
import { roundSays, showClock } from "./bands.mjs";
import { makeBoard } from "./board.mjs";
import { openCalls, openImproper } from "./calls.mjs";
import { showCard, waiting } from "./card.mjs";
import { mayChallenge, openChallenge } from "./challenge.mjs";
import { armingLine, followArming } from "./arming.mjs";
import { followCamera } from "./camera.mjs";
import { button, fill, make } from "./dom.mjs";
import { door } from "./door.mjs";
import { openFix } from "./fix.mjs";
import { showHand } from "./hand.mjs";
import { COMPLETE, LANGUAGES, language, speak, t, translate } from "./i18n.mjs";
import { followKeys, keyed } from "./keys.mjs";
import { layingNow } from "./laying.mjs";
import { makeLayout } from "./layout.mjs";
import { ask, listen } from "./live.mjs";
import { openLobby } from "./match.mjs";
import { nameOf } from "./names.mjs";
import { caughtUp, tapped } from "./once.mjs";
import { openOther } from "./other.mjs";
import { showPairing } from "./pairing.mjs";
import { showPast } from "./past.mjs";
import { followBoard, openProcedures, openTimes } from "./procedures.mjs";
import { openRescue } from "./rescue.mjs";
import { sentence } from "./sentence.mjs";
import { holding } from "./settled.mjs";
import { showSessions } from "./sessions.mjs";
import { showTally } from "./tally.mjs";
import { speaking } from "./voice.mjs";
import { showBlind, showWatching, standing, watching } from "./watch.mjs";
import { showWatched } from "./watched.mjs";
import { showAlerts, showHistory } from "./words.mjs";

const at = (id) => document.getElementById(id);
/** The picture or clip of this table that the hub's referee came for: shown once this device is let in. */
const SEE = /^\/(picture\/\d+|clip\/\d+-\d+)$/.exec(new URLSearchParams(location.search).get("see") ?? "")?.[0];
const KEYS = { stop: "S", improper: "I", fix: "F", call: "A" };
const TABS = ["now", "strokes", "board", "table"];
let current = null;
let lostSince = null;
let inside = false;
let me = null;
let others = 0; // the last act of another device that was told of
let clauses = {};
let calls = [];
let books = [];
let book = null;
let board = null;
let geometry = null;

const state = () => current;
const ways = acting(() => current, () => enter());
const tools = { state, ways, hold: holding(at("now"), () => me, ways.did), calls: () => calls, books: () => books, clauses: () => clauses, open: { lobby: () => openLobby(tools) } };

// -- the door

async function enter() {
  const { umpire, id } = await ask("/me");
  me = id;
  const fresh = umpire && !inside;
  inside = umpire;
  at("login").hidden = umpire;
  for (const id of ["deck", "thumbs", "tabs", "tally"]) at(id).hidden = !umpire;
  document.body.classList.toggle("inside", umpire);
  if (!umpire) return at("pin").focus();
  if (!fresh) return;
  if (SEE) return location.replace(SEE);
  geometry ??= await ask("/geometry");
  tools.geometry = geometry;
  board ??= makeBoard(at("board"), geometry);
  tools.layout ??= makeLayout(geometry);
  books = await ask("/books").catch(() => []);
  voice.missed();
  listenAnew(); // as the umpire now, who is told more
}

door(enter);

/** A list that is asked for anew each time it is opened. */
function listed(id, list, show) {
  const tell = (says, bad) => ways.tell(says, { bad });
  at(id).addEventListener("toggle", () => {
    if (at(id).open) show(at(list), tell).catch((error) => tell(error.message, true));
  });
}
listed("who", "sessions", showSessions);
listed("past", "matches", showPast);

// -- what changes

async function show(kind, body) {
  if (kind === "state") {
    current = body;
    showWatch();
    if (inside) await showAll();
  } else if (!inside || !current || !board) return; // whoever has just come in has no board drawn yet
  else if (kind === "board") {
    board.pieces(current.board = body);
    showLaying();
  }
  else if (kind === "clock") {
    current.score.clock = body;
    showClock(at("clockbar"), at("clock"), current.score);
  }
}

async function showAll() {
  if (!board || !("flags" in current)) return;
  if (current.book?.id !== book) {
    book = current.book?.id;
    [clauses, calls] = await Promise.all([ask("/clauses").catch(() => ({})), ask("/calls").catch(() => [])]);
  }
  const { score } = current; // the table may have said more while the book was fetched
  const count = waiting(current);
  document.title = count ? `(${count}) ${t("umpire")}` : t("umpire");
  showTally(at("tally"), score);
  showClock(at("clockbar"), at("clock"), score);
  at("round").textContent = roundSays(score, true);
  showTabs(count);
  showCard(at("now"), tools);
  showHistory(at("history"), current.history, score, (seq) => openFix(seq, tools));
  showHand(at("hand"), tools);
  showAlerts(at("alerts"), standing(current), make("p.soft", {}, t("no-alert")));
  showWatched(at("watched"), current.watched, clauses);
  showMatch(score);
  showPairing(at("pairing"), score, current.officiating, ways);
  showThumbs(score);
  board.names(score);
  board.pieces(current.board);
  board.stroke(current.shot, current.tracks);
  board.place(layingNow(current));
  followBoard();
  followArming();
  followCamera();
  tellOfOthers();
  caughtUp(current);
  voice.hear(current);
  document.body.dataset.seq = score.seq; // what is shown: for whoever measures how long it took
}

/** The board has changed: what is laid there is ticked. */
function showLaying() {
  const items = layingNow(current);
  board.place(items);
  if (items.length || current.asks.some(({ counts }) => counts?.length)) showCard(at("now"), tools);
  followBoard();
}

/** What another umpire's device has done is said once, so that nobody does it again. */
function tellOfOthers() {
  const { acted, score, history } = current;
  if (!acted || acted.by === me || acted.seq <= others) return;
  others = acted.seq;
  const entry = (history ?? []).find(({ seq }) => seq === acted.seq);
  ways.tell(t("other-device", { what: (entry?.ruled && sentence(entry.ruled, score)) || entry?.says || t("taken") }));
}

function showWatch() {
  if (!current && !lostSince) return;
  const now = watching(current ?? { score: {} }, lostSince);
  showWatching(at("watch"), now);
  showBlind(at("board"), current?.health?.camera === "none" && !lostSince ? { blind: false } : now);
}

// -- the four under the thumb

function showThumbs(score) {
  const stop = at("stop");
  const [says, event, kind] = {
    playing: ["stop", "pause", "danger"], paused: ["play", "resume", "first"], trial: ["play", "play", "first"],
    board_over: ["next-board", "next_board", "first"], match_over: ["new-match", "", "first"], idle: ["new-match", "", "first"],
  }[score.state];
  stop.textContent = t(says);
  stop.dataset.event = event;
  stop.className = `btn ${kind}`;
  at("improper").disabled = at("fix").disabled = !current.shot;
  at("call").disabled = !calls.length;
  for (const [id, key] of Object.entries(KEYS)) keyed(at(id), key);
}
tapped(at("stop"), () => (at("stop").dataset.event ? ways.act({ event: at("stop").dataset.event }) : openLobby(tools)));
tapped(at("improper"), () => openImproper(tools));
tapped(at("fix"), () => openFix(current.shot.seq, tools));
tapped(at("call"), () => openCalls(tools));
tapped(at("rescue"), () => openRescue(tools));

// -- the panels behind a swipe

function showTabs(count) {
  const deck = at("deck");
  const wide = Math.max(1, at("panel-now").clientWidth);
  const [here, seen] = [Math.round(deck.scrollLeft / wide), Math.max(1, Math.round(deck.clientWidth / wide))];
  fill(at("tabs"), ...TABS.map((name, index) => {
    const tab = button(t(`tab-${name}`), () => at(`panel-${name}`).scrollIntoView({ inline: "start", block: "nearest" }), ".tab");
    tab.setAttribute("aria-current", String(index >= here && index < here + seen));
    if (name === "now" && count) tab.append(make("span.count", {}, String(count)));
    return tab;
  }));
}
let swiped = 0;
at("deck").addEventListener("scroll", () => {
  clearTimeout(swiped);
  swiped = setTimeout(() => current && inside && showTabs(waiting(current)), 60);
}, { passive: true });

/** Ending the round, and taking that back, also where it ended the match. */
function ofRound(score) {
  const ended = (current.history ?? []).findLast(({ event }) => event === "round_over");
  const of = (says, event) => button(t(says), () => ways.propose(t(says), event, { always: true }));
  if (ended) return [of("round-goes-on", undoing(ended.seq))];
  return score.state === "match_over" || score.round?.over ? [] : [of("end-round", { event: "round_over" })];
}

function showMatch(score) {
  const parts = [button(t("new-match"), () => openLobby(tools))];
  if (score.state === "playing" && score.turn) {
    const name = nameOf(score.turn, score);
    parts.push(button(t("time-up"), () => ways.propose(t("time-up"), { event: "timeout", seat: score.turn })),
      button(t("passes", { name }), () => ways.propose(t("passes", { name }), { event: "pass", seat: score.turn })));
  }
  if (score.state !== "idle") parts.push(button(t("board-and-seats"), () => openProcedures(tools)), button(t("times"), () => openTimes(tools)));
  if (mayChallenge(current)) parts.push(button(t("challenge"), () => openChallenge(current, ways.act)));
  if (score.state !== "idle") parts.push(button(t("other-call"), () => openOther(tools)), ...ofRound(score));
  parts.push(button(t("by-hand"), () => at("panel-board").scrollIntoView({ inline: "start", block: "nearest" })));
  const tongues = COMPLETE.filter((tag) => tag !== language).map((tag) => {
    const other = button(LANGUAGES[tag], () => speak(tag));
    other.lang = tag;
    return other;
  });
  fill(at("match"), make("h2", {}, t("match")), make("div.buttons", {}, ...parts, ...tongues), ...armingLine(tools));
}

followKeys(at("single-keys"), showAll);
const voice = speaking(at("voice"));

// The first stop of the keyboard is what waits; a card without a button is scrolled by the panel it stands in.
new MutationObserver(() => { at("panel-now").tabIndex = at("now").querySelector("button:enabled") ? -1 : 0; })
  .observe(at("now"), { childList: true, subtree: true, attributeFilter: ["disabled"] });

translate();
const listenAnew = listen(show, (since) => {
  lostSince = since;
  if (since) voice.missed();
  showWatch();
});
await enter();
