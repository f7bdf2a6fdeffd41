// Text that keeps its height and gives in width: set narrower as far as the font goes, squeezed a little, then shortened.

const NARROWEST = 62.5; // % of the normal width: the font's narrowest
const SQUEEZED = 0.8; // narrower than its narrowest cut by so much at most: strokes stay clear of each other

/** Fits every `.fit` below an element into the element that holds it. Call it whenever text, room or font has changed.
 *  `data-brief`: what stands in its place where the whole does not fit. */
export function fitAll(root) {
  for (const line of root.querySelectorAll(".fit")) fit(line);
}

function fit(line) {
  line.dataset.whole ??= line.textContent;
  if (line.textContent !== line.dataset.whole) line.textContent = line.dataset.whole;
  line.style.fontStretch = line.style.transform = "";
  const room = line.parentElement.clientWidth;
  const wide = line.offsetWidth;
  if (!room || wide <= room) return;
  const normal = parseFloat(getComputedStyle(line).fontStretch);
  line.style.fontStretch = `${NARROWEST}%`;
  const narrow = line.offsetWidth;
  if (narrow <= room) {
    const share = (room - narrow) / (wide - narrow);
    line.style.fontStretch = `${Math.max(NARROWEST, NARROWEST + share * (normal - NARROWEST) - 1)}%`;
  } else {
    if (room < SQUEEZED * narrow && !line.childElementCount) shorten(line, line.dataset.brief ?? line.dataset.whole, room / SQUEEZED);
    line.style.transform = `scaleX(${Math.min(1, room / line.offsetWidth)})`;
  }
}

/** Writes a text, as many of its whole letters as fit into `room`, in pixels. */
function shorten(line, text, room) {
  line.textContent = text;
  if (line.offsetWidth <= room) return;
  const letters = lettersOf(text);
  const leave = (count) => { line.textContent = `${letters.slice(0, count).join("").trimEnd()}…`; };
  let [fits, most] = [1, letters.length];
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    leave(middle);
    if (line.offsetWidth <= room) fits = middle;
    else most = middle - 1;
  }
  leave(fits);
}

/** The letters of a text as a reader counts them: "சு" is one, and what a joiner joins. */
export function lettersOf(text) {
  const letters = [];
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) {
    if (letters.at(-1)?.endsWith("\u200d")) letters.push(letters.pop() + segment);
    else letters.push(segment);
  }
  return letters;
}

/** Whether some of it reaches higher or lower than a line of Latin letters: it needs lines farther apart. */
export const tall = (text) => /[\u0600-\u08ff\u0900-\u0dff\u0e00-\u1cff\u1ea0-\u1eff\ua8e0-\ua8ff\ufb50-\ufdff\ufe70-\ufefc]/.test(text);
