// What is said aloud of a table, as its states come: each ruling once, as soon as it is confirmed, and the score where it
// has changed. Nothing that was there before is said, nor what was taken back. Must not know how it is said.

import { t } from "./i18n.mjs";
import { seatedThen } from "./names.mjs";
import { scoreInWords, sentence } from "./sentence.mjs";

const SEATS_ALONE = { sides: [] }; // a ruling is the same one when the players change ends
const ON_A_STROKE = ["answer", "call", "correct", "override"]; // that tell what the stroke itself says by then

/** What of a state may be said, in order: `{what, event, sense, text, figures}`. `what`: a ruling's number or "score";
 * `sense` differs where it is said anew; `figures`: whether an open question may change it. */
function sayable({ score, history = [] }) {
  const taken = (one) => one.taken_back || (one.void && history.some(({ event, seq }) => event === "void" && seq > one.seq));
  const rulings = history.filter((one) => one.ruled && one.event !== "placed" && !one.provisional && !taken(one)).map((one) => {
    const { seq, event, ruled } = one;
    const sense = sentence(ruled, SEATS_ALONE);
    return { what: seq, event, sense, text: sentence(ruled, seatedThen(score, one)), figures: sense !== t(`event-${event}`) };
  });
  const points = score.sides.length ? JSON.stringify(score.sides.map((side) => [side.points, side.games])) : "";
  return [...rulings, { what: "score", sense: points, text: scoreInWords(score), figures: true }]
    .filter(({ sense, figures }) => sense && !(figures && score.provisional?.length));
}

/** As if no question were open. */
const closed = (state) => ({ ...state, score: { ...state.score, provisional: [] } });

/** Follows a table from the next state on. Returns { hear(state), missed() }: `hear` returns what is to be said now; after
 * `missed` it begins anew. */
export function following() {
  let heard = null; // the match, its latest ruling, and the sense of what was said

  function hear(state) {
    const { score, history = [] } = state;
    const now = sayable(heard ? state : closed(state));
    const known = heard?.match === score.match ? heard : { seq: 0, said: new Map() };
    // What was open when the next stroke was played is said no more: its consequences are over.
    const stroke = history.findLast(({ event }) => event === "shot")?.seq;
    const timely = (what) => (what === "score" ? known.said.has(what) : what > known.seq || what === stroke);
    const news = heard ? now.filter(({ what, sense }) => timely(what) && known.said.get(what) !== sense) : [];
    const played = news.some(({ what }) => what === stroke);
    heard = { match: score.match, seq: Math.max(known.seq, history.at(-1)?.seq ?? 0), said: new Map([...known.said, ...now.map(({ what, sense }) => [what, sense])]) };
    return news.filter(({ what, event }) => !(played && what > stroke && ON_A_STROKE.includes(event)));
  }

  return { hear, missed: () => { heard = null; } };
}

/** Whether what was to be said earlier still holds: it was not taken back, nor ruled otherwise. */
export const stands = ({ what, sense }, state) => sayable(closed(state)).some((one) => one.what === what && one.sense === sense);
