// The club's tables on one page: whose question is oldest comes first.

import { make } from "./dom.mjs";
import { follow } from "./hub_tables.mjs";
import { tileOf } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";

const at = (id) => document.getElementById(id);
const cards = new Map();
let tiles = [];

/** Shows the cards of these tables anew, or of all, and puts each where the hub has it. */
function show(changed) {
  const count = (lamp) => tiles.filter((tile) => tile.lamp === lamp).length;
  const said = ["ask", "fault", "unknown", "off"].filter(count).map((lamp) => `${t(`club-lamp-${lamp}`)}: ${count(lamp)}`);
  at("count").textContent = tiles.length ? [t("club-count", { count: tiles.length }), ...said].join(" · ") : "";
  if (changed === null) cards.clear();
  for (const tile of tiles) if (changed === null || changed.includes(tile.table)) renew(tile);
  inOrder(at("tables"), tiles.length ? tiles.map(({ table }) => cards.get(table)) : [make("p.soft", {}, t("club-none"))]);
}

function renew(tile) {
  const card = tileOf(tile);
  cards.get(tile.table)?.replaceWith(card);
  cards.set(tile.table, card);
}

/** Leaves these alone in a place, in this order; who stands right is not moved. */
function inOrder(place, nodes) {
  let next = place.firstChild;
  for (const node of nodes) {
    if (node === next) next = next.nextSibling;
    else place.insertBefore(node, next);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

showTop();
follow((rows, changed) => {
  tiles = rows;
  show(changed);
});
setInterval(() => show(null), 20_000); // how long each has waited
