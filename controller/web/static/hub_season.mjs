// The season's standings, as a sheet to read and to print.

import { fill, make } from "./dom.mjs";
import { amendingOf } from "./hub_amend.mjs";
import { refereesDoor, showDoor } from "./hub_door.mjs";
import { sheet } from "./hub_sheet.mjs";
import { followDay } from "./hub_tables.mjs";
import { showTop } from "./hub_top.mjs";
import { language, t } from "./i18n.mjs";
import { ask } from "./live.mjs";

const at = (id) => document.getElementById(id);

const COLUMNS = [[t("club-place"), (one) => one.place], [t("player"), (one) => one.player, 5], [t("club-played"), (one) => one.played, 1.3], [t("club-won"), (one) => one.won],
  [t("club-drawn"), (one) => one.drawn, 1.2], [t("club-lost"), (one) => one.lost], [t("club-given"), (one) => one.given, 1.1],
  [t("club-boards"), (one) => `${one.boards_for} : ${one.boards_against}`, 1.3], [t("points"), (one) => `${one.points_for} : ${one.points_against}`, 1.8],
  [t("club-rating"), ({ rating }) => rating ? `${rating.shown}${rating.provisional ? " ?" : ""}` : "", 1.7]];

const SLAMS = [[t("club-time"), ({ end }) => new Date(end * 1000).toLocaleDateString(language), 2], [t("player"), (one) => one.players, 5], [t("club-slam"), (one) => t(`club-slam-${one.colour}`), 2],
  [t("against"), (one) => one.against, 4], [t("club-table"), (one) => one.table, 2], [t("board"), (one) => t("game-board", { game: one.game, board: one.board }), 2]];

async function refresh() {
  const [season, { umpire }] = await Promise.all([ask("/season/state"), ask("/me")]);
  const secretary = season.kept && umpire;
  showDoor(umpire, season.kept);
  at("club").textContent = season.club;
  at("trouble").hidden = !season.trouble;
  const none = season.trouble ? "" : t(season.kept ? "club-season-none" : "club-season-off");
  const provisional = season.standings.some(({ rating }) => rating?.provisional) && t("club-rating-provisional");
  fill(at("count"), [season.kept && !season.trouble && t("club-season-count", { count: season.matches }), provisional].filter(Boolean).join(" "));
  fill(at("standings"), season.standings.length ? sheet(COLUMNS, season.standings) : make("p.soft", {}, none),
    season.slams.length ? make("section", { id: "slams" }, make("h2", {}, t("club-slams")), sheet(SLAMS, season.slams)) : null);
  fill(at("amend"), ...(secretary ? amendingOf(await ask("/season/amend"), refresh) : []));
}

showTop();
refereesDoor(t("club-amend"), t("club-amend-why"), refresh);
followDay(refresh);
