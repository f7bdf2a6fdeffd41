// A second look at a stroke: its pictures one by one with the time of each, the lines with what was measured, the beams on
// the same axis of time. What is asked about is shown first, and near.

import { button, draw, fill, make } from "./dom.mjs";
import { clearances, near, path } from "./evidence.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";

const STEP_MS = 1000 / 15; // as the table runs its own clips
const ROW = 10;
const OF_LINES = ["lines", "foul"];

/** Fills `place` with the look at stroke `seq`; with `otherwise()` where the table has no pictures of it. `about`: of a
 * challenge. */
export async function showLook(place, seq, about, otherwise) {
  let look;
  try {
    look = await ask(`/look/${seq}`);
  } catch {
    return fill(place, otherwise());
  }
  place.replaceChildren(...looking(look, about));
}

function looking(look, about) {
  const { pictures, view, drawing } = look;
  const whole = view?.crop ?? drawing?.crop;
  const close = whole && nearTo(look, about);
  const image = draw("image", view || drawing ? { width: (view ?? drawing).size[0], height: (view ?? drawing).size[1] } : { width: 100, height: 100 });
  const lines = (drawing?.lines ?? []).map((line) => draw("path.line", { d: path(line) }));
  const disc = drawing ? [draw("path.disc", { d: path(drawing.striker) })] : [];
  const shown = draw("svg.evidence", { viewBox: (close ?? whole ?? [0, 0, 100, 100]).join(" "), role: "img", "aria-label": t("picture-in-question") }, image, ...lines, ...disc);
  const wanted = make("input", { type: "range", min: 0, max: pictures.length - 1, value: firstWanted(look, about), "aria-label": t("frame-by-frame") });
  const at = make("output", {});
  const strip = beams(look);
  let running = 0;

  const show = () => {
    const [number, seconds] = pictures[wanted.value];
    shown.classList.remove("left-out");
    image.setAttribute("href", `/picture/${number}`);
    // Where it was placed says nothing once it has been struck.
    for (const path of disc) path.style.display = since(look, seconds) > 0 ? "none" : "";
    at.textContent = [t("frame-of", { at: Number(wanted.value) + 1, count: pictures.length }), when(look, seconds)].filter(Boolean).join(" · ");
    strip?.at(seconds);
  };
  const stop = () => { clearInterval(running); running = 0; run.textContent = t("look-run"); };
  const run = button(t("look-run"), () => {
    if (running) return stop();
    run.textContent = t("look-stop");
    running = setInterval(() => {
      if (!shown.isConnected) return stop();
      wanted.value = Number(wanted.value) === pictures.length - 1 ? 0 : Number(wanted.value) + 1;
      show();
    }, STEP_MS);
  }, ".small");
  const zoom = close && button(t("look-whole"), () => {
    const isClose = shown.getAttribute("viewBox") === close.join(" ");
    shown.setAttribute("viewBox", (isClose ? whole : close).join(" "));
    zoom.textContent = t(isClose ? "look-near" : "look-whole");
  }, ".small");
  image.addEventListener("error", () => shown.classList.add("left-out")); // no other moment stands in its place
  wanted.addEventListener("input", () => { if (running) stop(); show(); });
  strip?.element.addEventListener("click", (event) => {
    const { left, width } = strip.element.getBoundingClientRect();
    wanted.value = nearest(pictures, strip.first + (strip.last - strip.first) * (event.clientX - left) / width);
    stop();
    show();
  });
  show();
  return [make("figure.look", {}, make("div.frame", {}, shown), strip && make("div.beam-rows", {}, ...strip.names, strip.element),
    make("label.field", {}, wanted), make("div.look-row", {}, run, zoom || null, at),
    ...measured(look))];
}

/** Seconds after the first motion; of a picture whose time an earlier version did not keep none are known. */
const since = ({ began }, seconds) => (seconds == null || began == null ? null : seconds - began);

function when(look, seconds) {
  const after = since(look, seconds);
  return after == null ? "" : t(after <= 0 ? "look-before" : "look-after", { seconds: Math.abs(after).toFixed(2) });
}

function nearest(pictures, seconds) {
  let found = 0;
  for (const [index, [, t]] of pictures.entries()) if (Math.abs(t - seconds) < Math.abs(pictures[found][1] - seconds)) found = index;
  return found;
}

/** The picture that shows what is asked about: where the striker lay, or what fell first; else the first motion. */
function firstWanted(look, about) {
  const { pictures, began, before, passages } = look;
  if (OF_LINES.includes(about)) return Math.max(0, pictures.findIndex(([number]) => number === before));
  const fell = about === "count" ? passages?.[0]?.t : null;
  return pictures[0][1] == null || (fell ?? began) == null ? 0 : nearest(pictures, fell ?? began);
}

/** The part of the picture that is asked about: where the striker lay, or the pocket in which something fell first. */
function nearTo({ view, drawing, passages }, about) {
  const around = OF_LINES.includes(about) ? drawing?.striker : about === "count" ? view?.pockets?.[passages?.[0]?.pocket] : null;
  return around ? near(around) : null;
}

/** Each beam that was broken, from when to when, with a mark at the picture that is shown; null where the time is not known. */
function beams({ pictures, beams: spans, began }) {
  const [first, last] = [pictures[0][1], pictures[pictures.length - 1][1]];
  if (first == null || last <= first || !spans.length) return null;
  const rows = [...new Set(spans.map(({ pocket, beam }) => `${pocket} ${beam}`))].sort();
  const x = (seconds) => 1000 * (seconds - first) / (last - first);
  const mark = draw("line.at", { y1: 0, y2: rows.length * ROW });
  const element = draw("svg.beams", { viewBox: `0 0 1000 ${rows.length * ROW}`, preserveAspectRatio: "none", role: "img", "aria-label": t("look-beams") },
    began == null ? null : draw("line.began", { x1: x(began), x2: x(began), y1: 0, y2: rows.length * ROW }),
    ...spans.map(({ pocket, beam, since, until }) => draw(`rect.${beam}`, {
      x: x(since), width: Math.max(8, x(until ?? last) - x(since)), y: rows.indexOf(`${pocket} ${beam}`) * ROW + 2, height: ROW - 4,
    })), mark);
  const named = rows.map((row) => row.split(" ")).map(([pocket, beam]) => `${pocket} · ${t(`beam-${beam}`)}`);
  return { element, first, last, names: [make("ul.beam-names", {}, ...named.map((name) => make("li", {}, name)))],
    at: (seconds) => { mark.setAttribute("x1", x(seconds)); mark.setAttribute("x2", x(seconds)); } };
}

/** Each limit with how far off it the striker lay and how exactly that is known; and what of the pictures is missing. */
function measured({ clearances: found, every, lost_frames: lost }) {
  const lines = clearances(found);
  const missing = [every > 1 ? t("look-every", { count: every }) : null, lost ? t("look-lost", { count: lost }) : null].filter(Boolean);
  return [lines.length ? make("ul.felt.soft", {}, ...lines) : null, ...missing.map((one) => make("p.soft", {}, one))].filter(Boolean);
}
