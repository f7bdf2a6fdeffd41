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

const COLUMNS = [[t("club-place"), (one) => one.place], [t("player"), (one) => one.player], [t("club-played"), (one) => one.played], [t("club-won"), (one) => one.won],
  [t("club-drawn"), (one) => one.drawn], [t("club-lost"), (one) => one.lost], [t("club-given"), (one) => one.given],
  [t("club-boards"), (one) => `${one.boards_for} : ${one.boards_against}`], [t("points"), (one) => `${one.points_for} : ${one.points_against}`],
  [t("club-rating"), ({ rating }) => rating ? `${rating.shown}${rating.provisional ? " ?" : ""}` : ""]];

const SLAMS = [[t("club-time"), ({ end }) => new Date(end * 1000).toLocaleDateString(language)], [t("player"), (one) => one.players], [t("club-slam"), (one) => t(`club-slam-${one.colour}`)],
  [t("against"), (one) => one.against], [t("club-table"), (one) => one.table], [t("board"), (one) => t("game-board", { game: one.game, board: one.board })]];

async function refresh() {
  const [season, { umpire }] = await Promise.all([ask("/season/state"), ask("/me")]);
  const secretary = season.kept && umpire;
  showDoor(umpire, season.kept);
  at("club").textContent = season.club;
  at("trouble").hidden = !season.trouble;
  const none = season.trouble ? "" : t(season.kept ? "club-season-none" : "club-season-off");
  fill(at("standings"), season.standings.length ? sheet(COLUMNS, season.standings) : make("p.soft", {}, none));
  at("provisional").hidden = !season.standings.some(({ rating }) => rating?.provisional);
  at("slams").hidden = !season.slams.length;
  fill(at("slams").lastElementChild, sheet(SLAMS, season.slams));
  fill(at("count"), season.kept && !season.trouble ? t("club-season-count", { count: season.matches }) : "");
  fill(at("amend"), ...(secretary ? amendingOf(await ask("/season/amend"), refresh) : []));
}

showTop();
refereesDoor(t("club-amend"), t("club-amend-why"), refresh);
followDay(refresh);
