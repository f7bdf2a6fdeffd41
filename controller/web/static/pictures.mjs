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

/** The clip of the latest stroke, to be opened; null where `seq` is another stroke or there is none. */
export function strokeClip({ felt }, seq) {
  if (felt?.seq !== seq || !felt.clip) return null;
  const place = make("div.evidence-frame");
  const box = make("details.clip", {}, make("summary", {}, t("play-stroke")), place);
  const gone = () => fill(place, make("p.soft", {}, t("pictures-gone")));
  box.addEventListener("toggle", () => fill(place, box.open ? make("img", { src: `/clip/${felt.clip.join("-")}`, alt: t("picture-in-question"), onerror: gone }) : null));
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
