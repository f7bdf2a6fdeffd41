// The club's tables on one page: who plays, how it stands, and which table needs a referee.

import { fill, make } from "./dom.mjs";
import { listen, notice } from "./live.mjs";
import { STATES } from "./words.mjs";

const LAMPS = { ask: "needs a referee", fault: "needs a look", fine: "playing by itself", off: "away" };

function card({ table, online, lamp, score, waiting }) {
  const sides = (score.sides ?? []).map((side) => {
    const turn = score.turn != null && score.turn in side.seats;
    return make(`div.hub-side${turn ? ".turn" : ""}`, {},
      make("span", {}, Object.values(side.seats).join(" & ") || side.name), make("b", {}, side.points));
  });
  return make("article.card.hub-table", { "data-table": table, "data-lamp": lamp },
    make("h2", {}, make("span.lamp", { title: LAMPS[lamp] }), `${table} · ${online ? STATES[score.state] ?? "…" : LAMPS.off}`),
    ...sides,
    make("p.soft", {}, [score.book, score.board ? `board ${score.board}` : null].filter(Boolean).join(" · ")),
    ...(online ? waiting : []).map((says) => make("p.alert", {}, says)));
}

listen((kind, rows) => {
  if (kind !== "state") return;
  fill(document.getElementById("tables"), ...(rows.length ? rows.map(card) : [make("p.soft", {}, "No table has been heard of yet.")]));
}, notice(document.getElementById("lost")));
