// A new match: who sits where, by which book, who breaks. Knows no rules: the table says what it does not take.

import { make } from "./dom.mjs";
import { choice, field } from "./form.mjs";
import { propose } from "./propose.mjs";

const SEATS = ["south", "north", "east", "west"];
const LONGEST_NAME = 60;

/** Returns the form as a closed `details`. `books`: as `/books` says; `score`, `book`: of the match before; `act` does it. */
export function newMatch(books, { score, book }, act) {
  const seated = Object.assign({}, ...score.sides.map((side) => side.seats));
  const which = choice(books.map(({ id, title }) => [id, title]), book?.id ?? books[0]?.id);
  const names = SEATS.map((seat) => [seat, make("input",
    { type: "text", maxlength: LONGEST_NAME, value: seated[seat] ?? "", placeholder: "nobody", autocomplete: "off" })]);
  const first = choice(SEATS.map((seat) => [seat, seat]), "south");
  const players = make("p.soft");
  const chosen = () => books.find(({ id }) => id === which.value);
  const tell = () => { players.textContent = `Played by ${(chosen()?.players ?? []).join(" or ")}. A seat without a name stays empty.`; };
  which.addEventListener("change", tell);
  tell();

  function event() {
    const seats = names.map(([seat, input]) => [seat, input.value.trim()]).filter(([, name]) => name);
    const { id, policy, tournament } = chosen();
    return {
      event: "start", book: id, seats: Object.fromEntries(seats), first: first.value,
      ...(Object.keys(policy ?? {}).length ? { policy } : {}), ...(tournament ? { tournament } : {}),
    };
  }

  const under = ["playing", "paused", "trial", "board_over"].includes(score.state);
  const warning = under && make("p.said.bad", {}, `The match under way ends here, at ${score.sides.map(({ points }) => points).join(" : ")}. It stays in the journal.`);
  const element = make("details.new-match", {}, make("summary", {}, "New match"),
    make("div.fields", {}, field("Rulebook", which), field("Breaks", first), ...names.map(([seat, input]) => field(seat, input))),
    players,
    make("div.buttons", {}, make("button.btn.first", { type: "button", onclick: async () => {
      await propose("New match", event(), async (start) => {
        if (await act(start)) element.open = false;
      }, [warning || make("p.soft", {}, "A new match begins at 0 : 0.")]);
    } }, "Begin the match")));
  return element;
}
