// The demo's own page: the table from inside, and buttons that break a part of the simulated table and fix it again.

import { button, fill } from "/static/dom.mjs";
import { ask } from "/static/live.mjs";
import { see } from "./see.mjs";

const at = (id) => document.getElementById(id);
const BREAKS = {
  camera: ["Unplug the camera", "Plug the camera in", "the camera is unplugged"],
  moved: ["Hang the camera elsewhere", "Hang it back", "the camera hangs elsewhere (the umpire sets it up anew: Table → Get the table ready)"],
  beam: ["Blind a pocket's beams", "Clear the beams", "a pocket's beams are blind"],
  lamp: ["Flicker the lamp", "Calm the lamp", "the lamp flickers"],
  colour: ["Swap a piece's colour", "Give it its colour back", "a piece has another colour"],
};

async function act(what, broken) {
  try {
    show(await ask("/break", { what, broken }));
  } catch (error) {
    at("said").textContent = error.message;
  }
}

function show({ broken, table, pin }) {
  at("table").href = table;
  at("console").href = `${table}/umpire`;
  at("pin").textContent = pin;
  at("said").textContent = broken.length ? `Broken now: ${broken.map((what) => BREAKS[what][2]).join("; ")}.` : "Everything works.";
  fill(at("buttons"), ...Object.entries(BREAKS).map(([what, [breaks, fixes]]) => {
    const now = broken.includes(what);
    const one = button(now ? fixes : breaks, () => act(what, !now), now ? ".danger" : "");
    one.dataset.what = what;
    one.setAttribute("aria-pressed", String(now));
    return one;
  }), button("Cut the power", () => act("power", true)));
}

show(await ask("/broken"));
await see(at);
