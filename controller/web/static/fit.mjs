// Text that keeps its height and gives in width: squeezed to what there is, and cut where that would be too narrow to read.

const NARROWEST = 0.5;

/** Fits every `.fit` below an element into the element that holds it. Call it whenever text or room has changed. */
export function fitAll(root) {
  for (const line of root.querySelectorAll(".fit")) fit(line);
}

function fit(line) {
  line.dataset.whole ??= line.textContent;
  if (line.textContent !== line.dataset.whole && !line.childElementCount) line.textContent = line.dataset.whole;
  line.style.transform = "";
  const room = line.parentElement.clientWidth;
  const needs = line.scrollWidth;
  if (!room || needs <= room) return;
  let ratio = room / needs;
  if (ratio < NARROWEST && !line.childElementCount) {
    const most = Math.max(1, Math.floor(line.dataset.whole.length * ratio / NARROWEST) - 1);
    line.textContent = `${line.dataset.whole.slice(0, most)}…`;
    ratio = Math.min(1, room / line.scrollWidth);
  }
  line.style.transform = `scaleX(${ratio})`;
}
