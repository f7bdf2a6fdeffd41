// What somebody has to lay on the board, piece by piece, and what of it the camera sees in place already. Must not know
// where it is shown, nor ask for anything.

const RESTORES = ["board-moved", "board-unseen-change"];
const WITHIN_MM = 8;

/** Which of `wanted` lie there: a piece with a place of its own within a few millimetres of it, one that may lie anywhere
 * in a ring by how many of its kind lie on the board. `left`: how many there are once all are placed. */
export function laid(wanted, lying, left = {}, within_mm = WITHIN_MM) {
  const free = [...(lying ?? [])];
  const pairs = wanted.flatMap((one, index) => (one.at ? free.map((piece) => [Math.hypot(piece.x - one.at[0], piece.y - one.at[1]), index, piece])
    .filter(([far, , piece]) => far <= within_mm && piece.piece === one.piece) : [])).sort(([one], [other]) => one - other);
  const seen = new Map();
  for (const [, index, piece] of pairs) {
    if (seen.has(index) || !free.includes(piece)) continue;
    seen.set(index, piece);
    free.splice(free.indexOf(piece), 1);
  }
  const loose = (kind) => wanted.filter(({ at, piece }) => !at && piece === kind).length;
  const came = (kind) => (lying ?? []).filter(({ piece }) => piece === kind).length - ((left[kind] ?? Infinity) - wanted.filter(({ piece }) => piece === kind).length)
    - [...seen.values()].filter(({ piece }) => piece === kind).length;
  const there = {};
  return wanted.map((one, index) => {
    if (one.at) return { ...one, seen: seen.has(index) };
    there[one.piece] ??= Math.min(loose(one.piece), Math.max(0, came(one.piece)));
    there[one.piece] -= 1;
    return { ...one, seen: there[one.piece] >= 0 };
  });
}

/** Where everything lay, each piece with its place. */
export const asItLay = ({ lay }) => (lay?.pieces ?? []).map(({ piece, x, y }) => ({ piece, at: [x, y] }));

/** What is to be laid now: what a ruling has put back or costs, else, where the board has changed unseen, all of it, else what
 * is missing. */
export function layingNow(state) {
  const asks = state.asks ?? [];
  const told = [...asks.map(({ ask }) => ask), ...(state.alerts ?? []).map(({ id }) => id)];
  const placing = state.to_place ?? [];
  const wanted = placing.length ? placing : told.some((one) => RESTORES.includes(one)) ? asItLay(state) : asks.flatMap((one) => apart(one, state).gone);
  return laid(wanted, state.board?.pieces, state.ruling?.left, state.lay?.within_mm);
}

/** Where a board differs from the score in its count: places of `missing` kinds where nothing lies, and pieces of `extra` kinds
 * that lay nowhere before. Nothing where the table does not know how everything lay. */
export function apart({ missing = [], extra = [] }, { lay, board }) {
  if (!lay) return { gone: [], more: [] };
  const lying = board?.pieces ?? [];
  const [within, places] = [lay.within_mm ?? WITHIN_MM, asItLay({ lay })];
  const near = (one, { x, y, piece }) => piece === one.piece && Math.hypot(x - one.at[0], y - one.at[1]) <= within;
  return { gone: places.filter((place) => missing.includes(place.piece) && !lying.some((one) => near(place, one))),
    more: lying.filter((one) => extra.includes(one.piece) && !places.some((place) => near(place, one))) };
}

/** The pieces still on the board in a neutral formation: the queen in the middle, rings of colours by turns about her. */
export function neutral(left, mm) {
  const rest = { white: left.white ?? 0, black: left.black ?? 0 };
  const found = left.queen ? [{ piece: "queen", at: [0, 0] }] : [];
  const most = rest.white >= rest.black ? ["white", "black"] : ["black", "white"];
  for (let ring = 1; rest.white + rest.black > 0; ring += 1) {
    for (let place = 0; place < 6 * ring && rest.white + rest.black > 0; place += 1) {
      const wanted = most[place % 2];
      const piece = rest[wanted] ? wanted : most[(place + 1) % 2];
      rest[piece] -= 1;
      const angle = Math.PI / 2 + (2 * Math.PI * place) / (6 * ring);
      const away = ring * mm.coin_diameter_mm * 1.02;
      found.push({ piece, at: [Math.cos(angle) * away, Math.sin(angle) * away] });
    }
  }
  return found;
}
