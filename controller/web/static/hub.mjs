// The club's tables on one page: whose question is oldest comes first.

import { fill, make } from "./dom.mjs";
import { showClocks, tileOf } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);
let tiles = [];

function show() {
  const count = (lamp) => tiles.filter((tile) => tile.lamp === lamp).length;
  const said = ["ask", "fault", "unknown", "off"].filter(count).map((lamp) => `${t(`club-lamp-${lamp}`)}: ${count(lamp)}`);
  at("count").textContent = tiles.length ? [t("club-count", { count: tiles.length }), ...said].join(" · ") : "";
  fill(at("tables"), ...(tiles.length ? tiles.map(tileOf) : [make("p.soft", {}, t("club-none"))]));
}

showTop();
listen((kind, rows) => {
  if (kind === "clock") showClocks(tiles, rows);
  if (kind !== "state") return;
  tiles = rows;
  show();
}, notice(at("lost")));
setInterval(show, 20_000); // how long each has waited
