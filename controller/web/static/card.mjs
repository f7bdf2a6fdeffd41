// The one card of the console: what is to be decided next, else how the last stroke was ruled, else what comes after.

import { AS_IS, button, fill, make } from "./dom.mjs";
import { challengeCard } from "./challenge.mjs";
import { course, outcome } from "./course.mjs";
import { evidence } from "./evidence.mjs";
import { feltLines } from "./felt.mjs";
import { t } from "./i18n.mjs";
import { CONFIRMS, keyed } from "./keys.mjs";
import { apart, layingNow } from "./laying.mjs";
import { nameOf, sideName } from "./names.mjs";
import { answering } from "./once.mjs";
import { questionCard } from "./question.mjs";
import { replayAgain } from "./replay.mjs";
import { foulInWords, questionInWords, shownRuling } from "./sentence.mjs";
import { matchFile } from "./share.mjs";
import { answerInWords, byTheBook, showRuling } from "./words.mjs";

const BETWEEN = ["idle", "board_over", "match_over"];
let putOff = new Set(); // questions the umpire looks at later

/** How many decisions wait. */
export const waiting = ({ asks, flags, score }) => asks.length + flags.length + Boolean(score.challenge);

/** Fills `element`. `open`: `{lobby(), claim(points)}`: what the cards between matches and boards lead to. `hold`: by
 * `holding`. */
export function showCard(element, tools) {
  const { state, ways, clauses, open, layout, hold } = tools;
  const now = state();
  const anew = () => showCard(element, tools);
  const { challenge } = now.score;
  const challenged = challenge ? [{ ask: `challenge-${challenge.seq}`, challenge }] : []; // play waits for it
  const queue = [...challenged, ...now.asks, ...now.flags];
  const between = BETWEEN.includes(now.score.state) ? [{ ask: now.score.state }] : []; // has buttons, too
  if (hold.stays(now, [...queue, ...between], anew)) return;
  putOff = new Set(queue.map(({ ask }) => ask).filter((id) => putOff.has(id)));
  if (putOff.size === queue.length) putOff.clear();
  const waits = queue.filter(({ ask }) => !putOff.has(ask));
  const [question, fresh] = hold.next(now, waits.length ? waits : between);
  if (waits.length) {
    const count = queue.length > 1 ? make("span.count", {}, t("of-count", { at: queue.indexOf(question) + 1, count: queue.length })) : null;
    const later = queue.length > 1 ? keyed(button(t("later"), () => { putOff.add(question.ask); hold.drop(); anew(); }, ".small"), "L") : null;
    const cardOf = question.challenge ? challengeCard : now.flags.includes(question) ? flagCard : askCard;
    const shown = question.counts?.length ? differing(question, now, layout) : question.about === "board" ? inPages(laying(now, layout)) : [];
    const card = cardOf(question, { now, ways, clauses, again: anew, top: [count, later], tools, shown });
    fillWith(element, card, layout);
    if (fresh) element.firstElementChild.classList.add("fresh");
    return;
  }
  if (between.length) {
    fill(element, now.score.state === "idle" ? lobbyCard(open) : betweenCard(now, ways, open));
    if (fresh) element.firstElementChild.classList.add("fresh");
    return;
  }
  const card = make("section.card.ruling", { "aria-live": "polite" });
  showRuling(card, now, clauses());
  const toLay = laying(now, layout);
  if (toLay.length) card.querySelector(".todo.lay")?.remove(); // said once, with who places it
  card.querySelector(".says")?.after(...toLay);
  const again = replayAgain(shownRuling(now)?.seq, tools);
  card.append(...feltLines(now), ...(again ? [make("div.buttons", {}, again)] : []));
  return fillWith(element, card, layout);
}

/** What is to be laid on the board, as far as it lies there; nothing where nothing is. */
function laying(now, layout) {
  const items = layingNow(now);
  if (!items.length) return [];
  layout.show(now, items);
  return [make("h3", {}, t("to-be-laid")), make("div", { "data-layout": "" })];
}

/** Where the board differs from the score; nothing where the table does not know how it lay: then there is a picture. */
function differing(question, now, layout) {
  const found = apart(question, now);
  if (!found.gone.length && !found.more.length) return [];
  layout.differs(now, found);
  return [make("div", { "data-layout": "" })];
}

const inPages = (parts) => (parts.length ? [make("div.pages", { tabindex: 0, role: "group", "aria-label": t("to-be-laid") }, ...parts)] : []);

/** Fills `element`; the drawing is the same one all the time, so that it is only moved where its card is new. */
function fillWith(element, card, layout) {
  fill(element, card);
  const place = element.querySelector("[data-layout]");
  if (place && !place.contains(layout.element)) place.replaceChildren(layout.element);
}

/** Answers have digits as they stand; the first one, where it `confirms`, the keys for that, too. */
const numbered = (answers, confirms) => answers.map((one, index) => keyed(one, index === 0 && confirms ? `${CONFIRMS} 1` : String(index < 9 ? index + 1 : "")));

function askCard(question, { now, ways, again, top, shown }) {
  const answer = (said, seat) => ways.propose(t("answer", { said: answerInWords(said, now.score) }),
    { event: "answer", ask: question.ask, choice: said, ...(seat ? { seat } : {}) }, { stroke: question.seq, says: t("answer", { said: answerInWords(said, now.score) }) });
  const choices = (seat) => answering(question.choices.map((said, index) => button(answerInWords(said, now.score), () => answer(said, seat), index === 0 ? ".first" : "")), { ask: question.ask, seat });
  const rows = question.sides?.length
    ? question.sides.map((seat) => make("div", {}, make("p.soft", {}, t("says", { name: nameOf(seat, now.score) })), make("div.buttons", {}, ...choices(seat))))
    : [make("div.buttons", {}, ...choices())];
  const asked = questionInWords(question, now.score);
  const answers = rows.flatMap((row) => [...row.querySelectorAll(".btn")]);
  numbered(answers, answers.length === 1);
  return questionCard({ "data-ask": question.ask }, {
    head: [t("question"), question.seat ? ` · ${nameOf(question.seat, now.score)}` : "", ...top],
    shown: shown.length ? shown : evidence(question, again),
    asked: [make("p.q", {}, asked), question.says && question.says !== asked && !question.counts?.length ? make("p.soft", {}, byTheBook(question.says)) : null],
    answers: rows,
  });
}

/** A foul that was raised and has no consequence until somebody confirms it. */
function flagCard(flag, { now, ways, clauses, again, top }) {
  const answer = (said) => ({ event: "answer", ask: flag.ask, choice: said });
  const what = foulInWords({ clause: flag.clause, says: clauses()[flag.clause] ?? flag.says });
  const name = nameOf(flag.seat, now.score);
  return questionCard({ "data-flag": flag.clause }, {
    kind: ".flagged",
    head: [t("foul-to-confirm"), flag.seat ? ` · ${name}` : "", ...top],
    shown: evidence(flag, again),
    asked: [make("p.q", {}, t("says-foul", { name, what }), " ", make("span.clause", AS_IS, flag.clause))],
    answers: [make("div.buttons", {}, ...numbered(answering([
      button(t("confirm"), () => ways.propose(t("says-foul", { name, what }), answer("foul"), { stroke: flag.seq }), ".first"),
      button(t("wave-away"), () => ways.act(answer("no foul"), { says: t("waved-away") })),
      button(t("answer-replay-the-stroke"), () => ways.propose(t("answer-replay-the-stroke"), answer("replay the stroke"), { stroke: flag.seq })),
    ], { ask: flag.ask }), true))],
  });
}

function lobbyCard(open) {
  return make("section.card.lobby", {}, make("h2", {}, t("state-idle")), make("p.says", {}, t("lobby-why")),
    make("div.buttons", {}, button(t("new-match"), open.lobby, ".first")));
}

/** After a board or a match: who won what, how it came about, and what comes next. */
function betweenCard(now, ways, open) {
  const demand = now.ruling?.board?.on_demand ?? 0;
  const over = now.score.state === "match_over";
  return make("section.card.between", {}, make("h2", {}, t(`state-${now.score.state}`)), make("p.says", {}, outcome(now)),
    make("div.buttons", {},
      over ? button(t("new-match"), open.lobby, ".first") : button(t("next-board"), () => ways.act({ event: "next_board" }), ".first"),
      over ? matchFile(now.score.match, "png") : null,
      // In full or in part, as the winner asks.
      ...(over ? [] : Array.from({ length: demand }, (_, index) => demand - index)).map((count) =>
        button(t("claim", { count }), () => ways.propose(t("claim", { count }), { event: "claim", points: count }, { always: true })))),
    demand > 0 && !over ? make("p.soft", {}, t("claim-why", { name: sideName(now.ruling.board.winner, now.score), count: demand })) : null,
    now.boards?.length ? course(now.boards, now.score) : null); // however long it is, nobody scrolls to the answers
}
