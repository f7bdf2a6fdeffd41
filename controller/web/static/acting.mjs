// Doing what the umpire says: at once where it can be undone, asked first where it reaches further than one stroke.

import { button, fill, make } from "./dom.mjs";
import { furtherThan, inWords, othersChanged } from "./differences.mjs";
import { t } from "./i18n.mjs";
import { CONFIRMS, keyed } from "./keys.mjs";
import { ask } from "./live.mjs";
import { answerOnce, isGiven } from "./once.mjs";
import { sentence } from "./sentence.mjs";
import { openSheet, refusedIn } from "./sheet.mjs";

const UNDO_MS = 6000;
const NOT_UNDONE = ["start", "pause", "resume", "play", "trial", "next_board"]; // each has its own way back, or none
const REFUSED_MS = 12000; // nobody awaits a refusal: it is read later than what was asked for
const ASK_AGAIN = "ask again"; // to the table
const [refusal, success] = document.getElementById("toast").children;

/** What is taken back stands in the journal as a position in which nothing is set. */
export const undoing = (seq) => ({ event: "correct", seq, with: { event: "set", position: {} }, reason: "taken back" });

/** What takes back what was just done: a ruling, or an answer about the board with all that it stood for. */
const waysBack = ({ seq, closed, ruled = [] }) => (!closed ? (seq ? [undoing(seq)] : [])
  : ruled.length ? [...ruled].reverse().map(undoing) : [{ event: "answer", ask: closed, choice: ASK_AGAIN }]);

/** Builds the ways to act. `state()`: the table now; `refused(error)`: what to do where the browser may not act; `whose`:
 * where the table takes it, "" for an umpire. Only an umpire takes back. */
export function acting(state, refused, whose = "") {
  const score = () => state()?.score;
  const quiet = new Map();
  let latest = null; // the number of this device's latest ruling
  let asked = 0;
  let under = 0; // so many are being ruled on
  let told = 0;

  /** Whether this device itself settled a question, if these rulings came since it was open. */
  const did = (question, since) => under > 0 || isGiven(question) || since.some(({ seq }) => seq === latest);

  /** Says something over the page for a while; `undo` offers the way back. What was refused stands beside what was done. */
  function tell(text, { bad = false, undo = null, since = performance.now() } = {}) {
    if (bad && refusedIn(text)) return;
    const toast = bad ? refusal : success;
    clearTimeout(quiet.get(toast));
    toast.hidden = false;
    toast.style.order = -Math.round(since); // by when it was asked for: the newest first, where there is room for one
    fill(toast, make("span", {}, text), undo ? keyed(button(t("undo"), undo, ".undo"), "U") : button(t("close"), () => { toast.hidden = true; }, ".small"));
    quiet.set(toast, setTimeout(() => { toast.hidden = true; }, bad ? REFUSED_MS : UNDO_MS));
  }

  const once = (event, does) => (event.event === "answer" ? answerOnce(event, score()?.match, does) : does());

  /** Does it now. Returns the ruling, or null if the table refused. */
  const act = (event, how) => once(event, () => send(event, how));

  async function send(event, { says = null } = {}) {
    const number = (asked += 1);
    const began = performance.now();
    under += 1;
    try {
      const ruling = await ask(`${whose}/act`, event, { "x-carrom-seen": String(score()?.seq ?? "") });
      latest = ruling.seq ?? latest;
      const back = whose || NOT_UNDONE.includes(event.event) ? [] : waysBack(ruling);
      const undo = back.length ? async () => { success.hidden = true; for (const one of back) await act(one, { says: t("undone") }); } : null;
      const undone = event.reason === "taken back" || event.choice === ASK_AGAIN;
      // An answer that comes late must not take away the way back from what was done after it.
      if (number > told) tell(says ?? (sentence({ ...ruling, returned: ruling.returned ?? [] }, score()) || t("taken")), { undo: undone ? null : undo, since: began });
      told = Math.max(told, number);
      return ruling;
    } catch (error) {
      if (error.status === 401) refused();
      tell(error.message, { bad: true });
      return null;
    } finally {
      under -= 1;
    }
  }

  /** Looks what it would change: done at once if that is one stroke's own matter, else after a look at the whole. */
  const propose = (title, event, how) => once(event, () => look(title, event, how));

  async function look(title, event, { stroke = null, always = false, says = null, warning = null } = {}) {
    let would;
    try {
      would = await ask(`${whose}/preview`, event);
    } catch (error) {
      if (error.status === 401) refused();
      tell(error.message, { bad: true });
      return null;
    }
    if (!always && !furtherThan(would, stroke, state()?.history)) return send(event, { says });
    return confirm(title, event, would, warning, stroke);
  }

  async function confirm(title, event, would, warning, stroke) {
    let ruling = null;
    const changes = inWords(would, score());
    const others = othersChanged(would, stroke, state()?.history).length;
    const go = keyed(button(t("do-it"), async () => {
      ruling = await send(event);
      if (ruling) sheet.close();
    }, ".first.fresh"), CONFIRMS);
    const sheet = openSheet(title, warning ? make("p.said.bad", {}, warning) : null,
      others ? make("p", {}, t("changes-rulings", { count: others })) : null,
      changes.length ? make("ul.changes", {}, ...changes.map((one) => make("li", {}, one))) : make("p.soft", {}, t("changes-nothing")),
      make("div.buttons", {}, go, button(t("leave-it"), () => sheet.close())));
    go.focus();
    await sheet.closed;
    return ruling;
  }

  return { act, propose, tell, did };
}
