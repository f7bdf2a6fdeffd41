// The line to the table: the latest state, and whether the line still stands. Knows nothing of what is shown.

const SILENT_MS = 6000; // the table says something at least every two seconds

/** Calls `show(kind, body)` on every change and `line(lostForSeconds | 0)` as the line goes and comes. */
export function listen(show, line) {
  let source = null;
  let heard = performance.now();
  let lost = false;

  const up = () => {
    heard = performance.now();
    if (lost) line(0);
    lost = false;
  };
  const open = () => {
    source?.close();
    source = new EventSource("/events");
    for (const kind of ["state", "board", "clock", "beat"]) {
      source.addEventListener(kind, (event) => {
        up();
        if (kind !== "beat") show(kind, JSON.parse(event.data));
      });
    }
  };
  open();
  setInterval(() => {
    const silent = performance.now() - heard;
    if (silent < SILENT_MS) return;
    lost = true;
    line(Math.round(silent / 1000));
    // A browser gives up on a stream for good after some errors; asking again costs nothing.
    if (source.readyState === EventSource.CLOSED) open();
  }, 1000);
}

/** Shows or hides the notice at the top of the page. */
export function notice(element) {
  return (seconds) => {
    element.hidden = seconds === 0;
    if (seconds > 0) element.textContent = `No connection to the table for ${seconds} s. What you see may be old.`;
  };
}

/** Fetches JSON; throws with the table's own words. */
export async function ask(path, body) {
  const init = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Error("the table cannot be reached");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const error = new Error(said.error ?? `${answer.status}`);
    error.status = answer.status;
    throw error;
  }
  return said;
}
