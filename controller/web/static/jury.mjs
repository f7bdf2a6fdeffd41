// A jury's page of one table: the challenge that waits, a second look at its stroke, and the verdict. Nothing else is a jury's.

import { acting } from "./acting.mjs";
import { challengeCard } from "./challenge.mjs";
import { fill, make } from "./dom.mjs";
import { t, translate } from "./i18n.mjs";
import { followKeys } from "./keys.mjs";
import { ask, listen } from "./live.mjs";
import { showTally } from "./tally.mjs";
import { showWatching, watching } from "./watch.mjs";
import { showRuling } from "./words.mjs";

const at = (id) => document.getElementById(id);
let state = null;
let lostSince = null;
let juror = null;
let clauses = {};
let geometry = null;
let shown = null; // the challenge whose card is there: a card under a thumb is not made anew

const ways = acting(() => state, () => whoAmI(), "/jury");
const tools = { jury: true, state: () => state, ways, get geometry() { return geometry; } };

function showNow() {
  const { challenge } = state.score;
  const now = juror && challenge ? challenge.seq : null;
  if (now !== null && now === shown) return;
  shown = now;
  if (now !== null) {
    return fill(at("now"), challengeCard({ challenge }, { now: state, ways, clauses: () => clauses, top: [make("span", {}, t("jury-you", { name: juror }))], tools }));
  }
  const ruling = make("section.card.ruling");
  if (state.ruling) showRuling(ruling, state, clauses);
  fill(at("now"), make("section.card", {}, make("p.says", {}, t(juror ? "jury-none" : "jury-not-let-in"))), state.ruling ? ruling : null);
}

async function whoAmI() {
  ({ juror } = await ask("/me").catch(() => ({ juror })));
  if (state) showNow();
}

async function show(kind, body) {
  if (kind !== "state") return;
  state = body;
  if (geometry === null) {
    [clauses, geometry] = await Promise.all([ask("/clauses").catch(() => ({})), ask("/geometry")]);
    await whoAmI();
  }
  showLine();
  showTally(at("tally"), state.score);
  showNow();
  document.body.dataset.seq = state.score.seq;
}

function showLine() {
  if (state || lostSince) showWatching(at("watch"), watching(state ?? { score: {} }, lostSince));
}

translate();
followKeys();
listen(show, (since) => { lostSince = since; showLine(); });
