// Who has given the PIN, and the buttons that end a session. Asked for anew each time the list is opened.

import { button, fill, make } from "./dom.mjs";
import { ask } from "./live.mjs";

const when = (unix) => new Date(unix * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

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
    make("div", {}, `${one.address}${one.here ? " (this one)" : ""}`,
      make("div.soft", {}, `since ${when(one.began)}, last seen ${when(one.seen)} · ${one.browser}`)),
    one.here ? null : make("div.seats", {}, button("End", () => end({ id: one.id }), ".small"))));
  fill(element, ...rows,
    sessions.length > 1 ? make("div.buttons", {}, button("End all others", () => end({ others: true }))) : null,
    guessing ? make("p.alert", { "data-level": "warning" }, "Somebody has been guessing the PIN. Write a new one to its file: every session ends then.") : null);
}
