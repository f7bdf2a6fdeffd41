// The pictures of a question: the still with the lines it is judged by, or the clip in its place.

import { button, draw, fill, make } from "./dom.mjs";
import { t } from "./i18n.mjs";

const playing = new Set(); // questions whose clip runs instead of the still picture

/** What to show of a question's pictures; `again()` shows the card anew. */
export function pictures({ ask: id, picture: still, clip, evidence }, again) {
  const moving = clip && playing.has(id);
  const src = moving ? `/clip/${clip[0]}-${clip[1]}` : still != null ? `/picture/${still}` : null;
  const toggle = clip && button(t(moving ? "still-picture" : "play-stroke"), () => {
    if (!playing.delete(id)) playing.add(id);
    again();
  }, ".small.toggle");
  const drawing = !moving && src ? evidence?.drawing : null;
  const shown = drawing ? drawnOver(src, drawing) : src && make("img", { src, alt: t("picture-in-question") });
  // Where a low screen shows it small, so that the answers are in sight, a tap enlarges it.
  shown?.addEventListener("click", () => shown.classList.toggle("large"));
  return src ? [make("div.evidence-frame", {}, shown, toggle), drawing && make("p.soft", {}, drawing.says.join("; "))] : [];
}

/** The clip of the latest stroke, to be opened; null where `seq` is another stroke or there is none. It runs until a thumb
 * or a key takes it picture by picture; a tap on it magnifies that spot. */
export function strokeClip({ felt }, seq) {
  if (felt?.seq !== seq || !felt.clip) return null;
  const [first, last] = felt.clip;
  const place = make("div.evidence-frame");
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

/** The board's part of a picture, with the lines and the striker's disc that its placement is judged by. */
function drawnOver(src, { size, crop, lines, striker }) {
  const path = (points) => `M${points.map((point) => point.join(" ")).join("L")}`;
  return draw("svg.evidence", { viewBox: crop.join(" "), role: "img", "aria-label": t("picture-in-question") },
    draw("image", { href: src, width: size[0], height: size[1] }),
    ...lines.map((line) => draw("path.line", { d: path(line) })),
    draw("path.disc", { d: path(striker) }));
}
