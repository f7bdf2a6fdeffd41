// Other ways to read a stroke, likeliest first: what a camera takes for another, what it misses, what it invents.

import { t } from "./i18n.mjs";
import { factInWords } from "./sentence.mjs";
import { answerInWords } from "./words.mjs";

const SWAPPED = { white: "black", black: "white" };
const MOST = 10;

/** The stroke with other pieces fallen; whoever says so has decided: nothing in it is doubted any more. */
export function fallen(shot, pocketed) {
  const event = { ...structuredClone(shot), event: "shot", pocketed };
  delete event.seq;
  delete event.doubts;
  if (event.unseen) event.unseen = event.unseen.filter((fact) => !fact.startsWith("pocketed"));
  return event;
}

/** Returns [{ says, piece, event }]. `pieces`: kinds in play; `queen`: where the queen is now. */
export function readings(shot, pieces, queen) {
  const fell = shot.pocketed ?? [];
  const found = [...doubted(shot)];
  const add = (says, piece, pocketed) => found.push({ says, piece, event: fallen(shot, pocketed) });
  const where = (one) => one.pocket ? t("piece-in", { piece: t(`piece-${one.piece}`), pocket: one.pocket }) : t(`piece-${one.piece}`);
  fell.forEach((one, at) => {
    if (one.piece in SWAPPED) {
      const other = { ...one, piece: SWAPPED[one.piece] };
      add(t("reading-swapped", { piece: where(other) }), other.piece, fell.with(at, other));
    }
  });
  fell.forEach((one, at) => add(t("reading-fewer", { piece: where(one) }), one.piece, fell.toSpliced(at, 1)));
  const more = ["striker", "white", "black", "queen"].filter((piece) => (piece === "striker" ? !fell.some((one) => one.piece === piece)
    : pieces.includes(piece) && (piece !== "queen" || (queen === "board" && !fell.some((one) => one.piece === piece)))));
  for (const piece of more) add(t("reading-more", { piece: t(`piece-${piece}`) }), piece, [...fell, { piece }]);
  if (fell.length > 1) add(t("reading-nothing"), null, []);
  const known = new Set([JSON.stringify(fallen(shot, fell))]);
  return found.filter(({ event }) => {
    const key = JSON.stringify(event);
    return !known.has(key) && known.add(key);
  }).slice(0, MOST);
}

/** What the table itself held for possible. */
function* doubted(shot) {
  for (const { fact, choices } of shot.doubts ?? []) {
    for (const [value] of choices) {
      const event = fallen(shot, structuredClone(shot.pocketed ?? []));
      const keys = fact.split(".");
      const last = keys.pop();
      const at = keys.reduce((inner, key) => inner?.[key], event);
      if (!at || at[last] === value) continue;
      at[last] = value;
      const about = keys[0] === "pocketed" && at.pocket ? t("reading-swapped", { piece: t("piece-in", { piece: answerInWords(value), pocket: at.pocket }) }) : null;
      yield { says: about ?? `${factInWords(fact)}: ${answerInWords(value)}`, piece: typeof value === "string" ? value : null, event };
    }
  }
}
