// A protest against one ruling: the event's terms, who protests, and the signed file that a jury checks.

import { make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { players } from "./names.mjs";
import { openSheet } from "./sheet.mjs";

/** Opens the sheet for ruling `seq` of the match that is played. */
export async function openProtest(seq, { score }) {
  const fixtures = await ask("/fixtures").catch(() => []);
  const terms = fixtures.find(({ key }) => key && key === score.fixture)?.protest;
  const by = make("input", { type: "text", maxlength: 60, list: "protesting" });
  const named = make("input", { type: "checkbox", checked: true });
  const file = make("a.btn.first", { download: "" }, t("protest-make"));
  const address = () => {
    const asked = new URLSearchParams({ ...(by.value ? { by: by.value } : {}), ...(named.checked ? {} : { names: "no" }) });
    file.href = `/matches/${encodeURIComponent(score.match)}/protest-${seq}.zip?${asked}`;
  };
  by.addEventListener("input", address);
  named.addEventListener("change", address);
  address();
  openSheet(t("protest-of", { seq }),
    make("p.says", {}, terms ? t("protest-terms", { terms }) : t("protest-no-terms")),
    make("label.field", {}, t("protest-by"), by), make("datalist", { id: "protesting" }, ...score.sides.map((side) => make("option", { value: players(side) }))),
    make("div.checks", {}, make("label", {}, named, t("protest-names"))),
    make("p.soft", {}, t("protest-why")), make("div.buttons", {}, file));
}
