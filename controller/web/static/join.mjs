// The way in by a one-time code. A tap is asked for: programs that look an address up beforehand do not tap.

import { t, translate } from "./i18n.mjs";
import { ask } from "./live.mjs";

const at = (id) => document.getElementById(id);
const code = location.hash.slice(1);
history.replaceState(null, "", location.pathname + location.search); // it must not stay in the browser's history

translate();
at("go").disabled = false;
at("go").addEventListener("click", async () => {
  at("go").disabled = true;
  try {
    const { side, juror } = await ask("/join", { code });
    location.replace(side ? "/player" : juror ? "/jury" : "/umpire");
  } catch (error) {
    at("says").textContent = error.status === 403 ? t("join-refused") : error.message;
    at("says").hidden = false;
    at("go").disabled = error.status === 403;
  }
});
