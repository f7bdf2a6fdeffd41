// Single keys press the console's buttons: for a keyboard, and for a foot switch, which types Page Down. Knows no act:
// what a tap would not do, no key does.

const KEPT = "carrom-single-keys";
const FIELDS = "input, select, textarea, [contenteditable]";
export const CONFIRMS = "C PageDown";
let on = kept();

function kept() {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
}

function keep() {
  try {
    localStorage.setItem(KEPT, on ? "on" : "off");
  } catch {
    // They are turned off again next time.
  }
}

/** The element, which `keys` press, too ("C PageDown"); the first of them is shown on it. */
export function keyed(element, keys) {
  for (const [name, value] of [["aria-keyshortcuts", keys], ["data-key", keys.split(" ")[0]]]) {
    if (on && value) element.setAttribute(name, value);
    else element.removeAttribute(name);
  }
  return element;
}

/** Keys act from here on. `toggle`: the button that turns them off and on; `again` shows anew what has keys. */
export function followKeys(toggle = null, again = () => {}) {
  const tell = () => toggle?.setAttribute("aria-pressed", String(on));
  toggle?.addEventListener("click", () => {
    on = !on;
    keep();
    tell();
    again();
  });
  addEventListener("keydown", press);
  tell();
}

/** What is written on the key: a digit of a French keyboard needs no shift, a letter of a Hindi one no other layout. */
const written = ({ key, code }) => (/^[a-z\d]$/i.test(key) ? key : /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? key).toUpperCase();

/** Page Down still scrolls what has the focus, to its end at least if the button stands in it. */
function scrolls(from, pressed) {
  for (let box = from; box?.parentElement; box = box.parentElement) {
    const more = box.scrollHeight - box.clientHeight;
    if (more > 1 && getComputedStyle(box).overflowY === "auto") return !(box.contains(pressed) && box.scrollTop > more - 2);
  }
  return false;
}

function press(event) {
  const { target } = event;
  if (!on || event.repeat || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || target.closest?.(FIELDS)) return;
  const key = written(event);
  const top = document.querySelector("dialog[open]") ?? document;
  const found = [...top.querySelectorAll(`[aria-keyshortcuts~="${CSS.escape(key)}" i]`)].find((one) => !one.disabled && one.checkVisibility());
  if (!found || (key === "PAGEDOWN" && scrolls(target, found))) return;
  event.preventDefault();
  const { x, y, width, height } = found.getBoundingClientRect();
  // Behind a swipe, or too new to take a tap: it is brought into sight, and the next press is meant for it.
  if (document.elementsFromPoint(x + width / 2, y + height / 2).includes(found)) found.click();
  else found.scrollIntoView({ block: "nearest", inline: "start" });
}
