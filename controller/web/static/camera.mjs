// Setting the camera up anew, on the phone: two pictures at a tap, each judged by the eyes, with what was found drawn over it.
// Must not know how anything is found.

import { button, fill, make } from "./dom.mjs";
import { language, t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { openSheet } from "./sheet.mjs";

const FIX = " Fix: "; // so the table parts what is wrong from how it is put right
const STEPS = { empty: 1, opening: 2 };
const SIDES = ["bottom", "left", "top", "right"];

let following = null;

/** The table has told something anew: an open sheet is told. */
export const followCamera = () => following?.();

/** Opens it: begins, or goes on where it stands. `back` is called when it is closed. */
export async function openCamera({ state, ways }, back) {
  const since = state().set_up?.in_force_ns ?? 0; // another calibration than this one came while the sheet was open
  const act = async (body) => {
    try {
      return await ask("/camera", body);
    } catch (error) {
      return ways.tell(error.message, { bad: true });
    }
  };
  const box = make("div.stack.camera");
  const sheet = openSheet(t("camera-anew"), box);
  const leave = async () => {
    if (await act({ do: "cancel" })) sheet.close();
  };
  const show = () => fill(box, ...parts(state(), since, { act, leave, ways, close: () => sheet.close() }));
  following = show;
  show();
  await sheet.closed;
  following = null;
  back?.();
}

function parts({ set_up: now, score }, since, on) {
  if (!now) return [make("p", { role: "status" }, t("camera-no-eyes"))];
  if (now.step === "off") return now.in_force_ns > since ? done(now, on) : first(now, score, on);
  const busy = Boolean(now.busy);
  const take = button(t(busy ? (now.busy === "judging" ? "camera-judging" : "camera-still") : `camera-${now.step}-take`),
    () => on.act({ do: "take", step: now.step }), ".first");
  take.disabled = busy;
  const turn = button(t("camera-turn"), () => on.act({ do: "turn" }));
  turn.disabled = busy;
  const turns = now.step === "opening" ? [make("p", {}, t(`camera-south-${SIDES.includes(now.south) ? now.south : "bottom"}`)), make("div.buttons", {}, turn)] : [];
  return [
    make("h3", {}, t("camera-step", { step: STEPS[now.step], title: t(`camera-${now.step}`) })),
    make("p", {}, t(`camera-${now.step}-how`)), ...said(now), make("div.buttons", {}, take), ...shown(now), ...turns,
    make("div.buttons", {}, button(t("camera-again"), () => on.act({ do: "begin" })), button(t("camera-leave"), on.leave)),
  ];
}

/** Before it is begun; a board in play is stopped first, by the umpire's own word. */
function first(now, score, on) {
  const playing = score.state === "playing";
  const begin = async () => {
    if (playing) await on.ways.act({ event: "pause" });
    await on.act({ do: "begin" });
  };
  return [
    make("p", {}, t("camera-why")), playing ? make("p", {}, t("camera-in-play")) : null, ...said(now),
    make("div.buttons", {}, button(t(playing ? "camera-stop-begin" : "camera-begin"), begin, ".first")),
    ...undo(now, on), make("p.soft", {}, t("camera-grade", { grade: now.grade })),
  ];
}

function done(now, on) {
  return [
    make("p.laid", { role: "status" }, t("camera-done", { grade: now.grade })), ...shown(now),
    now.notes.length ? make("details", {}, make("summary", {}, t("camera-notes")), make("ul", {}, ...now.notes.map((one) => make("li", english(), one)))) : null,
    make("div.buttons", {}, button(t("camera-close"), on.close, ".first")), ...undo(now, on),
  ];
}

const undo = (now, on) => (now.kept ? [make("div.buttons", {}, button(t("camera-undo"), () => on.act({ do: "undo" })))] : []);

const english = () => ({ lang: language === "en" ? null : "en" });

/** What was refused, in one line, and below how to fix it. */
function said({ says, refused }) {
  if (!says) return [];
  const [what, ...how] = says.split(FIX);
  return [make(`p${refused ? ".said.bad" : ".said"}`, { role: "alert", ...english() }, make("b", {}, what), ...how.flatMap((one) => [make("br"), one]))];
}

const shown = ({ picture }) => (picture ? [make("img", { src: `/camera/${picture}.jpg`, alt: t("camera-picture") })] : []);
