// The question on a card: no other takes its place, and where it was settled elsewhere its card stays, greyed, says why, and
// goes after a while, but never under a finger. Must not know what a card asks.

import { lasts, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { sentence } from "./sentence.mjs";

const LIFTED_MS = 1000; // so long after the last finger: whoever taps at it once more does not hit what follows

/** What of a state tells later why a question that was open in it is not any more. */
const asOf = ({ score, history, acted }) => ({ match: score.match, seq: history?.at(-1)?.seq ?? 0, acted: JSON.stringify(acted) });

/** Why the question `ask`, open at `seen` (by `asOf`), is settled; null where this device itself did it. */
function whySettled(ask, seen, { score, history, acted }, me, did) {
  const other = score.match !== seen.match;
  const since = (history ?? []).filter(({ seq }) => other || seq > seen.seq);
  if (did(ask, since)) return null;
  if (other) return t("settled-match");
  if (acted && JSON.stringify(acted) !== seen.acted) return acted.by === me ? null : t("settled-device");
  if (since.some(({ event }) => event === "answer")) return t("settled-elsewhere");
  const last = since.at(-1);
  return last ? t("settled-overtaken", { what: (last.ruled && sentence(last.ruled, score)) || last.says }) : t("settled-table");
}

/** Keeps the card in `element`. `me()`: this device's own id; `did(ask, since)`: whether it settled a question itself, if
 * these rulings came since that was open. Returns { stays(…), next(…), drop() }. */
export function holding(element, me, did) {
  let shown = null; // the question on the card, and the state in which it was open last
  const fingers = new Set();
  let until = 0;
  let after = null; // what comes once the greyed card has gone
  let timer = 0;

  /** What is in the element is no card of the state any more: the next one is built anew, even if it looks the same. */
  function free() {
    clearTimeout(timer);
    after = null;
    element.replaceChildren();
  }

  function look() {
    clearTimeout(timer);
    // A finger tells when it is lifted and the keyboard when it moves on; what a tap has left in focus holds nothing.
    if (!after || fingers.size || element.querySelector(":focus-visible")) return;
    const left = until - performance.now();
    if (left > 0) timer = setTimeout(look, left);
    else {
      const then = after;
      free();
      then();
    }
  }

  /** Whether the card stays as it is, its question settled: `again` is called once it may go. `queue`: what is open. */
  function stays(now, queue, again) {
    const stands = shown && shown.seen.match === now.score.match && queue.some(({ ask }) => ask === shown.ask);
    if (after && !stands) return true;
    if (after) free(); // what settled it was taken back
    else if (shown && !stands) {
      const why = whySettled(shown.ask, shown.seen, now, me(), did);
      if (why) grey(why, () => { drop(); again(); });
      return Boolean(why);
    }
    return false;
  }

  /** What of `waits` is to be shown: what is on the card, else the first. Returns [it, whether it is new]. */
  function next(now, waits) {
    const question = waits.find(({ ask }) => ask === shown?.ask) ?? waits[0];
    const fresh = question?.ask !== shown?.ask;
    shown = question ? { ask: question.ask, seen: asOf(now) } : null;
    return [question, fresh];
  }

  /** The card's question gives its place to the next. */
  const drop = () => { shown = null; };

  function grey(why, then) {
    const card = element.firstElementChild;
    card.classList.add("settled");
    if (card.contains(document.activeElement)) {
      card.tabIndex = -1; // a button that is disabled would lose the focus to nowhere
      card.focus({ preventScroll: true });
    }
    for (const one of card.querySelectorAll("button")) one.disabled = true;
    card.append(make("div.why-settled", {}, make("p", { role: "alert" }, why)));
    until = performance.now() + lasts("--stays");
    after = then;
    look();
  }

  element.addEventListener("pointerdown", ({ pointerId }) => fingers.add(pointerId), { capture: true });
  for (const kind of ["pointerup", "pointercancel"]) {
    addEventListener(kind, ({ pointerId }) => {
      if (!fingers.delete(pointerId)) return;
      until = Math.max(until, performance.now() + LIFTED_MS);
      look();
    }, { capture: true });
  }
  element.addEventListener("focusout", () => setTimeout(look)); // by then the focus is where it went

  return { stays, next, drop };
}
