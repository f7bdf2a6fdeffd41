// Chimes while a table's question waits: at once when it comes, and every minute until none waits. Knows no table's
// insides but which of its questions are open.

const KEPT = "carrom-chime";
const AGAIN_MS = 60_000;
const TONES = [[880, 0], [660, 0.22]]; // Hz, after so many seconds
const LASTS_S = 0.5;
const LOUD = 0.4;
const Sound = window.AudioContext;

function kept() {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
}

function keep(on) {
  try {
    localStorage.setItem(KEPT, on ? "on" : "off");
  } catch {
    // It chimes again next time.
  }
}

/** How many questions a table asks, and when the latest of them was asked; 0 where that is told to referees alone. */
function asked({ lamp, asks, waiting }) {
  const open = lamp === "ask" ? waiting.filter(({ level }) => level === "ask") : [];
  return { count: lamp === "ask" ? Math.max(asks, open.length) : 0, latest: Math.max(0, ...open.map(({ t }) => t)) };
}

/** Chimes from here on. `toggle`: the switch; `silent`: the line that is shown where the browser keeps the page silent.
 * Returns `heard(tiles)`. */
export function chiming(toggle, silent) {
  const sound = Sound ? new Sound() : null;
  let on = kept();
  let known = new Map();
  let again = null; // the timer, while a question waits
  let due = false; // a chime that the browser held back

  const blocked = () => !sound || sound.state !== "running";

  function tell() {
    toggle.setAttribute("aria-pressed", String(on));
    silent.hidden = !on || !blocked();
  }

  function chime() {
    if (!on) return;
    due = blocked();
    if (due) return;
    for (const [pitch, after] of TONES) {
      const [tone, volume, from] = [sound.createOscillator(), sound.createGain(), sound.currentTime + after];
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(LOUD, from);
      volume.gain.exponentialRampToValueAtTime(0.001, from + LASTS_S);
      tone.connect(volume).connect(sound.destination);
      tone.start(from);
      tone.stop(from + LASTS_S);
    }
  }

  function begin() {
    clearInterval(again);
    again = setInterval(chime, AGAIN_MS);
    chime();
  }

  function end() {
    clearInterval(again);
    again = null;
    due = false;
  }

  function heard(tiles) {
    const before = known;
    let [fresh, waits] = [false, false];
    known = new Map(tiles.map((tile) => {
      const old = before.get(tile.table) ?? { count: 0, latest: 0 };
      const { count, latest } = asked(tile);
      waits ||= count > 0;
      fresh ||= count > old.count || (old.latest > 0 && latest > old.latest);
      return [tile.table, { count, latest: Math.max(old.latest, latest) }];
    }));
    if (fresh) begin();
    else if (!waits) end();
  }

  toggle.addEventListener("click", () => {
    on = !on;
    keep(on);
    tell();
    if (on) chime(); // it is heard what it sounds like
    else due = false;
  });
  // A browser lets a page sound once it was touched.
  for (const touch of ["pointerup", "keyup", "click"]) addEventListener(touch, () => blocked() && sound?.resume().catch(() => {}));
  sound?.addEventListener("statechange", () => {
    tell();
    if (due && !blocked()) chime();
  });
  tell();
  return heard;
}
