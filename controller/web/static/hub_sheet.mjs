// A sheet to read and to print: a table whose columns keep their places, whatever comes to stand in them.

import { AS_IS, make } from "./dom.mjs";

const tracks = (columns) => columns.map(([, , breadth = 1]) => `minmax(0, ${breadth}fr)`).join(" ");

/** `columns`: each a title, what a row has there, and how broad it is beside the others; on a phone the first two of a row
 * stand above the rest. `kind`: a class of its own. */
export function sheet(columns, rows, kind = "") {
  // A grid's row is none to who hears the page, unless its role says so.
  const line = (cells) => make("tr", { role: "row" }, ...cells);
  const table = make(`table.hub-lines${kind}`, { role: "table" },
    make("thead", { role: "rowgroup" }, line(columns.map(([title]) => make("th", { scope: "col", role: "columnheader" }, title)))),
    make("tbody", { role: "rowgroup" }, ...rows.map((row) => line(columns.map(([, cell]) => make("td", { ...AS_IS, role: "cell" }, ...[cell(row)].flat()))))));
  table.style.setProperty("--wide", tracks(columns));
  table.style.setProperty("--narrow", tracks(columns.slice(2)));
  return table;
}
