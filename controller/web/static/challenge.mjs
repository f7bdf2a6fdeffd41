// A second look: a side challenges the latest stroke, and the umpire decides. Until then nothing changes.

import { challengeSays } from "./bands.mjs";
import { AS_IS, button, make } from "./dom.mjs";
import { strokeClip } from "./evidence.mjs";
import { openFix } from "./fix.mjs";
import { t } from "./i18n.mjs";
import { keyed } from "./keys.mjs";
import { showLook } from "./look.mjs";
import { sideName } from "./names.mjs";
import { questionCard } from "./question.mjs";
import { sentence } from "./sentence.mjs";
import { openSheet } from "./sheet.mjs";
import { byTheBook } from "./words.mjs";

const ABOUT = ["lines", "contact", "count", "foul", "missed_foul", "time"];
const LONGEST = 60; // as the table takes a name
const TAKEN_BACK = ["foul", "time"]; // an upheld one takes back the call or the timeout itself

/** Whether a side may challenge the latest stroke now; of all sides, if none is named. */
export const mayChallenge = ({ score, shot }, side = null) => Boolean(shot) && !score.challenge
  && Object.entries(score.challenges_left ?? {}).some(([name, left]) => left > 0 && (!side || name === side));

/** Who challenges, then what: two taps; one where only one `side` may. `act(event)` asks for it. */
export function openChallenge({ score, shot }, act, side = null) {
  const seat = (side) => Object.keys(score.sides.find(({ name }) => name === side).seats)[0];
  const rows = Object.entries(score.challenges_left).filter(([name, left]) => left > 0 && (!side || name === side)).map(([side, left]) => make("fieldset", {},
    make("legend", {}, t("challenge-left", { name: sideName(side, score), count: left })),
    make("div.buttons", {}, ...ABOUT.map((about) => button(t(`challenge-${about}`), () => {
      sheet.close();
      return act({ event: "challenge", seat: seat(side), stroke: shot.seq, about });
    })))));
  const sheet = openSheet(t("challenge"), make("p.soft", {}, t("challenge-why")), ...rows);
}

/** The card of a challenge that waits: a second look at the stroke, the clauses it was ruled by, and the three verdicts. */
export function challengeCard({ challenge }, { now, ways, clauses, tools, top }) {
  const reason = make("input", { type: "text", maxlength: LONGEST, autocomplete: "off" });
  const by = tools.jury ? null : make("input", { type: "text", maxlength: LONGEST, autocomplete: "name" }); // a juror's name is known
  const typed = () => Object.fromEntries(Object.entries({ reason, by }).map(([name, field]) => [name, field?.value.trim()]).filter(([, text]) => text));
  const verdict = (result, more = {}) => ({ event: "verdict", challenge: challenge.seq, result, ...typed(), ...more });
  const upheld = () => (TAKEN_BACK.includes(challenge.about) ? ways.propose(t("challenge-upheld"), verdict("upheld"), { stroke: challenge.stroke })
    : openFix(challenge.stroke, tools, (event) => verdict("upheld", { with: event })));
  const answers = [["upheld", upheld], ["rejected", () => ways.act(verdict("rejected"))], ["inconclusive", () => ways.act(verdict("inconclusive"))]];
  const place = make("div.look-place");
  showLook(place, challenge.stroke, challenge.about, () => strokeClip(now, challenge.stroke) ?? make("p.soft", {}, t("pictures-gone")));
  const why = make("details", {}, make("summary", {}, t("challenge-say-why")), make("label.field", {}, t("challenge-reason"), reason), by && make("label.field", {}, t("challenge-by"), by));
  return questionCard({ "data-challenge": challenge.seq }, {
    head: [t("challenge"), ...top],
    shown: [make("div.pages", { tabindex: 0, role: "group", "aria-label": t("challenge") }, place, why, ruledBy(now, challenge.stroke, clauses()))],
    asked: [make("p.q", {}, challengeSays(now.score))],
    answers: [make("div.buttons", {}, ...answers.map(([word, does], index) => keyed(button(t(`challenge-${word}`), does), String(index + 1))))],
  });
}

/** How the stroke was ruled, and by which clauses, in the book's words. */
function ruledBy({ stroke, score }, seq, clauses) {
  if (stroke?.seq !== seq) return "";
  const cited = [...new Set([...(stroke.fouls ?? []).map(({ clause }) => clause), ...(stroke.cites ?? [])])];
  return make("details.clauses", { open: true }, make("summary", {}, sentence(stroke, score) || t("challenge-ruled")),
    make("ul", {}, ...cited.map((id) => make("li.cite", {}, make("span", {}, byTheBook(clauses[id] ?? "")), make("span.clause", AS_IS, id)))));
}
