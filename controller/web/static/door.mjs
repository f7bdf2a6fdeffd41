// The door of a console: the PIN in, a session out, and the way out again. Must not know what is behind it.

import { ask } from "./live.mjs";
import { doOnce, tapped } from "./once.mjs";

/** Makes the page's form and its button to leave work; `entered()`: what follows the right PIN. */
export function door(entered) {
  const [form, pin, says, leave] = ["pin-form", "pin", "pin-says", "leave"].map((id) => document.getElementById(id));
  const enter = async () => {
    try {
      await ask("/login", { pin: pin.value });
      says.hidden = true;
      await entered();
    } catch (error) {
      says.textContent = error.message;
      says.hidden = false;
    }
    pin.value = "";
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    doOnce(form.querySelector("button"), enter);
  });
  tapped(leave, async () => {
    await ask("/logout", {});
    location.reload();
  });
}
