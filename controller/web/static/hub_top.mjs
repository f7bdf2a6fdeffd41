// The top of every club page: its words in the reader's language, and the way to the others.

import { make } from "./dom.mjs";
import { COMPLETE, LANGUAGES, language, speak, translate } from "./i18n.mjs";

/** Translates the page and adds the other languages that have all of a club's words to its links. */
export function showTop() {
  translate();
  document.querySelector("nav")?.append(...COMPLETE.filter((tag) => tag !== language).map((tag) =>
    make("button.btn.small", { type: "button", lang: tag, onclick: () => speak(tag) }, LANGUAGES[tag])));
}
