// All tables' tiles as the hub sends them: once whole, then those that have changed. In the hub's order.

import { t } from "./i18n.mjs";
import { listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const byPlace = (one, other) => (one.place < other.place ? -1 : 1);

/** Calls `show(tiles, changed)` on every change; `changed`: the tables that have changed, null for all. `other(kind, body)`
 * is called with what else the hub sends. Returns a function that asks anew, as whoever this browser is by then. */
export function follow(show, other = () => {}) {
  const known = new Map();
  return followHub((kind, body) => {
    if (kind !== "state" && kind !== "tiles") return other(kind, body);
    if (kind === "state") known.clear();
    for (const tile of body) known.set(tile.table, tile);
    show([...known.values()].sort(byPlace), kind === "state" ? null : body.map(({ table }) => table));
    if (kind === "state") other(kind, body);
  });
}

/** Shows the page with what `refresh` first brings: nothing moves under a reader. Calls it again soon after what the day or the season shows has changed; several changes at once are one. */
export function followDay(refresh) {
  let due = 0;
  let soon_ms = 0; // the first time at once
  followHub((kind) => {
    if (kind !== "state" && kind !== "day") return;
    due ||= setTimeout(async () => {
      due = 0;
      soon_ms = SOON_MS;
      await refresh().catch(() => {});
      await document.fonts.ready;
      delete document.body.dataset.waits;
    }, soon_ms);
  });
}

const SOON_MS = 500;
const NAMED = 5; // of those for whom there is no place

/** What the hub itself cannot reach stands at the top of its pages, in the hub's own words. */
function followHub(show) {
  const at = (id) => document.getElementById(id);
  return listen((kind, body) => {
    if (kind !== "reach") return show(kind, body);
    const says = [body.says && t("club-unreached", { says: body.says }), body.left_out.length && t("club-left-out", { names: body.left_out.slice(0, NAMED).join(", ") })];
    at("reach").hidden = !says.some(Boolean);
    at("reach").textContent = says.filter(Boolean).join(" · ");
  }, notice(at("lost")));
}
