// The referees' way into a page of the club: a card that opens to the PIN.

import { make } from "./dom.mjs";
import { door } from "./door.mjs";
import { t } from "./i18n.mjs";

/** Fills the page's card. `title`, `why`: its words; `entered()`: what follows the right PIN. */
export function refereesDoor(title, why, entered) {
  document.getElementById("login").append(
    make("summary", {}, title),
    make("form.stack", { id: "pin-form" },
      make("p.soft", {}, why),
      make("input", { type: "text", name: "username", value: "referee", autocomplete: "username", hidden: true }),
      make("label.field", {}, make("span", {}, t("pin")),
        make("input", { type: "password", id: "pin", inputmode: "numeric", autocomplete: "current-password", required: true })),
      make("p.said.bad", { id: "pin-says", role: "alert", hidden: true }),
      make("button.btn.first", {}, t("club-log-in"))));
  door(entered);
}

/** Shows who is in what there is for them. `umpire`: whether this browser is a referee's; `open`: whether one can log in. */
export function showDoor(umpire, open = true) {
  document.getElementById("login").hidden = umpire || !open;
  document.getElementById("leave").hidden = !umpire;
}
