// How large letters may be in the room they have: in one line or some, before anything is cut. Knows nothing of matches.

import { tall } from "./fit.mjs";

const ink = document.createElement("canvas").getContext("2d");
const SPARE = 0.96; // what a browser's own line takes beyond the sum of its words

/** How broad a text is for each pixel of its letters' size, were it bold. */
export function breadth(text) {
  ink.font = `700 100px ${getComputedStyle(document.body).fontFamily}`;
  return ink.measureText(text).width / 100;
}

/** The words in lines no broader than that, and the least by which some line would have to grow to take another word. */
function laid(words, widths, space, most) {
  const lines = [];
  let [wide, more] = [Infinity, Infinity];
  words.forEach((word, at) => {
    const longer = wide + space + widths[at];
    if (longer <= most) {
      lines.at(-1).push(word);
      wide = longer;
    } else {
      more = Math.min(more, longer);
      lines.push([word]);
      wide = widths[at];
    }
  });
  return { lines, more };
}

/** `{lines, size}`: a text in at most `most` lines, which break between words, and the size of its letters in px, as large as
 * `wide` × `high` px have room for, at most `largest`. */
export function fitted(text, { wide, high, largest, most = 3 }) {
  const words = text.split(/ +/).filter(Boolean);
  const widths = words.map(breadth);
  const space = breadth(" ");
  const lead = tall(text) ? 1.5 : 1.2;
  let best = { lines: [""], size: 0 };
  // From the fewest words in a line to all in one.
  let room = Math.max(0, ...widths);
  while (words.length && room < Infinity) {
    const { lines, more } = laid(words, widths, space, room);
    const size = Math.min(largest, SPARE * wide / room, high / lines.length / lead);
    if (lines.length <= most && size >= best.size) best = { lines: lines.map((line) => line.join(" ")), size };
    room = more;
  }
  return best;
}

/** In how many columns as many tiles are largest in this room, which is then a tile's, and how large a usual text is there:
 * `{columns, wide, high, size}`. `usual(wide, high)`: the size of its letters in such a tile. */
export function grid(count, room, gap, usual) {
  const all = Array.from({ length: count }, (_, at) => {
    const [columns, rows] = [at + 1, Math.ceil(count / (at + 1))];
    const [wide, high] = [(room.wide - gap * (columns - 1)) / columns, (room.high - gap * (rows - 1)) / rows];
    // An empty place counts as one that could have made the others larger.
    const size = usual(wide, high);
    return { columns, wide, high, size, worth: size * Math.sqrt(count / (columns * rows)) };
  });
  return all.reduce((best, one) => (one.worth > best.worth ? one : best));
}
