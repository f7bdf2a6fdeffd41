// The words of the pages in the language of whoever looks: catalogues in Fluent's format, English where one is silent.

import { FluentBundle, FluentResource } from "./vendor/fluent/index.js";

/** An asterisk: no speaker has reviewed its words yet, and it has the scoreboard's and the rulings' alone. */
export const LANGUAGES = {
  en: "English", hi: "हिन्दी", mr: "मराठी *", ta: "தமிழ் *", si: "සිංහල *", fr: "Français *", de: "Deutsch *",
};
/** With the words of every page: a browser's own wish leads to these, the others are asked for by name. */
export const COMPLETE = ["en", "hi"];
const KEPT = "carrom-language";

/** The language asked for by `?lang=`, chosen on this device before, or wanted by its browser. */
function wanted() {
  const asked = new URLSearchParams(location.search).get("lang");
  const own = (navigator.languages ?? []).map((tag) => tag.split("-")[0]);
  return [asked, kept()].find((tag) => tag in LANGUAGES) ?? own.find((tag) => COMPLETE.includes(tag)) ?? "en";
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // a browser that keeps nothing still has a language
  }
}

export const language = wanted();
document.documentElement.lang = language;

/** The address of a catalogue, in the version of this module. */
function fileOf(name) {
  return new URL(`words/${name}`, import.meta.url);
}

async function catalogue(tag) {
  const bundle = new FluentBundle(tag, { useIsolating: false });
  const text = await fetch(fileOf(`${tag}.ftl`)).then((answer) => answer.text());
  bundle.addResource(new FluentResource(text));
  return bundle;
}

/** `SAYINGS`: what the table says in English, in the reader's language: by its own words, in which `{…}` stands for what
 * differs. Everything is asked for at once. */
const [SAYINGS, ...bundles] = await Promise.all([
  COMPLETE.includes(language) && language !== "en" ? sayings() : new Map(), ...[...new Set([language, "en"])].map(catalogue),
]);

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name that is written from right to left turns nothing around it: not the full stop, not the figure beside it. */
const isolated = (values) => values && Object.fromEntries(Object.entries(values).map(([key, value]) =>
  [key, typeof value === "string" && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value]));

/** The words of a message, null if no catalogue has it. What a message lacks stands in it as a gap: ids are made of what
 * a table says, and no word of anybody's may end the page. */
export function words(id, values) {
  for (const bundle of bundles) {
    const message = bundle.getMessage(id);
    if (message?.value) return bundle.formatPattern(message.value, isolated(values), []);
  }
  return null;
}

/** The words of a message that is surely there; its id where it is not, so that a gap is seen and not hidden. */
export const t = (id, values) => words(id, values) ?? id;

const PATTERNS = [...SAYINGS.keys()].filter((text) => text.includes("{")).sort((one, other) => fixed(other).length - fixed(one).length)
  .map((text) => [new RegExp(`^${text.split(/\{\w+\}/).map(RegExp.escape ?? escaped).join("(.+?)")}$`), text]);

async function sayings() {
  const files = await Promise.all(["table", "books"].map(async (of) => {
    try {
      return await (await fetch(fileOf(`${language}.${of}.json`))).json();
    } catch {
      return {}; // without it the page says these sentences in English
    }
  }));
  return new Map(files.flatMap(Object.entries));
}

function fixed(text) {
  return text.replaceAll(/\{\w+\}/g, "");
}

function escaped(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A sentence of the table or the book in the reader's language; the sentence itself where the page knows no other. */
export function tableSays(text) {
  if (!SAYINGS.size || !text) return text ?? "";
  const whole = SAYINGS.get(text);
  if (whole) return whole;
  for (const [pattern, key] of PATTERNS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const names = [...key.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const values = Object.fromEntries(names.map((name, index) => [name, words(`piece-${found[index + 1]}`) ?? words(`seat-${found[index + 1]}`) ?? tableSays(found[index + 1])]));
    return SAYINGS.get(key).replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);
  }
  return text;
}

/** Keeps a language for this device and shows the page in it. */
export function speak(tag) {
  try {
    localStorage.setItem(KEPT, tag);
  } catch {
    // Said in the address below all the same.
  }
  const address = new URL(location.href);
  address.searchParams.set("lang", tag);
  location.replace(address);
}

/** Fills every element that names its message: `data-t` its text, `data-t-label` its label. */
export function translate(root = document) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
}

/** A moment of another day: 3 Jan 2026, 20:41. `unix` in seconds. */
export const dayAndTime = (unix) => new Date(unix * 1000).toLocaleString(language, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** A moment as people say it: 20:41. `unix` in seconds. */
export const clockTime = (unix) => new Date(unix * 1000).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
