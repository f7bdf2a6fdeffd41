// What this table watches right now, clause by clause: what is ruled on by itself, what waits for a call, what nobody sees.

import { fill, make } from "./dom.mjs";

const GROUPS = {
  watched: "Watched", "on call": "On call: one tap in the list of calls", "not watched": "Not watched: the sensors here cannot tell",
};

/** Fills a <details> with the list; how many of each stands in its summary. */
export function showWatched(element, rows, clauses) {
  element.hidden = !rows?.length;
  if (!rows?.length) return;
  const count = (how) => rows.filter((row) => row.how === how).length;
  const counted = Object.keys(GROUPS).map((how) => `${count(how)} ${how}`).join(", ");
  fill(element, make("summary", {}, "Watched now ", make("span.soft", {}, counted)),
    ...Object.entries(GROUPS).filter(([how]) => count(how)).map(([how, title]) => make("div.watching", { "data-how": how },
      make("h2", {}, title),
      make("ul", {}, ...rows.filter((row) => row.how === how).map((row) => make("li", {}, make("span.clause", {}, row.clause),
        make("span", {}, row.says || clauses[row.clause] || "",
          row.missing?.length ? make("span.soft", {}, ` (not seen: ${row.missing.map(inWords).join(", ")})`) : null)))))));
}

const inWords = (fact) => fact.replace("flags.", "").replaceAll(".", " ").replaceAll("_", " ");
