// The hub's clock on every screen: matches are called by it, and how long something has waited is reckoned by it alone.
// A screen's own clock may stand in another zone, or be wrong.

import { language } from "./i18n.mjs";
import { ask } from "./live.mjs";

const AGAIN_MS = 60_000;
let known = { now: Date.now() / 1000, shown_later_s: -60 * new Date().getTimezoneOffset() };
let at = performance.now(); // a wall clock that is set jumps

async function look() {
  known = await ask("/clock").catch(() => ({ ...known, now: hubNow() }));
  at = performance.now();
}

/** Now, as the times of the hub's tables have it: Unix seconds. */
export const hubNow = () => known.now + (performance.now() - at) / 1000;

/** "20:41": such a time as the hub's clock shows it. */
export const hubTime = (time) => new Date((time + known.shown_later_s) * 1000)
  .toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" });

/** Until then it is the screen's own clock. */
export const clockKnown = look();
setInterval(look, AGAIN_MS);
// While a phone sleeps its own clocks may stand still.
document.addEventListener("visibilitychange", look);
