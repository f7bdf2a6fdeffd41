// Building elements without a framework. Text is always text: nothing from the table is read as HTML.

import { grey, tapped } from "./once.mjs";

/** A length of time that the style sheet has, in ms: `--stays`, for example. */
export const lasts = (name) => parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name));

/** A name, a seat's word or a clause: no browser's own translation may make another of it. */
export const AS_IS = { translate: "no" };

const SVG = "http://www.w3.org/2000/svg";

/** make("button.btn.first", {onclick}, "text", child, …) */
export function make(what, attributes = {}, ...children) {
  const [tag, ...classes] = parts(what);
  return dress(document.createElement(tag), classes, attributes, children);
}

/** The same for SVG. */
export function draw(what, attributes = {}, ...children) {
  const [tag, ...classes] = parts(what);
  return dress(document.createElementNS(SVG, tag), classes, attributes, children);
}

// A class may be what a table says (a piece): whatever that is, it is words here, which no class list refuses.
const parts = (what) => what.split(/[.\s]+/).filter(Boolean);

function dress(element, classes, attributes, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** What its tap does is done once: see `tapped`. */
export const button = (text, does, kind = "") => tapped(make(`button.btn${kind}`, { type: "button" }, text), does);

const shown = new WeakMap();

/** Replaces what is in an element, unless it would look the same (so that nothing flickers or loses its focus). */
export function fill(element, ...children) {
  const box = element.cloneNode(false);
  box.append(...children.filter((child) => child != null));
  const html = box.innerHTML;
  // Kept beside the element: what is shown may have been fitted to the screen since.
  if (shown.get(element) === html && element.hasChildNodes() === box.hasChildNodes()) return;
  shown.set(element, html);
  element.replaceChildren(...box.childNodes);
  grey();
}
