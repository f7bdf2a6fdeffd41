// A match as a file. The result's picture goes to the phone's own way of sharing where the browser has one (over HTTPS),
// and is saved where it has none.

import { make } from "./dom.mjs";
import { t } from "./i18n.mjs";

export const fileOf = (match, form) => `/matches/${encodeURIComponent(match)}.${form}`;

/** A link that saves a match as `pdf`, `csv` or `png`; a picture is shared in the same tap where that is possible. */
export function matchFile(match, form) {
  const link = make("a.btn", { href: fileOf(match, form), download: "" }, t(`past-${form}`));
  if (form === "png" && navigator.canShare) link.addEventListener("click", (event) => { event.preventDefault(); share(link, `${match}.png`); });
  return link;
}

async function share(link, name) {
  const picture = await fetch(link.href).then((answer) => answer.blob());
  const files = [new File([picture], name, { type: "image/png" })];
  if (navigator.canShare({ files })) await navigator.share({ files }).catch(() => {}); // whoever thinks better of it
  else location.assign(link.href);
}
