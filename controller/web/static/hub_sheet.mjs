// A sheet to read and to print: a table, whose rows are cards on a phone.

import { AS_IS, make } from "./dom.mjs";

/** `columns`: each a title and what a row has there. Columns in which nothing stands are left out. */
export function sheet(columns, rows) {
  const shown = columns.filter(([, cell]) => rows.some((row) => cell(row) !== ""));
  // The roles stay where a phone's style makes cards of the rows.
  const line = (cells) => make("tr", { role: "row" }, ...cells);
  return make("table", { role: "table" },
    make("thead", { role: "rowgroup" }, line(shown.map(([title]) => make("th", { scope: "col", role: "columnheader" }, title)))),
    make("tbody", { role: "rowgroup" }, ...rows.map((row) => line(shown.map(([title, cell]) => make("td", { ...AS_IS, role: "cell", "data-title": title }, cell(row)))))));
}
