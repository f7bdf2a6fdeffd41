"""A club's sheet of fixtures as spreadsheets save it, what is wrong with it all at once, and what may be meant."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from controller.cli import main
from controller.events.errors import ConfigError, UnreadableError
from controller.hub.fixtures_sheet import read_fixtures, read_sheet
from controller.hub.sheet import sheet_of, sheet_of_text
from controller.hub.sheet_notes import Club
from tests.hub.seasons import filled

SHEETS = Path(__file__).parent / "sheets"
CSV = "time,table,south,north\n09:30,t1,Zoë,आशा\n"


def noted(text, **known):
    return list(read_sheet(sheet_of_text(text), "day.csv", Club(**known)).notes)


def test_a_workbook_is_read_as_it_looks_dates_merged_cells_and_all():
    read = read_sheet(sheet_of((SHEETS / "merged.xlsx").read_bytes()), "day.xlsx")
    assert [(one.time, one.table, one.round, *one.seats.values()) for one in read.fixtures] == [
        ("2026-12-05 09:30", "t1", "1", "Asha Rao", "Ben Kim"),
        ("2026-12-05 09:30", "t2", "1", "Dev", "Ela"),
        ("2026-12-05 11:00", "t1", "2", "Fay", "Gita"),
    ]
    assert read.notes == (
        "day.xlsx: only sheet 'Saturday' is read",
        "day.xlsx: a cell that is merged over several lines counts for each of them",
        "day.xlsx:1: column 'remark' is left out",
    )


def test_an_open_document_is_read_with_its_times_and_every_script():
    read = read_sheet(sheet_of((SHEETS / "day.ods").read_bytes()))
    assert [(one.time, *one.seats.values()) for one in read.fixtures] == [
        ("09:30", "Asha Rao", "आशा"),
        ("14:05", "Dev", "Zoë"),
    ]
    assert read.notes == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_is_read_in_the_encodings_of_spreadsheets(encoding):
    sheet = sheet_of(CSV.encode(encoding))
    assert [row.cells for row in sheet.rows][1] == ("09:30", "t1", "Zoë", "आशा")
    assert sheet.notes == ()


def test_what_is_no_unicode_is_read_as_western_europe_saves_it_and_said():
    sheet = sheet_of("time;table;south;north\r\n09:30;t1;Zoë;Jürgen\r\n".encode("cp1252"))
    assert sheet.rows[1].cells == ("09:30", "t1", "Zoë", "Jürgen")
    assert "Windows-1252. Fix: save it as CSV UTF-8" in sheet.notes[0]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"PK\x03\x04 and no more", "is no workbook"),
        (b"\xff\x00\xfe\x00\x80\x00", "neither text nor a workbook"),
        (b"table,south\0,north\n", "a character that is none"),
    ],
)
def test_what_is_no_sheet_is_one_line(raw, says):
    with pytest.raises(UnreadableError, match=says) as raised:
        sheet_of(raw)
    assert "\n" not in str(raised.value)


def test_everything_that_is_wrong_is_said_at_once_with_its_line():
    lines = ("9:30,T1,Asha,Ben", "9h30,t1,Asha,Ben", "10:00,t1,Asha,BYE", "10:00,t2,Dev,Ela", "11:00,t1,Fay")
    text = "\n".join(["time,table,south,north", *lines])
    with pytest.raises(ConfigError) as raised:
        read_fixtures(text, "day.csv")
    said = str(raised.value).splitlines()
    assert [line.split(" ")[0] for line in said] == ["day.csv:2:", "day.csv:3:", "day.csv:4:", "day.csv:6:"]
    assert all("Fix:" in line for line in said)


def test_a_mistake_in_every_line_fills_no_screen():
    with pytest.raises(ConfigError) as raised:
        read_fixtures("table,south,north\n" + "T1,Asha,Ben\n" * 50, "day.csv")
    assert len(str(raised.value).splitlines()) == 21
    assert str(raised.value).endswith("and 30 more")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("t1,Asha,asha\n", ":2: 'Asha' plays against himself. Fix:"),
        ("t1,Asha,asha,Ben,Dev\n", ":2: one player stands twice. Fix:"),
        ("t1,Asha,Freilos\n", ":2: north 'Freilos' is nobody. Fix: leave this line out"),
    ],
)
def test_nobody_plays_against_himself_and_a_bye_is_nobody(lines, says):
    with pytest.raises(ConfigError, match=says):
        read_fixtures("table,south,north,east,west\n" + lines, "day.csv")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("time,table,south,north\n09:30,t1,Asha,Ben\n,t2,Dev,Ela\n", ":3: has no time, though others have"),
        ("table,south,north\nt1,winner SF1,Ben\n", ":2: 'winner SF1' is taken for a player: no column is called id"),
        (
            "time,table,south,north\n09:30,t1,Asha,Ben\n9:30,t2,Dev,asha\n",
            ":3: asha is at 09:30 on t1 too (line 2): one of them waits",
        ),
        ("table,south,north,book\nt1,Asha,Ben,icff\n", ":2: book 'icff' is none of ours (is it 'icf'?); a table may"),
        ("table,south,north,refer\nt1,Asha,Ben,Chi\n", ":1: column 'refer' is left out (is it 'referee'?)"),
        (
            "table,south,north\nt1,Asha Rao,Ben\nt2,Asha Roa,Dev\nt1,Asha Rao,Dev\n",
            ":3: Asha Roa is nearly Asha Rao",
        ),
        ("table,south,north\nt1,Chi Wu,Elena Petrov\n", ":2: Elena Petrov is nearly Elena Petrova: one and the same?"),
        (
            "table,south,north\ntabel3,Asha,Ben\n",
            ":2: nothing was played on table 'tabel3' this season (is it 'table3'?)",
        ),
        (
            "time,table,south,north\n09:30,t1,Asha,Ben\n10:20,t2,Dev,asha\n11:25,t1,Dev,Ela\n",
            ":3: asha is to play 50 minutes before, too (line 2): with rest a match takes 60",
        ),
        (
            "time,south,north\n09:30,Asha,Ben\n9:30,Dev,asha\n",
            ":3: asha is at 09:30 on the next free table too (line 2): one of them waits",
        ),
    ],
)
def test_what_may_be_meant_otherwise_is_noted_and_published(text, note):
    known = {"books": ("icf", "club"), "players": ("Elena Petrova", "Chi Wu"), "tables": {"t1", "t2", "table3"}}
    (said,) = noted(text, **known, lasts=timedelta(minutes=45), rest=timedelta(minutes=15))
    assert said.startswith("day.csv" + note)


def test_a_sheet_as_it_should_be_has_no_note():
    text = "time,table,south,north,book\n09:30,t1,Asha,Ben,icf\n09:30,t2,Dev,Ela,\n10:00,t1,Dev,Asha,club\n"
    assert noted(text, books=("icf", "club"), players=("Asha", "Zoran")) == []


def test_a_header_alone_clears_nothing(tmp_path, capsys):
    file, config = tmp_path / "day.csv", tmp_path / "carrom.toml"
    config.write_text("", encoding="utf-8")
    file.write_text("time,table,south,north\n", encoding="utf-8")
    assert main(["fixtures", str(file), "--config", str(config)]) == 2
    assert "holds no fixture. Fix: write some; carrom fixtures --clear takes all away" in capsys.readouterr().err
    for wrong in ([], [str(file), "--clear"]):
        assert main(["fixtures", *wrong, "--config", str(config)]) == 2
        assert "needs a sheet, or --clear" in capsys.readouterr().err


@pytest.mark.parametrize("season", ["none", "new", "kept", "damaged"])
def test_names_are_compared_with_the_seasons_where_there_is_one(tmp_path, capsys, season):
    file, config, kept = (tmp_path / name for name in ("day.csv", "carrom.toml", "season.sqlite"))
    file.write_text("table,south,north\nt1,Asha Roa,Ben Kim\n", encoding="utf-8")
    config.write_text("" if season == "none" else f'[hub]\nseason = "{kept}"\n', encoding="utf-8")
    if season == "kept":
        filled(kept)
    elif season == "damaged":
        kept.write_bytes(b"no season")
    assert main(["fixtures", str(file), "--check", "--config", str(config)]) == 0
    noted = [line.partition(": ")[2] for line in capsys.readouterr().err.splitlines()]
    assert [line.removeprefix(f"{file}:").partition(f" {kept}")[0] for line in noted] == {
        "kept": ["2: Asha Roa is nearly Asha Rao: one and the same?"],
        "damaged": ["names are not compared with the season's:"],
    }.get(season, [])


def test_matches_without_a_table_need_a_hub_with_a_season_and_a_check_says_so(tmp_path, capsys):
    file, config = tmp_path / "day.csv", tmp_path / "carrom.toml"
    file.write_text("south,north,table\nAsha,Ben,\nChi,Dev,t1\n", encoding="utf-8")
    for season, note in (("", "note: matches without a table are given one by a hub with [hub] season\n"), ("x", "")):
        config.write_text(f'[hub]\nseason = "{tmp_path / season}"\n' if season else "", encoding="utf-8")
        assert main(["fixtures", str(file), "--check", "--config", str(config)]) == 0
        said = capsys.readouterr()
        assert (said.out, said.err) == (
            "2 fixtures on 1 tables, 1 of them for the next free one (not published)\n",
            note,
        )
    file.write_text("south,north\nAsha,Ben\n", encoding="utf-8")
    assert main(["fixtures", str(file), "--check"]) == 0
    assert capsys.readouterr().out == "1 fixtures for the next free table (not published)\n"


def test_the_sheets_of_several_events_are_one_day(tmp_path, capsys):
    opens, youth = tmp_path / "open.csv", tmp_path / "youth.csv"
    opens.write_text("event,id,time,south,north\nOpen,F,09:30,Asha,Ben\n", encoding="utf-8")
    youth.write_text("event,time,south,north\nYouth,9:30,Chi,asha\n", encoding="utf-8")
    assert main(["fixtures", str(opens), str(youth), "--check"]) == 0
    said = capsys.readouterr()
    assert said.out == "2 fixtures for the next free table (not published)\n"
    note = f"note: {youth}:2: asha is at 09:30 on the next free table too ({opens}:2): one of them waits\n"
    assert said.err == note
    youth.write_text("event,id,south,north\nOpen,f,Chi,Dev\n", encoding="utf-8")
    assert main(["fixtures", str(opens), str(youth), "--check"]) == 2
    assert f"{youth}:2: id 'f' stands twice" in capsys.readouterr().err


def test_a_check_says_its_notes_and_needs_no_broker(tmp_path, capsys):
    file = tmp_path / "day.csv"
    file.write_text("table,south,north,remark\nt1,Asha,Ben,early\n", encoding="utf-8")
    for config in ([], ["--config", str(tmp_path / "none.toml")]):
        assert main(["fixtures", str(file), "--check", *config]) == 0
        said = capsys.readouterr()
        assert said.out == "1 fixtures on 1 tables (not published)\n"
        assert said.err == f"note: {file}:1: column 'remark' is left out\n"
    assert main(["fixtures", str(file)]) == 2
    assert "needs --config. Fix: --config FILE" in capsys.readouterr().err
