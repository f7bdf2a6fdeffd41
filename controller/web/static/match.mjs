// The lobby: who sits where, by which book, who won the toss and who breaks. Knows no rules: the table says what it does not take.

import { button, fill, make } from "./dom.mjs";
import { choice, field } from "./form.mjs";
import { t } from "./i18n.mjs";
import { ask } from "./live.mjs";
import { keyOf, whoOf } from "./names.mjs";
import { openSheet } from "./sheet.mjs";

const SEATS = { singles: ["south", "north"], doubles: ["south", "east", "north", "west"] };
const LONGEST_NAME = 60;
const KEPT = "carrom-players";
const MOST_KEPT = 40;

/** Who played here lately, by this device's memory. */
function known() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "[]").filter((name) => typeof name === "string");
  } catch {
    return [];
  }
}

function remember(names) {
  try {
    localStorage.setItem(KEPT, JSON.stringify([...new Set([...names, ...known()])].slice(0, MOST_KEPT)));
  } catch {
    // They are typed again next time.
  }
}

const isOpen = ({ seats, awaits = {} }) => Object.entries(awaits).some(([seat, text]) => seats[seat] === text);

const titleOf = (one) => [one.time, Object.values(one.seats).map((name) => whoOf(name, one.awaits ?? {})).join(" – "), isOpen(one) && t("fixture-open"),
  [one.event, one.round].filter(Boolean).join(" ")].filter(Boolean).join(" · ");

/** The club's fixtures of this table, to be picked instead of typed; nothing where none were published. */
function fixtureChoice(listed, picked, pick) {
  if (!listed.length) return [];
  const which = choice([["", t("no-fixture")], ...listed.map((one, number) => [String(number), titleOf(one)])], picked ? String(listed.indexOf(picked)) : "");
  listed.forEach((one, number) => { which.options[number + 1].disabled = isOpen(one); });
  which.addEventListener("change", () => pick(which.value === "" ? null : listed[Number(which.value)]));
  return [make("div.fields", {}, field(t("fixture"), which))];
}

const playersOf = (seats) => Object.values(seats).map(keyOf).sort();

/** What a match says of the fixture that it is; nothing where none is picked, or where nobody of it plays. */
function occasionOf(fixture, seats) {
  const players = playersOf(seats);
  if (!fixture || !playersOf(fixture.seats).some((name) => players.includes(name))) return {};
  const { event: competition, round, referee, key } = fixture;
  return Object.fromEntries(Object.entries({ competition, round, referee, fixture: key }).filter(([, said]) => said));
}

/** Opens the lobby. `books`: as `/books` says. */
export function openLobby({ state, ways, books }) {
  const { score, book } = state();
  const seated = Object.assign({}, ...score.sides.map((side) => side.seats));
  const which = choice(books().map(({ id, title }) => [id, title]), book?.id ?? books()[0]?.id);
  const names = Object.fromEntries(SEATS.doubles.map((seat) => [seat, make("input",
    { type: "text", maxlength: LONGEST_NAME, value: seated[seat] ?? "", list: "players", autocomplete: "off" })]));
  const list = make("datalist", { id: "players" }, ...[...new Set([...Object.values(seated), ...known()])].map((name) => make("option", { value: name })));
  const decides = choice(["umpire", "players", "referee"].map((who) => [who, t(`decides-${who}`)]), state().officiating ?? "umpire");
  let how = Object.keys(seated).length > 2 ? "doubles" : "singles";
  const fields = make("div.fields");
  const breaks = make("div.fields");
  const modes = make("div.chips", { role: "group", "aria-label": t("players") });
  const first = { value: "" };
  const toss = { winner: "", choice: "break" };
  const fixtures = make("div");
  const offer = make("div.buttons");
  let listed = [];
  let picked = null;

  const seatsNow = () => Object.fromEntries(SEATS[how].map((seat) => [seat, names[seat].value.trim()]).filter(([, name]) => name));
  function pick(one) {
    picked = one;
    fixtures.replaceChildren(...fixtureChoice(listed, picked, pick));
    if (!one) return show();
    how = Object.keys(one.seats).length > 2 ? "doubles" : "singles";
    for (const seat of SEATS.doubles) names[seat].value = one.seats[seat] ?? "";
    if (books().some(({ id }) => id === one.book)) which.value = one.book;
    return show();
  }
  /** Names that were typed may be those of a fixture: only who sits here knows whether it is that match. */
  function offerFixture() {
    const players = playersOf(seatsNow()).join("\n");
    const same = picked ? [] : listed.filter((one) => !isOpen(one) && playersOf(one.seats).join("\n") === players);
    offer.replaceChildren(...same.map((one) => button(t("fixture-is-it", { what: titleOf(one) }), () => pick(one), ".small")));
  }

  const label = (seat) => names[seat].value.trim() || t(`seat-${seat}`);
  function show() {
    const two = ["singles", "doubles"].map((mode) => {
      const chip = button(t(mode), () => { how = mode; show(); }, ".chip");
      chip.setAttribute("aria-pressed", String(mode === how));
      return chip;
    });
    fill(modes, ...two);
    fields.replaceChildren(...SEATS[how].map((seat) => field(t(`seat-${seat}`), names[seat])));
    const seats = SEATS[how].map((seat) => [seat, label(seat)]);
    const won = choice([["", t("no-toss")], ...seats], toss.winner);
    const chose = choice([["break", t("toss-break")], ["side", t("toss-side")]], toss.choice);
    const who = choice(seats, first.value || SEATS[how][0]);
    won.addEventListener("change", () => { toss.winner = won.value; show(); });
    chose.addEventListener("change", () => { toss.choice = chose.value; show(); });
    who.addEventListener("change", () => { first.value = who.value; });
    // Who won the toss and chose to break, breaks; only with no toss is it to be said.
    breaks.replaceChildren(field(t("toss-won"), won), ...(toss.winner ? [field(t("toss-chose"), chose)] : [field(t("breaks"), who)]));
    if (!toss.winner) first.value = who.value;
    offerFixture();
  }
  for (const input of Object.values(names)) input.addEventListener("change", show);
  show();

  function event() {
    const seats = seatsNow();
    const { id, policy: configured, tournament } = books().find((one) => one.id === which.value);
    const own = decides.value === (configured?.officiating ?? "umpire") ? {} : { officiating: decides.value };
    const policy = { ...configured, ...own };
    return {
      event: "start", book: id, seats,
      ...(toss.winner ? { toss: { winner: toss.winner, choice: toss.choice } } : { first: first.value }),
      ...(Object.keys(policy ?? {}).length ? { policy } : {}), ...(tournament ? { tournament } : {}), ...occasionOf(picked, seats),
    };
  }

  async function begin(start) {
    remember(Object.values(start.seats));
    const under = ["playing", "paused", "trial", "board_over"].includes(score.state);
    const warning = under ? t("ends-here", { points: score.sides.map(({ points }) => points).join(" : ") }) : null;
    // Nothing is lost where no match is under way: it begins at once.
    await sheet.attempt(() => (under ? ways.propose(t("new-match"), start, { always: true, warning }) : ways.act(start)));
  }

  const friendly = () => {
    const seats = Object.keys(seated).length ? seated : { south: t("seat-south"), north: t("seat-north") };
    return begin({ event: "start", book: which.value, seats, first: Object.keys(seats)[0], ...(decides.value === "umpire" ? {} : { policy: { officiating: decides.value } }) });
  };
  ask("/fixtures").then((said) => {
    listed = said;
    // The one that this table was given, unless somebody types already.
    const given = listed.find((one) => one.pool && !isOpen(one));
    const typed = SEATS.doubles.some((seat) => names[seat].value !== (seated[seat] ?? ""));
    if (given && !picked && !typed) return pick(given);
    fixtures.replaceChildren(...fixtureChoice(listed, picked, pick));
    return offerFixture();
  }).catch(() => {}); // typed then, as where there is no club

  const sheet = openSheet(t("new-match"), list,
    make("div.buttons", {}, button(t("friendly"), friendly)), make("p.soft", {}, t("friendly-why")), fixtures,
    modes, make("div.fields", {}, field(t("rulebook"), which), field(t("decides"), decides)), fields, offer, breaks,
    make("div.buttons", {}, button(t("begin"), () => begin(event()), ".first")));
}
