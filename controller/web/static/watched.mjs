// What this table watches right now, clause by clause: what is ruled on by itself, what waits for a call, what nobody sees.

import { AS_IS, fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { factInWords } from "./sentence.mjs";
import { byTheBook } from "./words.mjs";

const GROUPS = { watched: "watched", "on call": "on-call", "not watched": "unwatched" };

/** Fills a <details> with the list; how many of each stands in its summary. */
export function showWatched(element, rows, clauses) {
  element.hidden = !rows?.length;
  if (!rows?.length) return;
  const count = (how) => rows.filter((row) => row.how === how).length;
  const counted = Object.entries(GROUPS).map(([how, id]) => t(`count-${id}`, { count: count(how) })).join(", ");
  fill(element, make("summary", {}, t("watched-now"), " ", make("span.soft", {}, counted)),
    ...Object.entries(GROUPS).filter(([how]) => count(how)).map(([how, id]) => make("div.watching", { "data-how": how },
      make("h3", {}, t(`group-${id}`)),
      make("ul", {}, ...rows.filter((row) => row.how === how).map((row) => make("li", {},
        byTheBook(row.says || clauses[row.clause]),
        row.missing?.length ? make("span.soft", {}, ` (${t("not-seen", { facts: row.missing.map(factInWords).join(", ") })})`) : null,
        make("span.clause", AS_IS, row.clause)))))));
}
