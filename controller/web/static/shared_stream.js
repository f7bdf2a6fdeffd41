// The line to the table that all windows of a browser share: it has only six to one address. Runs beside the windows; its
// name is the stream's path. What was received last is kept for a window that comes later.

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
  for (const kind of ["state", "board", "clock", "beat"]) {
    source.addEventListener(kind, ({ data }) => {
      if (kind !== "beat") latest.set(kind, data);
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
  if (!source) return open();
  for (const [kind, data] of latest) port.postMessage({ kind, data });
});
