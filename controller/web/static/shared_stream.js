// The line to the table that all windows of a browser share: it has only six to one address. Runs beside the windows; its
// name is the stream's path. What was received last is kept for a window that comes later.

const KINDS = ["state", "tiles", "board", "clock", "day", "reach", "beat"]; // as in live.mjs
const windows = new Set();
const latest = new Map();
let source = null;

const tell = (message) => { for (const port of windows) port.postMessage(message); };

function open() {
  source?.close();
  latest.clear();
  source = new EventSource(self.name);
  const mine = source;
  source.addEventListener("error", () => tell({ closed: mine.readyState === EventSource.CLOSED }));
  for (const kind of KINDS) {
    source.addEventListener(kind, ({ data }) => {
      if (!["beat", "day"].includes(kind)) latest.set(kind, data);
      tell({ kind, data });
    });
  }
}

self.addEventListener("connect", ({ ports: [port] }) => {
  windows.add(port);
  port.addEventListener("message", ({ data }) => {
    if (data !== "left") return open();
    windows.delete(port);
    if (windows.size) return;
    source?.close();
    source = null;
  });
  port.start();
  // The state that is kept is no more the newest once it was changed by difference.
  if (!source || latest.has("tiles")) return open();
  for (const [kind, data] of latest) port.postMessage({ kind, data });
});
