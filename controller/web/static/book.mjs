// The book that is played by, to look a clause up: what it says, what follows, the policy keys that change it.

import { consequence } from "./calls.mjs";
import { AS_IS, fill, make } from "./dom.mjs";
import { t, tableSays, translate } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { byTheBook } from "./words.mjs";

const at = (id) => document.getElementById(id);

const row = ({ id, says, then, policy }) => make("li", { id }, make("span.clause", AS_IS, id), make("div", {}, byTheBook(says),
  make("div.soft", {}, consequence(then)), policy.length ? make("div.soft", {}, t("book-settled", { keys: policy.join(", ") })) : null));

const text = ({ id, says, then, policy }) => [id, says, tableSays(says), then, consequence(then), ...policy].join(" ").toLowerCase();

translate();
document.title = t("book-clauses");
const search = at("search");
search.placeholder = t("find-clause");
search.setAttribute("aria-label", t("find-clause"));
try {
  const { title, clauses } = await ask("/book/clauses");
  const rows = clauses.map((one) => [text(one), row(one)]);
  at("clauses").append(...rows.map(([, element]) => element));
  fill(at("title"), title ? byTheBook(title) : t("book-none"));
  search.hidden = !title;
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const [words, element] of rows) element.hidden = !words.includes(wanted);
  });
} catch (error) {
  fill(at("title"), error.message);
}
