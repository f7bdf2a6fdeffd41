// A sheet over the page, one at a time: it rises where the thumb is, and nothing below it moves.

import { button, make } from "./dom.mjs";
import { t } from "./i18n.mjs";

let shown = null;

/** Says in the sheet that is open why something was refused: what stands below it cannot be seen. False if none is open. */
export function refusedIn(text) {
  if (!shown) return false;
  shown.box.querySelector(".refused")?.remove();
  shown.box.querySelector(".sheet-body").prepend(make("p.said.bad.refused", { role: "alert" }, text));
  return true;
}

/** Opens a sheet. Returns { body, close(), closed, attempt(does) }: `closed` resolves when it is gone; `attempt` does what
 * a form asks for, and closes it unless that was refused: then it stays as it was filled in. */
export function openSheet(title, ...children) {
  shown?.close();
  const body = make("div.sheet-body", { tabindex: "0", role: "group", "aria-label": title }, ...children);
  const box = make("dialog.sheet", { "aria-label": title },
    make("header.sheet-head", {}, make("h2", {}, title), button(t("close"), () => close(), ".small")), body);
  // The browser tells of the closing a moment later; until then the next sheet would stand beside a closed one.
  const close = () => {
    box.close();
    box.remove();
  };
  const attempt = async (does) => {
    body.inert = true; // two taps are one
    const done = await does();
    body.inert = false;
    if (done) close();
    return done;
  };
  document.body.append(box);
  const closed = new Promise((resolve) => {
    box.addEventListener("close", () => {
      box.remove();
      if (shown?.box === box) shown = null;
      resolve();
    });
  });
  // The next try says anew what is wrong, or nothing.
  box.addEventListener("click", () => box.querySelector(".refused")?.remove(), { capture: true });
  box.addEventListener("click", (event) => {
    if (event.target === box) close();
  });
  box.showModal();
  shown = { box, close };
  return { body, close, closed, attempt };
}
