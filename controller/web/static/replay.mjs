// Slow motion of a foul that stands, large, in the place of board and bands: the clip's pictures at a quarter of a camera's
// pace. Shown where nobody taps, the hall's screen and the stream; phones in the hall would ask for it by the hundred.

import { button, fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";

const PER_SECOND = 15; // pictures that the table sends of a clip
const LEAST_MS = 5_000; // a shorter clip begins anew; a hand that puts a piece back meanwhile is no next stroke
const LONGEST_MS = 20_000;

/** Builds the replay in `element`, which hides itself again; `changed()`: it came or went. */
export function makeReplay(element, changed) {
  let known = null; // what has been shown, or was there before anybody looked
  let began = 0;
  let ends = 0;

  const stop = () => {
    clearTimeout(ends);
    if (element.hidden) return;
    element.hidden = true;
    fill(element); // the stream of pictures ends with it
    changed();
  };
  const endAfter = (length_ms) => {
    clearTimeout(ends);
    ends = setTimeout(stop, Math.max(0, began + length_ms - performance.now()));
  };

  /** Takes in what everybody may see now, and shows what is new of it, or was asked for again. */
  function show(replays, match) {
    const named = (replays ?? []).map((one) => ({ ...one, name: `${match} ${one.seq} ${one.again ?? 0}` }));
    const fresh = known && named.filter(({ name }) => !known.has(name)).at(-1);
    known = new Set([...(known ?? []), ...named.map(({ name }) => name)]);
    if (!fresh || !element.parentElement.checkVisibility() || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [first, last] = fresh.clip;
    element.hidden = false;
    fill(element, make("img", { src: `/clip/${first}-${last}`, alt: t("replay"), onerror: stop }), make("b", {}, t("replay")));
    began = performance.now();
    endAfter(Math.min(LONGEST_MS, Math.max(LEAST_MS, ((last - first + 1) / PER_SECOND) * 1000)));
    changed();
  }

  /** Something moves on the board: play may go on. */
  const moved = () => element.hidden || endAfter(LEAST_MS);

  return { show, moved };
}

/** The button by which whoever umpires has a stroke's replay shown once more; null where nothing of it may be shown. */
export function replayAgain(seq, { state, ways }) {
  if (!(state().replays ?? []).some((one) => one.seq === seq)) return null;
  return button(t("replay-again"), () => ask("/replay", { seq }).then(() => ways.tell(t("replay-shown")), (error) => ways.tell(error.message, { bad: true })));
}
