// From a stand on the table to one that may umpire, on the phone: what is tried, each ticked as it is seen or felt, and a name
// under it. Must not know how anything is seen or felt.

import { openCamera } from "./camera.mjs";
import { button, fill, make } from "./dom.mjs";
import { clockTime, t, words } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { nameOf } from "./names.mjs";
import { openSheet } from "./sheet.mjs";

let following = null;

/** The table has told something anew: an open sheet is told. */
export const followArming = () => following?.();

/** What opens it, with who signed for the table last. */
export function armingLine(tools) {
  const { arming, set_up: setUp } = tools.state();
  const under = setUp && setUp.step !== "off";
  return [button(t("arm"), () => openArming(tools)), under ? button(t("camera-go-on"), () => openCamera(tools)) : null, make("p.soft", {}, arming?.signed
    ? t("arm-signed", { name: arming.by, time: clockTime(arming.signed) }) : t("arm-not-signed"))];
}

/** Opens it; begins anew where it was signed or never begun. */
async function openArming(tools) {
  const { state, ways } = tools;
  const act = async (body) => {
    try {
      return await ask("/arming", body);
    } catch (error) {
      return ways.tell(error.message, { bad: true });
    }
  };
  const now = state().arming;
  // Coins that are dropped into pockets are no strokes: play stands still meanwhile.
  if (state().score.state === "playing") await ways.act({ event: "pause" });
  if ((!now || now.signed) && !await act({ do: "begin" })) return;
  const list = make("ol.arming");
  const name = make("input", { type: "text", maxlength: 60, autocomplete: "name", "aria-label": t("arm-name"), placeholder: t("arm-name") });
  const sign = button(t("arm-sign"), async () => {
    if (await act({ do: "sign", name: name.value.trim() })) sheet.close();
  }, ".first");
  const left = make("p.soft", { role: "status" });
  const show = () => {
    const { steps = [], missing = [] } = state().arming ?? {};
    const next = steps.findIndex(({ ok }) => !ok);
    fill(list, ...steps.map((one, index) => line(one, index === next, state())));
    camera.hidden = !state().set_up && state().health?.camera === "none";
    fill(left, missing.length ? t("arm-missing", { count: missing.length }) : t("arm-all"));
  };
  const camera = make("div.buttons", {}, button(t("camera-anew"), () => openCamera(tools, () => openArming(tools))));
  const sheet = openSheet(t("arm"), list, camera, left, make("label.field", {}, t("arm-name"), name), make("div.buttons", {}, sign));
  following = show;
  show();
  await sheet.closed;
  following = null;
}

function line({ what, which, ok, says }, next, { score }) {
  const of = what === "striker" ? nameOf(which, score) : which;
  return make(`li${ok ? ".laid" : next ? ".next" : ""}`, { "data-step": `${what}${which ? `-${which}` : ""}`, "aria-current": next ? "step" : null },
    make("i", { "aria-hidden": "true" }, ok ? "✓" : "○"), make("span", {}, make("b", {}, t(`arm-${what}`, { which: of })), ok ? make("span.unseen", {}, t("arm-done")) : null,
      !ok && (next || says) ? make("span.soft", {}, [next ? words(`arm-${what}-how`, { which: of }) : null, says].filter(Boolean).join(" · ")) : null));
}
