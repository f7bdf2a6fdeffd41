// A card that asks, of one anatomy wherever it stands: its head, what shows it, the question, and the answers, which are
// always in sight. Must not know what is asked.

import { make } from "./dom.mjs";

/** `kind`: a further class; `head`, `shown`, `asked`, `answers`: what its parts hold. */
export const questionCard = (attributes, { kind = "", head, shown = [], asked, answers }) => make(`section.card.ask${kind}`, attributes,
  make("h2", {}, ...head), shown.length ? make("div.shown", {}, ...shown) : null, make("div.asked", {}, ...asked), make("div.answers", {}, ...answers));
