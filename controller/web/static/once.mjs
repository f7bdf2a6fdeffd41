// What a tap does, it does once: what was tapped is grey, and takes no further tap, until that is done, refused or not
// answered. The answers to a question are grey until the table shows that it knows of the one given, whatever is built
// anew meanwhile. What a tap has opened or uncovered takes no second tap that was meant for what it hit. Must not know what
// is done.

const busy = new Set(); // what was tapped
const given = new Map(); // by question and seat: what the table said to the answer, null while it is under way
let shown = null;

const TWICE_MS = 500; // the second of two touches comes by then,
const TWICE_PX = 44; // and this near; a mouse counts its clicks itself
let before = null; // the tap before

// Drops the second of two taps where a sheet came or went at the first.
addEventListener("click", (event) => {
  if (!event.detail) return; // a key's
  const tap = { at: event.timeStamp, x: event.clientX, y: event.clientY, sheet: event.target.closest("dialog") };
  const second = before && (event.pointerType === "mouse" ? event.detail > 1
    : tap.at - before.at < TWICE_MS && Math.hypot(tap.x - before.x, tap.y - before.y) < TWICE_PX);
  if (second && tap.sheet !== before.sheet) {
    event.preventDefault();
    event.stopImmediatePropagation();
    tap.sheet = before.sheet; // a third one neither
  }
  before = tap;
}, { capture: true });

const keyOf = ({ ask, seat }) => JSON.stringify([ask, seat ?? null]);

/** Greys what takes no tap now; to be called when a page has something new. */
export function grey() {
  for (const one of document.querySelectorAll(".btn")) {
    if (busy.has(one) || given.has(one.dataset.answers)) one.ariaDisabled = "true";
    else one.removeAttribute("aria-disabled");
  }
}

/** Does it, unless what was tapped is grey. */
export async function doOnce(element, does) {
  if (element.ariaDisabled === "true") return;
  const done = does();
  if (!(done instanceof Promise)) return;
  busy.add(element);
  grey();
  try {
    await done;
  } finally {
    busy.delete(element);
    grey();
  }
}

/** A tap on the element does it. */
export function tapped(element, does) {
  element.addEventListener("click", () => doOnce(element, does));
  return element;
}

/** The buttons are the answers to a question, of one seat or of whoever answers. */
export function answering(buttons, question) {
  for (const one of buttons) one.dataset.answers = keyOf(question);
  return buttons;
}

/** Gives an answer by `gives()`, which returns what the table says to it, null where it is refused; does nothing where
 * one was given already. */
export async function answerOnce(event, match, gives) {
  const key = keyOf(event);
  if (given.has(key)) return null;
  given.set(key, null);
  grey();
  let said = null;
  try {
    said = await gives();
  } finally {
    if (said) given.set(key, { ask: event.ask, match, ...said });
    else given.delete(key);
    if (said?.seq && shown) caughtUp(shown); // the table may have told of it before it answered
    grey();
  }
  return said;
}

/** Whether an answer to the question is under way, or not yet known of in what is shown. */
export const isGiven = (ask) => [...given.keys()].some((key) => JSON.parse(key)[0] === ask);

/** The page shows this state: an answer that it knows of may be given anew where its question is open again. That of a
 * board (`closed`) has no ruling of its own. */
export function caughtUp(state) {
  const { score, asks = [], flags = [] } = shown = state;
  const open = [...asks, ...flags].map(({ ask }) => ask);
  for (const [key, said] of given) {
    if (said && (said.match !== score.match || !open.includes(said.ask) || (!said.closed && score.seq >= (said.seq ?? 0)))) given.delete(key);
  }
  grey();
}
