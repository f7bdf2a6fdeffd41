// The sides as bands: name, points, and what they have left, hold and owe as signs. Whose turn it is, is lit.

import { AS_IS, fill, make } from "./dom.mjs";
import { fitAll, tall } from "./fit.mjs";
import { t } from "./i18n.mjs";
import { called, inLines, open, players, sideName, withInitial } from "./names.mjs";

const doubt = (path, score) => open(path, score) ? make("span.doubt", { title: t("doubt") }, "?") : null;

/** A sign: a shape, a figure in or beside it, and its words for those who do not see it. */
function sign(kind, label, text, path, score) {
  return make(`span.sign.${kind}`, { role: "img", "aria-label": open(path, score) ? `${label} (${t("doubt")})` : label, title: label },
    make("i", { "aria-hidden": "true" }, text), path ? doubt(path, score) : null);
}

function signs(side, score) {
  const found = [];
  if (side.left != null) {
    found.push(sign(side.colour, t("sign-left", { count: side.left, piece: t(`piece-${side.colour}`) }), String(side.left), `left.${side.colour}`, score));
  } else if (score.state !== "idle") {
    found.push(sign("hand", t("sign-hand", { count: side.in_hand }), String(side.in_hand), `in_hand.${side.name}`, score));
  }
  if (side.queen) found.push(sign(side.queen === "covered" ? "queen.covered" : "queen.pending", t(`sign-queen-${side.queen}`), "♛", "queen", score));
  if (side.owed) found.push(sign("due", t("sign-due", { count: side.owed }), `−${side.owed}`, `owed.${side.name}`, score));
  if (side.games) found.push(sign("games", t("sign-games", { count: side.games }), "★".repeat(Math.min(side.games, 3)), `games.${side.name}`, score));
  return found;
}

const HALF = 7; // letters for one of two names in a line

/** A side's names in one line. `turn`: the seat whose name is underlined where there are two. */
function short(side, turn) {
  const seats = Object.entries(side.seats);
  if (seats.length < 2) return [make("span.fit", { ...AS_IS, dir: "auto", "data-brief": withInitial(players(side)) }, players(side))];
  const names = seats.map(([seat, name]) => make(seat === turn ? "u.on" : "span", AS_IS, called(name, HALF)));
  return [make("span.fit", { dir: "auto" }, ...names.flatMap((name, index) => (index ? [" & ", name] : [name])))];
}

/** Fills `element` with a band for each side. */
export function showBands(element, score) {
  element.dataset.count = score.sides.length;
  fill(element, ...score.sides.map((side) => {
    const turn = score.turn != null && score.turn in side.seats && ["playing", "trial", "paused"].includes(score.state);
    const won = score.state === "match_over" && score.winner === side.name;
    const mark = turn
      ? make("span.mark", { role: "img", "aria-label": t("to-play") }, "▶", doubt("turn", score))
      : won ? make("span.mark", { role: "img", "aria-label": t("won") }, "★") : make("span.mark.off", { "aria-hidden": "true" }, "▶");
    const seats = Object.keys(side.seats);
    const ofTwo = turn && seats.length > 1;
    return make(`article.band${turn ? ".turn" : ""}${won ? ".won" : ""}`, { "data-side": side.name },
      make("div.inside", {},
        make(`h2.who${tall(players(side)) ? ".tall" : ""}`, { title: players(side), "aria-label": players(side) }, mark,
          make("span.lines", {}, ...inLines(side).map((line, index) => make("span.line", {}, make(`span.fit${ofTwo && seats[index] === score.turn ? ".on" : ""}`, { ...AS_IS, dir: "auto", "data-brief": withInitial(line) }, line)))),
          make("span.in-one-line", { "aria-hidden": "true" }, ...short(side, ofTwo && score.turn))),
        make("p.points", {}, make("span.fit", {}, make("span", { "data-points": side.name }, String(side.points)), doubt(`score.${side.name}`, score))),
        make("p.signs", {}, ...signs(side, score))));
  }));
  fitAll(element);
}

/** How much of the round is left, that its last board is played, or nothing. `umpire`: whom nobody reminds of its end. */
export function roundSays({ round, state }, umpire = false) {
  if (!round || ["idle", "match_over"].includes(state)) return "";
  if (round.over) return t("round-last");
  if (round.by_hand) return umpire ? t("round-by-hand") : "";
  return t("round-left", { count: Math.ceil(round.left / 60) });
}

/** Who challenges what: until the verdict the score stays as it is. "" where nobody does. */
export const challengeSays = (score) => (score.challenge
  ? t("challenge-of", { name: sideName(score.challenge.side, score), about: t(`challenge-${score.challenge.about}`) }) : "");

/** The stroke clock: a bar that drains, and its seconds. `bar` holds one element that is the bar itself. */
export function showClock(bar, seconds, score) {
  const { running, left, limit } = score.clock ?? {};
  const on = Boolean(running) && left != null && limit > 0;
  bar.classList.toggle("off", !on);
  bar.setAttribute("aria-hidden", String(!on));
  seconds.classList.toggle("off", !on);
  if (!on) return;
  const rest = Math.max(0, left);
  bar.firstElementChild.style.transform = `scaleX(${Math.min(1, rest / limit)})`;
  bar.classList.toggle("short", rest <= 5);
  bar.setAttribute("aria-valuenow", String(Math.ceil(rest)));
  bar.setAttribute("aria-valuemax", String(limit));
  seconds.classList.toggle("short", rest <= 5);
  seconds.textContent = t("seconds", { count: Math.ceil(rest) });
}
