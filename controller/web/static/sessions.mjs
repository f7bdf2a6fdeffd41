// Who has given the PIN, and the buttons that end a session. Asked for anew each time the list is opened.

import { button, fill, make } from "./dom.mjs";
import { clockTime, t } from "./i18n.mjs";
import { ask } from "./live.mjs";

/** Fills `element` with the sessions; `tell(text, bad)` says what went wrong. */
export async function showSessions(element, tell) {
  const end = async (body) => {
    try {
      await ask("/sessions/end", body);
    } catch (error) {
      tell(error.message, true);
    }
    await showSessions(element, tell);
  };
  const { sessions, guessing } = await ask("/sessions");
  const rows = sessions.map((one) => make("div.one", { "data-session": one.id },
    make("div", {}, `${one.address}${one.juror ? ` · ${t("jury")} ${one.juror}` : ""}${one.here ? ` (${t("this-one")})` : ""}`,
      make("div.soft", {}, t("session-since", { began: clockTime(one.began), seen: clockTime(one.seen), browser: one.browser }))),
    one.here ? null : make("div.seats", {}, button(t("end"), () => end({ id: one.id }), ".small"))));
  fill(element, ...rows,
    sessions.length > 1 ? make("div.buttons", {}, button(t("end-others"), () => end({ others: true }))) : null,
    guessing ? make("p.alert", { "data-level": "warning" }, t("guessing")) : null);
}
