// Whether the table watches: the strip that every page has. Watching, partly, by hand, stopped, or no line to it at all.

import { fill, make } from "./dom.mjs";
import { clockTime, t, words } from "./i18n.mjs";

const LEAST_DISK_BYTES = 200 * 2 ** 20; // as the table itself counts it
const WELL = { camera: ["ok", "none"], node: ["up", "none"], broker: ["ok", "none"] };

const SETTING_UP_S = 60; // so long after its start a table may take until its camera sees: it is awaited, not missing

/** Whether the camera is being set up, or the table has just begun and its camera has yet to see the board for the first time. */
export const settingUp = ({ health }) => health?.camera === "setup" || health?.camera === "away" && health.seen == null && health.began != null && health.t - health.began < SETTING_UP_S;

/** The alerts that are to be shown: what is only awaited is no fault. */
export const standing = (state) => (settingUp(state) ? state.alerts.filter(({ id }) => !["camera", "node"].includes(id)) : state.alerts);

/** What is wrong, the worst first, each in a few words. `health`, `alerts`: of the table's state. */
export function troubles({ health, alerts }) {
  const found = [];
  for (const part of ["camera", "node", "broker"]) {
    const says = health?.[part];
    if (says && !WELL[part].includes(says)) found.push(words(`trouble-${part}-${says}`) ?? `${part}: ${says}`);
  }
  if (health?.beams?.startsWith("blind")) found.push(t("trouble-beams", { pockets: health.beams.replace(/^blind: /, "") }));
  if (health?.journal && health.journal !== "ok") found.push(t("trouble-journal"));
  if (health?.disk != null && health.disk < LEAST_DISK_BYTES) found.push(t("trouble-disk"));
  if ((alerts ?? []).some(({ id }) => id?.startsWith("part-"))) found.push(t("trouble-part"));
  return found;
}

/** How well the table watches: `{level, blind, seen, why, simulated}`. `level`: armed, degraded, off, hand, starting, stopped or lost. */
export function watching(state, lostSince) {
  return { simulated: Boolean(state.health?.simulated), ...howWell(state, lostSince) };
}

function howWell(state, lostSince) {
  if (lostSince) return { level: "lost", blind: true, seen: lostSince, why: [t("lost-since", { time: clockTime(lostSince) })] };
  const { score, health } = state;
  if (health?.camera === "setup" || (settingUp(state) && score.armed === "off")) return { level: "starting", blind: true, seen: health?.seen ?? null, why: [t("setting-up-camera")] };
  const stopped = ["paused", "trial"].includes(score.state);
  const byHand = score.armed === "off" && health?.camera === "none" && health?.node === "none"; // has no sensors: nothing is amiss
  return {
    level: stopped ? "stopped" : byHand ? "hand" : score.armed,
    // A table without a camera has no board to show; one whose camera is away shows an old one.
    blind: Boolean(health) && !WELL.camera.includes(health.camera),
    seen: health?.seen ?? null,
    why: troubles(state),
  };
}

const SIGNS = { armed: "●", degraded: "◐", off: "○", hand: "○", stopped: "■", lost: "✕", starting: "◌" };

/** The mark of a table whose board, camera and players are simulated; null for a real one. */
export const simulatedMark = (simulated) => (simulated ? make("span.simulated", {}, t("simulated")) : null);

/** Shows it in words and sign. */
export function showWatching(element, now) {
  element.dataset.level = now.level;
  fill(element, simulatedMark(now.simulated), make("b", {}, make("i", { "aria-hidden": "true" }, SIGNS[now.level]), t(`watch-${now.level === "hand" ? "off" : now.level}`)),
    now.why.length ? make("span.why", {}, now.why.join(" · ")) : null);
}

/** Greys a board that nobody sees, and says when it was seen last. */
export function showBlind(frame, now) {
  frame.classList.toggle("blind", now.blind);
  let note = frame.querySelector(".seen");
  if (!now.blind) return note?.remove();
  if (!note) frame.append(note = make("p.seen"));
  note.textContent = now.seen ? t("last-seen", { time: clockTime(now.seen) }) : t("never-seen");
}

/** The line at the top of a page that has no strip: shown while there is no line to the table or the hub. */
export const notice = (element) => (since) => {
  element.hidden = !since;
  element.textContent = since ? `${t("watch-lost")} · ${t("lost-since", { time: clockTime(since) })}` : "";
};
