// Says aloud what is news of a table, in a voice that this device has itself, once that is switched on here. Must not know
// what is said.

import { language, t } from "./i18n.mjs";
import { following, stands } from "./spoken.mjs";

const KEPT = "carrom-voice";
const TRIAL = { text: t("voice") }; // said when it is switched on: it is heard, and a phone lets the page speak from then on
const speech = window.speechSynthesis;

function kept() {
  try {
    return localStorage.getItem(KEPT) === "on";
  } catch {
    return false;
  }
}

function keep(on) {
  try {
    localStorage.setItem(KEPT, on ? "on" : "off");
  } catch {
    // It is silent again next time.
  }
}

/** One that speaks the page's language and needs no network for it: others send away what they say. */
const ownVoice = () => speech?.getVoices().find(({ lang, localService }) => localService && lang.split(/[-_]/)[0] === language);

/** Speaks from here on, where it is switched on. `toggle`: the switch. Returns { hear(state), missed() }. */
export function speaking(toggle) {
  const follows = following();
  let on = kept();
  let waits = [];
  let now = null; // what is being said, and by what: a browser may forget what nobody holds

  function tell() {
    const none = !ownVoice();
    toggle.textContent = t(none ? "voice-none" : "voice");
    toggle.disabled = none;
    toggle.setAttribute("aria-pressed", String(on && !none));
  }

  function next() {
    const voice = ownVoice();
    if (now || !waits.length || !voice) return;
    const one = waits.shift();
    const by = new SpeechSynthesisUtterance(one.text);
    now = { one, by };
    by.voice = voice;
    by.lang = voice.lang;
    by.onend = by.onerror = () => {
      now = null;
      next();
    };
    speech.speak(by);
  }

  function silence() {
    waits = [];
    if (now) speech.cancel();
  }

  function hear(state) {
    const news = follows.hear(state);
    const holds = (one) => one === TRIAL || stands(one, state);
    waits = waits.filter(holds);
    if (now && !holds(now.one)) speech.cancel();
    if (on) waits.push(...news);
    next();
  }

  function missed() {
    follows.missed();
    silence();
  }

  toggle.addEventListener("click", () => {
    on = !on;
    keep(on);
    tell();
    if (!on) return silence();
    waits.push(TRIAL);
    next();
  });
  speech?.addEventListener("voiceschanged", tell);
  addEventListener("pagehide", silence);
  tell();
  return { hear, missed };
}
