// Slow motion of a foul that stands, once, in the board's place: the clip's pictures at a quarter of a camera's pace.
// Shown where nobody taps, the hall's screen and the stream; phones in the hall would ask for it by the hundred.

import { fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";

const PER_SECOND = 15; // pictures that the table sends of a clip
const LONGEST_MS = 20_000;

/** Builds the replay in `element`, which hides itself again; `changed()`: it came or went. */
export function makeReplay(element, changed) {
  let known = null; // what has been shown, or was there before anybody looked
  let ends = 0;

  const stop = () => {
    clearTimeout(ends);
    if (element.hidden) return;
    element.hidden = true;
    fill(element); // the stream of pictures ends with it
    changed();
  };

  /** Takes in what everybody may see now, and shows what is new of it. */
  function show(replays, match) {
    const named = (replays ?? []).map((one) => ({ ...one, name: `${match} ${one.seq}` }));
    const fresh = known && named.filter(({ name }) => !known.has(name)).at(-1);
    known = new Set([...(known ?? []), ...named.map(({ name }) => name)]);
    if (!fresh || !element.parentElement.checkVisibility() || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [first, last] = fresh.clip;
    clearTimeout(ends);
    element.hidden = false;
    fill(element, make("img", { src: `/clip/${first}-${last}`, alt: t("replay"), onerror: stop }), make("b", {}, t("replay")));
    ends = setTimeout(stop, Math.min(LONGEST_MS, ((last - first + 1) / PER_SECOND) * 1000));
    changed();
  }

  return { show, stop };
}
