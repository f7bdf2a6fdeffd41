// Shows what an event would change before it is done: one dialog for everything that has consequences.

import { make } from "./dom.mjs";
import { ask } from "./live.mjs";

/** Opens the dialog. `act(event)` does it; returns when the dialog is closed. */
export async function propose(title, event, act) {
  const body = make("div.form", {}, make("p.soft", {}, "Looking…"));
  const go = make("button.btn.first", { disabled: true }, "Do it");
  const no = make("button.btn", {}, "Leave it as it is");
  const box = make("dialog.card", { "aria-label": title }, make("h3", {}, title), body, make("div.buttons", {}, go, no));
  document.body.append(box);
  const closed = new Promise((resolve) => {
    box.addEventListener("close", () => {
      box.remove();
      resolve();
    });
  });
  no.addEventListener("click", () => box.close());
  go.addEventListener("click", async () => {
    go.disabled = true;
    await act(event);
    box.close();
  });
  box.showModal();
  try {
    const would = await ask("/preview", event);
    body.replaceChildren(...differences(would));
    go.disabled = false;
    go.focus();
  } catch (error) {
    body.replaceChildren(make("p.said.bad", {}, error.message));
    no.focus();
  }
  await closed;
}

function differences(would) {
  const fouls = (would.ruling?.fouls ?? []).map((foul) => make("li.foul", {}, make("span.clause", {}, foul.clause), make("span", {}, foul.says)));
  const rows = (would.differences ?? []).map(({ figure, was, now }) =>
    make("tr", {}, make("td", {}, label(figure)), make("td.was", {}, said(was)), make("td.now", {}, said(now))));
  return [
    fouls.length ? make("div.ruling", {}, make("ul", {}, ...fouls)) : null,
    rows.length
      ? make("table.diff", {}, make("thead", {}, make("tr", {}, make("th", {}, "figure"), make("th", {}, "now"), make("th", {}, "then"))),
        make("tbody", {}, ...rows))
      : make("p.soft", {}, "No figure of the score changes."),
  ].filter(Boolean);
}

const label = (figure) => figure.replaceAll("_", " ").replace(".", ": ");

function said(value) {
  if (value === null || value === undefined) return "–";
  if (value === true || value === false) return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
