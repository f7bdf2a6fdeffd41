// Shows what an event would change before it is done: one dialog for everything that has consequences.

import { make } from "./dom.mjs";
import { ask } from "./live.mjs";
import { whatToDo } from "./words.mjs";

/** Opens the dialog. `act(event)` does it; returns when the dialog is closed. `says`: elements shown instead of figures. */
export async function propose(title, event, act, says = null) {
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
    body.replaceChildren(...(says ?? differences(would)));
    go.disabled = false;
    go.focus();
  } catch (error) {
    body.replaceChildren(make("p.said.bad", {}, error.message));
    no.focus();
  }
  await closed;
}

const HAPPENED = ["fouls", "returned", "dues", "void"]; // told of each stroke; all other figures are told as they end up
const NOISE = ["asks", "cites", "notes", "provisional", "unseen", "turn_kept"];

function differences(would) {
  const fouls = (would.ruling?.fouls ?? []).map((foul) => make("li.foul", {}, make("span.clause", {}, foul.clause), make("span", {}, foul.says)));
  const found = (would.differences ?? []).filter(({ figure }) => !NOISE.includes(figure));
  const last = Math.max(...found.map(({ seq }) => seq ?? 0));
  const rows = found.filter(({ seq, figure }) => HAPPENED.includes(figure) || (seq ?? last) === last)
    .flatMap(({ seq, figure, was, now }) => apart(figure, was, now).map((one) => ({ ...one, seq, told: HAPPENED.includes(figure) })));
  const cells = rows.map(({ seq, figure, was, now, told }) => make("tr", {},
    make("td", {}, told && seq != null ? `${label(figure)} of ${seq}` : label(figure)),
    make("td.was", {}, said(was)), make("td.now", {}, said(now))));
  return [
    fouls.length ? make("div.ruling", {}, make("ul", {}, ...fouls)) : null,
    rows.length
      ? make("table.diff", {}, make("thead", {}, make("tr", {}, make("th", {}, "figure"), make("th", {}, "now"), make("th", {}, "then"))),
        make("tbody", {}, ...cells))
      : make("p.soft", {}, "No figure of the score changes."),
    ...whatToDo(would.ruling ?? {}),
  ].filter(Boolean);
}

/** A figure that is made of figures (`score` by side) is taken apart, and only what differs is shown. */
function apart(figure, was, now) {
  const both = [was, now];
  if (both.some((value) => value === null || typeof value !== "object" || Array.isArray(value))) return [{ figure, was, now }];
  const keys = [...new Set(both.flatMap(Object.keys))];
  return keys.filter((key) => JSON.stringify(was[key]) !== JSON.stringify(now[key]))
    .map((key) => ({ figure: `${figure}.${key}`, was: was[key], now: now[key] }));
}

const label = (figure) => figure.replaceAll("_", " ").replace(".", ": ");

function said(value) {
  if (value === null || value === undefined || (Array.isArray(value) && !value.length)) return "–";
  if (value === true || value === false) return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(said).join(", ");
  if (typeof value !== "object") return String(value);
  if (value.clause) return value.status === "to confirm" ? `${value.clause} (to confirm)` : value.clause;
  if (value.pieces != null) return `${value.side}: ${value.pieces} paid, ${value.owed} owed`;
  return value.piece ?? JSON.stringify(value);
}
