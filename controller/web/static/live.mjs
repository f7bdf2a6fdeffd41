// The line to the table: the latest state, and whether the line still stands. Knows nothing of what is shown.

import { t, tableSays } from "./i18n.mjs";

const SILENT_MS = 2700; // the table says something every second, and a loss is on every page within three
const BROKEN_MS = 1000; // a line that broke is back by then, or it is lost
const LOOK_MS = 250;
const KINDS = ["state", "tiles", "board", "clock", "day", "reach", "beat"]; // as in shared_stream.js
const ANSWER_MS = 12_000; // the table itself gives up after ten seconds, and says so

/** A line of its own for this window, where windows cannot share one. `said({ kind, data })`: what came; `{ closed }`: it
 * broke, for good or not. Returns a function that opens it anew. */
function ownLine(path, said) {
  let source = null;
  const open = () => {
    source?.close();
    const mine = source = new EventSource(path);
    source.addEventListener("error", () => said({ closed: mine.readyState === EventSource.CLOSED }));
    for (const kind of KINDS) source.addEventListener(kind, ({ data }) => said({ kind, data }));
  };
  open();
  return open;
}

/** The same, shared by all windows of this browser that show this path. */
function sharedLine(path, said) {
  const worker = new SharedWorker(new URL("shared_stream.js", import.meta.url), path);
  let open = () => worker.port.postMessage("anew");
  worker.addEventListener("error", () => { open = ownLine(path, said); }, { once: true }); // it could not be loaded
  worker.port.onmessage = ({ data }) => said(data);
  addEventListener("pagehide", () => worker.port.postMessage("left"));
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  return () => open();
}

/** Calls `show(kind, body)` on every change, and `line(since)` as the line goes (Unix seconds of what was heard last) and
 * comes (null). Returns a function that asks anew, as whoever this browser is by then. `path`: the stream. */
export function listen(show, line, path = "/events") {
  let heard = performance.now(); // a wall clock that is set jumps
  let heardAt = Date.now();
  let broken = null;
  let closed = false;
  let lost = false;

  const up = () => {
    heard = performance.now();
    heardAt = Date.now();
    broken = null;
    closed = false;
    if (lost) line(null);
    lost = false;
  };
  const lose = () => {
    if (!lost) line(heardAt / 1000);
    lost = true;
  };
  const said = ({ kind, data, closed: ended }) => {
    if (kind) {
      up();
      if (kind !== "beat") show(kind, JSON.parse(data));
      return;
    }
    broken ??= performance.now();
    closed = ended;
  };
  const open = (typeof SharedWorker === "undefined" ? ownLine : sharedLine)(path, said);
  const look = () => {
    const now = performance.now();
    if (now - heard < SILENT_MS && !(broken && now - broken >= BROKEN_MS)) return;
    lose();
    // A browser gives up on a stream for good after some errors; asking again costs nothing.
    if (closed) open();
    closed = false;
  };
  setInterval(look, LOOK_MS);
  // A phone that slept hears nothing of what it missed, and may hold a line that is long gone; its other clock slept, too.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible" || Date.now() - heardAt < SILENT_MS) return;
    lose();
    open();
  });
  return open;
}

/** Fetches JSON, or says `body` to the table; throws with the table's own words. */
export async function ask(path, body, headers = {}) {
  const waiting = new AbortController();
  const init = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), signal: waiting.signal,
  };
  const late = setTimeout(() => waiting.abort(), ANSWER_MS);
  let answer;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Error(t("not-reached"));
  } finally {
    clearTimeout(late);
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const error = new Error(said.error ? tableSays(said.error) : `${answer.status}`);
    error.status = answer.status;
    throw error;
  }
  return said;
}
