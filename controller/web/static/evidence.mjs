// What shows a question: the still, near what is judged and with the lines it is judged by, or the clip in its place. The
// frame is the same for both, so that nothing beside it moves. Must not know what is asked.

import { button, draw, fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";
import { factInWords } from "./sentence.mjs";

const NEAR = 2.5; // so many times a pocket, or the striker, is what is shown of the picture around it
const playing = new Set(); // questions whose clip runs instead of the still picture
const large = new Set(); // questions whose picture lies over their card

/** Returns [frame, line of controls] for a question; empty where it has no picture. `again()` shows the card anew. */
export function evidence(question, again) {
  const { ask: id, picture: still, clip, pocket, evidence: known } = question;
  const moving = clip && playing.has(id);
  const src = moving ? `/clip/${clip[0]}-${clip[1]}` : still != null ? `/picture/${still}` : null;
  if (!src) return [];
  const turn = (set) => () => {
    if (!set.delete(id)) set.add(id);
    again();
  };
  const view = known?.view ?? known?.drawing;
  const limits = limitsOf(question);
  const drawing = limits.length ? known.drawing : null;
  const around = limits.some(({ in_order: right }) => right !== "yes") ? drawing?.striker : known?.view?.pockets?.[pocket];
  const gone = () => fill(frame, make("span", {}, t("pictures-gone")));
  const image = () => make("img", { src, alt: t("picture-in-question"), onerror: gone });
  const shown = !view ? image() : moving ? cropped(image(), view) : framed(src, view.size, around && !large.has(id) ? near(around) : view.crop, drawing, gone);
  const frame = make(`button.evidence-frame${large.has(id) ? ".large" : ""}`, { type: "button", "aria-pressed": String(large.has(id)), onclick: turn(large) }, shown);
  const watch = clip && button(moving ? `■ ${t("still-picture")}` : `▶ ${t("play-stroke")}`, turn(playing), ".small.toggle");
  const lines = moving ? null : measured(limits);
  return [frame, watch || lines ? make("div.shown-row", {}, watch, lines) : null];
}

/** The limits that were measured, where they are what is asked about: of a foul, and of a fact among them. */
function limitsOf({ clause, key, evidence: known }) {
  const found = known?.clearances ?? [];
  return clause || found.some(({ fact }) => fact === key) ? found : [];
}

export const path = (points) => `M${points.map((point) => point.join(" ")).join("L")}`;

/** The part of a picture around some points, as a view box. */
export function near(around) {
  const [xs, ys] = [around.map(([x]) => x), around.map(([, y]) => y)];
  const middle = [xs, ys].map((all) => (Math.min(...all) + Math.max(...all)) / 2);
  const half = NEAR * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) / 2;
  return [middle[0] - half, middle[1] - half, 2 * half, 2 * half].map((one) => Math.round(one));
}

/** A part of a picture of `size`, with the lines and the striker's disc of its `drawing`. */
function framed(src, [width, height], crop, drawing, onerror) {
  return draw("svg.evidence", { viewBox: crop.join(" "), role: "img", "aria-label": t("picture-in-question") },
    draw("image", { href: src, width, height, onerror }),
    ...(drawing?.lines ?? []).map((line) => draw("path.line", { d: path(line) })),
    drawing ? draw("path.disc", { d: path(drawing.striker) }) : null);
}

/** A moving picture, of which only the board's part is seen. */
function cropped(image, { size: [width, height], crop: [x, y, across, high] }) {
  const box = make("div.crop", {}, image);
  box.style.setProperty("--across", across);
  box.style.setProperty("--high", high);
  Object.assign(image.style, { width: `${(100 * width) / across}%`, height: `${(100 * height) / high}%`, left: `${(-100 * x) / across}%`, top: `${(-100 * y) / high}%` });
  return box;
}

const worstFirst = (found) => [...found].sort((one, other) => one.margin_mm - other.margin_mm);

/** Each limit with how far off it the striker lay and how exactly that is known: what is farthest beyond its limit first. */
export function clearances(found) {
  let ofLines = 0;
  const named = (found ?? []).map((one) => ({ ...one, what: one.fact === "placement.lines" ? t(`look-line-${ofLines++ ? "inner" : "outer"}`) : factInWords(one.fact) }));
  return worstFirst(named).map(({ what, margin_mm: margin, u95_mm: within, in_order: right }) =>
    make("li", { "data-right": right }, t("look-measured", { what, margin: Math.abs(margin).toFixed(1), within: within.toFixed(1), right: right.replace(" ", "-") })));
}

/** What was measured, in one line that opens over the picture: how it was with the limit that comes off worst. */
function measured(found) {
  if (!found.length) return null;
  const { margin_mm: margin, in_order: right } = worstFirst(found)[0];
  return make("details.measured", {}, make("summary", {}, t("measured", { margin: Math.abs(margin).toFixed(1), right: right.replace(" ", "-") })),
    make("ul", {}, ...clearances(found)));
}

/** The clip of the latest stroke, to be opened; null where `seq` is another stroke or there is none. It runs until a thumb
 * or a key takes it picture by picture; a tap on it magnifies that spot. */
export function strokeClip({ felt }, seq) {
  if (felt?.seq !== seq || !felt.clip) return null;
  const [first, last] = felt.clip;
  const place = make("div.clip-place");
  const box = make("details.clip", {}, make("summary", {}, t("play-stroke")), place);
  const at = make("output.soft", {});
  const shown = make("img", { alt: t("picture-in-question") });
  const wanted = make("input", { type: "range", min: first, max: last, value: first, "aria-label": t("frame-by-frame") });
  const gone = () => fill(place, make("p.soft", {}, t("pictures-gone")));
  // A picture that the table has left out shows no other moment in its place.
  shown.addEventListener("error", () => (shown.dataset.of ? shown.classList.add("left-out") : gone()));
  shown.addEventListener("load", () => shown.classList.remove("left-out"));
  shown.addEventListener("click", ({ offsetX, offsetY }) => {
    shown.style.transformOrigin = `${(100 * offsetX) / shown.clientWidth}% ${(100 * offsetY) / shown.clientHeight}%`;
    shown.classList.toggle("magnified");
  });
  wanted.addEventListener("input", () => {
    shown.dataset.of = wanted.value;
    shown.src = `/picture/${wanted.value}`;
    at.textContent = t("frame-of", { at: wanted.value - first + 1, count: last - first + 1 });
  });
  box.addEventListener("toggle", () => {
    fill(place, ...(box.open ? [make("div.frame", {}, shown), make("label.field", {}, t("frame-by-frame"), wanted, at)] : []));
    delete shown.dataset.of;
    if (box.open) shown.src = `/clip/${first}-${last}`;
    else shown.removeAttribute("src"); // the stream of pictures ends with it
  });
  return box;
}
