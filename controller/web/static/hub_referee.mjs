// A referee of many tables, on a phone: what waits, the oldest first, and the way to the table that asks. Nothing is
// answered here: the table's own console does that, which shows the clip and asks for the table's PIN.

import { fill, make } from "./dom.mjs";
import { inEnglish, pageOf, playersOf, waited } from "./hub_tile.mjs";
import { showTop } from "./hub_top.mjs";
import { t } from "./i18n.mjs";
import { ask, listen } from "./live.mjs";
import { notice } from "./watch.mjs";

const at = (id) => document.getElementById(id);
let tiles = [];

/** What waits at a table. Of a question for referees alone everybody hears only that there is one. */
const waiting = (tile) => (tile.waiting.length ? tile.waiting : tile.lamp === "ask" ? [{ level: "ask", says: t("club-see-table"), t: null, own: true }] : []);

/** Questions before faults, the oldest first; one whose time is not known has waited longest. */
const order = (one, other) => (one.level !== "ask") - (other.level !== "ask") || (one.t ?? 0) - (other.t ?? 0);

function card({ tile, level, says, t: since, picture, own }) {
  const console = pageOf(tile, "/umpire");
  const still = picture != null ? pageOf(tile, `/picture/${picture}`) : null;
  return make("section.card.waits", { "data-level": level, "data-table": tile.table },
    make("h2", {}, tile.title, make("span.soft", {}, ` ${waited(since)}`)),
    make("p.q", {}, own ? says : inEnglish(says)),
    make("p.soft", {}, tile.sides.map((side) => `${playersOf(side)} ${side.points}`).join(" : ")),
    make("div.buttons", {},
      console ? make("a.btn.first", { href: console }, t(level === "ask" ? "club-answer" : "club-console")) : make("span.soft", {}, t("club-no-page")),
      still ? make("a.btn", { href: still }, t("club-picture")) : null,
      make("a.btn", { href: `/tables/${tile.table}` }, t("club-look"))));
}

function show() {
  const found = tiles.filter((tile) => tile.online).flatMap((tile) => waiting(tile).map((one) => ({ ...one, tile }))).sort(order);
  at("count").textContent = found.length ? t("club-referee-open", { count: found.length }) : t("club-referee-none");
  fill(at("waits"), ...found.map(card));
}

async function whoAmI() {
  const { umpire } = await ask("/me");
  at("login").hidden = umpire;
  at("leave").hidden = !umpire;
}

showTop();
const anew = listen((kind, rows) => {
  if (kind !== "state") return;
  tiles = rows;
  show();
  whoAmI().catch(() => {}); // a session may have ended: with it the stream begins anew
}, notice(at("lost")));
setInterval(show, 20_000); // how long each has waited

at("pin-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("/login", { pin: at("pin").value });
    at("pin-says").hidden = true;
    await whoAmI();
    anew(); // as a referee now, who is told more
  } catch (error) {
    at("pin-says").textContent = error.message;
    at("pin-says").hidden = false;
  }
  at("pin").value = "";
});
at("leave").addEventListener("click", async () => {
  await ask("/logout", {});
  location.reload();
});
