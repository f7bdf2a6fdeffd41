// A sheet over the page, one at a time: it rises where the thumb is, and nothing below it moves.

import { button, make } from "./dom.mjs";
import { t } from "./i18n.mjs";

let shown = null;

/** Opens a sheet. Returns { body, close(), closed }: `closed` resolves when it is gone. */
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
  document.body.append(box);
  const closed = new Promise((resolve) => {
    box.addEventListener("close", () => {
      box.remove();
      if (shown?.box === box) shown = null;
      resolve();
    });
  });
  box.addEventListener("click", (event) => {
    if (event.target === box) close();
  });
  box.showModal();
  shown = { box, close };
  return { body, close, closed };
}
