// Calls as tiles, those made most on this table first; each says what it will do, its clause stands small below.

import { AS_IS, button, fill, make } from "./dom.mjs";
import { t, tableSays, words } from "./i18n.mjs";
import { nameOf, seated } from "./names.mjs";
import { openSheet } from "./sheet.mjs";
import { byTheBook } from "./words.mjs";

const KEPT = "carrom-calls";

/** How often each clause was called from this device. */
function made() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

function count(clause) {
  try {
    const counts = made();
    localStorage.setItem(KEPT, JSON.stringify({ ...counts, [clause]: (counts[clause] ?? 0) + 1 }));
  } catch {
    // The order of the tiles is all that is lost.
  }
}

/** What follows from a clause, in the reader's language. */
export const consequence = (text) => (text ? words(`then-${text.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}`) ?? tableSays(text) : t("then-cited"));

/** Opens the calls about the stroke that was played last: one tap each, against whoever played it. */
export function openImproper({ calls, state, ways }) {
  const { shot, score } = state();
  const about = calls().filter((one) => one.about === "stroke");
  if (!shot || !about.length) return openCalls({ calls, state, ways });
  const name = nameOf(shot.seat, score);
  const call = (one) => {
    sheet.close();
    count(one.clause);
    ways.propose(t("says-foul", { name, what: tableSays(one.says) }), { event: "call", clause: one.clause, seat: shot.seat }, { stroke: shot.seq });
  };
  const sheet = openSheet(t("improper-of", { name, seq: shot.seq }), make("div.tiles", {}, ...ordered(about).map((one) => {
    const tile = button("", () => call(one), ".tile");
    tile.append(...face(one));
    return tile;
  })));
}

/** Opens every call of the book, with a search, and the umpire's own below. */
export function openCalls({ calls, state, ways }) {
  const list = make("div.tiles");
  const search = make("input", { type: "search", placeholder: t("find-clause"), "aria-label": t("find-clause") });
  const refresh = () => {
    const wanted = search.value.trim().toLowerCase();
    fill(list, ...ordered(calls().filter(({ clause, says }) => `${clause} ${says} ${tableSays(says)}`.toLowerCase().includes(wanted))).map(tile));
  };
  const tile = (one) => {
    const call = (seat) => {
      sheet.close();
      count(one.clause);
      ways.propose(tableSays(one.says), { event: "call", clause: one.clause, ...(seat ? { seat } : {}) }, { stroke: state().shot?.seq });
    };
    const who = one.seat === false ? [button(t("call"), () => call())] : seated(state().score).map(([seat, name]) => button(name, () => call(seat)));
    return make("div.tile", {}, ...face(one), make("span.buttons", {}, ...who));
  };
  search.addEventListener("input", refresh);
  const sheet = openSheet(t("calls"), search, list);
  refresh();
}

const face = (one) => [make("b", {}, byTheBook(one.says)), make("span.then", {}, consequence(one.consequence)), make("span.clause", AS_IS, one.clause)];

/** What was called most comes first; then what has consequences; what can only be cited last. */
function ordered(calls) {
  const counts = made();
  const idle = (one) => one.seat === false || /nothing follows/.test(one.consequence ?? "") ? 1 : 0;
  return [...calls].sort((one, other) => (counts[other.clause] ?? 0) - (counts[one.clause] ?? 0) || idle(one) - idle(other));
}
