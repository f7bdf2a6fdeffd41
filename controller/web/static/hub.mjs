// The club's tables on one page: whose question is oldest comes first.

import { fill, make } from "./dom.mjs";
import { LAMPS, tileOf } from "./hub_tile.mjs";
import { listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);
let tiles = [];

function show() {
  const count = (lamp) => tiles.filter((tile) => tile.lamp === lamp).length;
  const said = ["ask", "fault", "off"].filter(count).map((lamp) => `${LAMPS[lamp]}: ${count(lamp)}`);
  at("count").textContent = tiles.length ? [tiles.length === 1 ? "1 table" : `${tiles.length} tables`, ...said].join(" · ") : "";
  fill(at("tables"), ...(tiles.length ? tiles.map(tileOf) : [make("p.soft", {}, "No table has been heard of yet.")]));
}

listen((kind, rows) => {
  if (kind !== "state") return;
  tiles = rows;
  show();
}, notice(at("lost")));
setInterval(show, 20_000); // how long each has waited
