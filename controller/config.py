"""One typed configuration for daemon, vision process and checks, read from a TOML file.

Every error names file, line and key and says how to repair it. Unknown keys are errors. Must not open devices or
look at the machine: `carrom check` does that.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from calibration.measures import board_of
from calibration.presets import PRESETS
from controller.events.doors import (
    SECRET,
    SETTINGS,
    address_of,
    database_of,
    host_of,
    id_of,
    name_of,
    one_line,
    player_of,
    text_of,
    toml_table,
    turns,
    word_of,
)
from controller.events.errors import ConfigError, UnreadableError
from controller.events.reading import shown
from controller.events.words import Seat

_Name = Annotated[str, AfterValidator(name_of)]
_Player = Annotated[str, AfterValidator(player_of)]
_Word = Annotated[str, AfterValidator(lambda text: word_of(text, SECRET.text))]
_Line = Annotated[int, Field(ge=0, le=1023)]
_Host = Annotated[str, AfterValidator(host_of)]
_Address = Annotated[str, AfterValidator(lambda text: text if address_of(text) else "")]


def _season(value: Path | str) -> Path | str:
    if isinstance(value, Path) or "://" not in value:
        return Path(value)
    database_of(value)
    return value


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*")
    @classmethod
    def _is_written_in_one_direction(cls, value: Any) -> Any:
        # Looked at here and not at the file's door: the error names the key.
        if not isinstance(value, BaseModel) and turns(json.dumps(value, ensure_ascii=False, default=str)):
            raise ValueError("holds a character that turns the direction of writing")
        return value


VERSION = 1
"""Of the configuration's keys: raised whenever one is renamed or means something else. `carrom init --migrate`."""


class FormatSection(_Section):
    """Which program's keys the file is written in; what is older is brought up to date by `carrom init --migrate`."""

    version: int = Field(VERSION, ge=0, le=VERSION, description="written by `carrom init`; not to be changed by hand")


class TableSection(_Section):
    """The table itself and where its running files lie."""

    id: Annotated[_Name, AfterValidator(id_of)] = Field("table1", description="name in MQTT topics")
    name: _Name = Field("", description="what people call it; the id if empty")
    players_shown: Literal["names", "initials", "seats"] = Field(
        "names",
        description="how players stand in what everybody may see, over MQTT and on pages without the PIN; what people "
        "typed (reasons) is left out there unless it is `names`",
    )
    runtime: Path = Field(Path("/run/carrom"), description="folder for the eyes' socket and the ring of pictures")
    state: Path = Field(Path("/var/lib/carrom"), description="folder of the journal and kept evidence")


class BoardSection(_Section):
    """The board's measures in mm; what is left out is the preset's."""

    preset: str = Field("international", description=f"the board to begin from: {', '.join(PRESETS)}")
    side_mm: float | None = Field(None, description="side of the playing surface")
    frame_width_mm: float | None = None
    frame_height_mm: float | None = None
    pocket_radius_mm: float | None = None
    outer_line_mm: list[float] | None = Field(
        None, description="outer stroke of a base line: from, to, from the cushion"
    )
    inner_line_mm: list[float] | None = Field(None, description="inner stroke of a base line, likewise")
    line_half_length_mm: float | None = Field(None, description="from a base line's middle to a base circle's centre")
    base_circle_mm: float | None = Field(None, description="diameter")
    base_disc_mm: float | None = Field(None, description="diameter")
    centre_circle_mm: float | None = Field(None, description="diameter")
    outer_circle_mm: float | None = Field(None, description="diameter")
    arrow_mm: list[float] | None = Field(None, description="from, to, width: along the diagonal, from the middle")
    coin_diameter_mm: float | None = None
    coin_thickness_mm: float | None = None
    striker_diameter_mm: float | None = None
    striker_thickness_mm: float | None = None

    def said(self) -> dict[str, Any]:
        """Returns the preset and the measures that were given."""
        return self.model_dump(exclude_unset=True, exclude_none=True)


class MatchSection(_Section):
    """The match that starts when the table has none under way."""

    book: str = Field("icf", description="a rulebook's id or the path of a house book")
    seats: dict[Seat, _Player] = Field({"south": "South", "north": "North"}, description="who sits where")
    first: Seat = Field("south", description="who breaks first")
    policy: dict[str, Any] = Field({}, description="policy values that differ from the book's")
    tournament: bool = Field(False, description="refuses house books and house values")
    autonomy: dict[str, Literal["off", "note", "confirm", "rule"]] = Field(
        {}, description="clause id → how far the machine goes by itself on this table"
    )
    shadow: bool = Field(
        False,
        description="what would be asked for confirmation is only noted, and shown to nobody: the umpire calls alone; "
        "carrom agreement compares",
    )


class CameraSection(_Section):
    """The overhead camera."""

    kind: Literal["v4l2", "csi", "mjpeg", "video", "folder", "none"] = Field(
        "v4l2", description="where frames come from"
    )
    device: str = Field("/dev/carrom/camera", description="V4L2 device; the CSI camera's number")
    url: str = Field("", description="address of an MJPEG stream")
    path: Path | None = Field(None, description="a video file or a folder of pictures")
    width: int = Field(1280, ge=320, le=8192)
    height: int = Field(720, ge=240, le=8192)
    fps: float = Field(60.0, gt=0, le=1000)
    exposure_us: int | None = Field(None, ge=10, le=200_000, description="locked exposure; measured if left out")
    gain: float | None = Field(None, ge=0)
    shutter: Literal["global", "rolling"] = "rolling"
    row_ns: float = Field(
        0, ge=0, le=100_000, description="rolling shutter: time from one row to the next in ns; 0 if not known"
    )
    command: list[str] = Field([], description="child process that writes MJPEG (CSI); a default if empty")
    keep_all: bool = Field(False, description="drop no frame and hold the sender back instead (demo, recordings)")
    calibration: Path = Field(Path("/var/lib/carrom/calibration.json"), description="made by carrom calibrate")
    ring_mb: int = Field(256, ge=1, le=4096, description="memory for the latest pictures, of what `runtime` has free")


class PocketsSection(_Section):
    """The pocket beams."""

    kind: Literal["serial", "gpio", "none"] = "serial"
    port: str = Field("auto", description="a serial port, or auto: the port on which a node says hello")
    node: _Name = Field("", description="the node's id, where several are plugged in")
    chip: str = Field("pinctrl-rp1", description="label of the GPIO chip (kind = gpio)")
    lines: dict[str, _Line] = Field(
        {}, description='"NE upper" → sensor of the node or line of the chip; "NE" where a pocket has one beam'
    )


class PanelSection(_Section):
    """Foul lamp, buzzer, buttons."""

    kind: Literal["none", "rpi", "gpiod"] = Field(
        "none",
        description="rpi: a Raspberry Pi's header by its BCM numbers; gpiod: the lines of the chip `[pockets] chip`",
    )
    lamp: _Line | None = None
    buzzer: _Line | None = None
    buttons: dict[str, _Line] = {}


class MqttSection(_Section):
    """The broker."""

    host: _Host = "localhost"
    port: int = Field(1883, ge=1, le=65535)
    others: list[_Address] = Field(
        [],
        max_length=15,
        description='the other nodes of a cluster: "10.0.0.3" (on the same port) or "10.0.0.4:8883"; where one does '
        "not answer the next is tried",
    )
    user: _Word = Field("", description="who the table is to the broker's access list")
    tls: bool = Field(False, description="encrypted, and the broker's certificate is checked; its port is usually 8883")
    ca_file: Path | None = Field(
        None, description="certificate of the authority that signed the broker's (PEM); the system's ones if left out"
    )
    password_file: Path | None = Field(None, description="a file with the password, never the password itself")
    discovery: bool = Field(True, description="announce the table to Home Assistant")
    version: Literal["", "5", "3.1.1"] = Field("", description="what the broker speaks; found out if left empty")
    open: bool = Field(False, description="anybody may write on this broker and that is meant: no warning (demo)")
    enabled: bool = True

    @model_validator(mode="after")
    def _ca_file_is_for_tls(self) -> MqttSection:
        if self.ca_file is not None and not self.tls:
            raise ValueError("ca_file is only used with tls = true")
        return self


class WebSection(_Section):
    """The pages."""

    host: _Host = "0.0.0.0"
    port: int = Field(8080, ge=0, le=65535)
    address: _Name = Field("", description="where people reach the pages, as http://table1.local:8080; hub links to it")
    pin_file: Path | None = Field(None, description="a file with the umpire's PIN; no PIN, no console")
    names: list[_Host] = Field(
        [],
        description="names by which the pages are asked for, besides addresses, localhost, *.local and the host's own",
    )
    display: bool = Field(
        False,
        description="whether this machine's own screen (on localhost) or one with the page /board shows the score; the "
        "club's desk is told while none does",
    )
    connections_per_address: int = Field(40, ge=8, le=10_000, description="connections from one address at once")


class HubSection(_Section):
    """The club's page of many tables (`carrom hub`)."""

    club: _Name = Field("Carrom club", description="the club's name on pages and in results")
    answers: bool = Field(
        False, description="whether referees answer questions here; the user in [mqtt] needs the role umpire"
    )
    season: Annotated[str | Path, Field(union_mode="left_to_right"), AfterValidator(_season)] | None = Field(
        None,
        repr=False,
        description="the season's finished matches and the desk's decisions: a file that the hub makes, or a "
        "PostgreSQL database, `postgresql://user@host/database`; none are kept if left out",
    )
    events: Path | None = Field(
        None,
        description="a folder of drawn events, each a folder of its own with event.toml, entries.csv and fixtures.csv: "
        "the page /event shows how they stand, and its desk writes them; none if left out",
    )
    call_before_min: int = Field(
        15,
        ge=0,
        le=1440,
        description="so many minutes before its time a match is called at the earliest: so early players are there; "
        "1440: as soon as its table is free",
    )
    rest_minutes: int = Field(
        0, ge=0, le=1440, description="so many minutes nobody is called after a match; the desk may call earlier"
    )
    show_table: Annotated[str, AfterValidator(lambda table: table and id_of(table))] = Field(
        "",
        description="the table where spectators sit: of the matches without a table it is the first to be given a "
        "final, and the last to be given another",
    )


class StatisticsSection(_Section):
    """Whose figures over matches `carrom statistics` reckons. Nothing is kept of them but the journal itself."""

    players: list[_Name] = Field([], description="who wants to be counted, named as at the table; nobody else is")
    days: int = Field(365, ge=1, le=3650, description="older matches are not counted")


class JournalSection(_Section):
    """How long matches stay in the journal. `carrom journal` lists, shows, exports and prunes by hand."""

    keep_days: int = Field(
        0,
        ge=0,
        le=36_500,
        description="matches older than this are moved into the archive whenever the daemon starts, all but the two "
        "latest; 0: all stay",
    )
    archive: Path | None = Field(None, description="folder of what was moved out; `archive` in the state folder")
    archive_days: int = Field(
        0, ge=0, le=36_500, description="so long after a match was moved out it is deleted for good; 0: never"
    )


class EvidenceSection(_Section):
    """What is kept of asked, flagged or disputed strokes, and of the latest ten where a match has challenges."""

    folder: Path | None = Field(None, description="not on the journal's device; in memory only if left out")
    budget_mb: int = Field(
        512,
        ge=0,
        description="the oldest go when it is used up; in memory it is an eighth of the computer's at most; 0: nothing "
        "is kept",
    )
    keep_days: int = Field(
        7,
        ge=0,
        le=36_500,
        description="clips and stills older than this are deleted; 0: only when the budget is used up",
    )


class ClockSection(_Section):
    """The clock everything inside runs on."""

    file: Path | None = Field(None, description="a simulated clock; the machine's monotonic clock if left out")


class Config(_Section):
    """The whole configuration; every section may be left out."""

    format: FormatSection = FormatSection()
    table: TableSection = TableSection()
    match: MatchSection = MatchSection()
    board: BoardSection = BoardSection()
    camera: CameraSection = CameraSection()
    pockets: PocketsSection = PocketsSection()
    panel: PanelSection = PanelSection()
    mqtt: MqttSection = MqttSection()
    web: WebSection = WebSection()
    hub: HubSection = HubSection()
    statistics: StatisticsSection = StatisticsSection()
    journal: JournalSection = JournalSection()
    evidence: EvidenceSection = EvidenceSection()
    clock: ClockSection = ClockSection()


def load_config(path: Path) -> Config:
    """Reads and checks a configuration file. Raises ConfigError with file, line, key and the way out."""
    try:
        text = text_of(path, SETTINGS)
    except UnreadableError as error:
        raise ConfigError(
            f"{path}: {error}. Fix: check the path and its rights, or make one with carrom init"
        ) from error
    try:
        values = toml_table(text, replace(SETTINGS, turns=True))
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}. Fix: correct it") from error
    try:
        config = Config.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        raise ConfigError(_explain(path, text, error)) from error
    try:
        board_of(config.board.said())
    except ValueError as error:
        key = str(error).split(maxsplit=1)[0].rstrip(":,")
        raise ConfigError(f"{path}:{line_of(text, ['board', key])}: board.{error}") from error
    return _secrets_from_service_manager(config)


def secret_in(file: Path | None) -> str:
    """Returns the secret that stands in a file, "" where none is named. Raises ConfigError for a file that has none."""
    if file is None:
        return ""
    try:
        return word_of(text_of(file, SECRET).strip(), SECRET.text)
    except UnreadableError as error:
        raise ConfigError(f"{file}: {error}. Fix: write it, as one line, or leave the key out") from error


def secret_written(file: Path | None) -> tuple[int, int] | None:
    """Returns what differs whenever a secret's file was written, even with the same one; None if it is not there."""
    try:
        about = file.stat() if file else None
    except OSError:
        return None
    return (about.st_mtime_ns, about.st_ino) if about else None


def to_toml(config: Config, comment: str = "", remarks: Mapping[str, str] = MappingProxyType({})) -> str:
    """Writes a configuration as a TOML text that `load_config` reads back; what was never set is left out.

    `comment` stands above all, `remarks` each in a line below the name of its section.
    """
    lines = [f"# {line}" for line in comment.splitlines()]
    for name, section in config.model_dump(mode="json", exclude_unset=True, exclude_none=True).items():
        plain = {key: value for key, value in section.items() if not isinstance(value, dict)}
        remark = [f"# {one_line(remarks[name])}"] if name in remarks else []
        lines += ["", f"[{name}]", *remark, *(f"{key} = {_toml_value(value)}" for key, value in plain.items())]
        for key, table in section.items():
            if isinstance(table, dict):
                inner = (f"{_quoted(word)} = {_toml_value(value)}" for word, value in table.items())
                lines += ["", f"[{name}.{key}]", *inner]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    # JSON's strings, numbers, booleans and lists of them are TOML's too; tables inside are written inline.
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)} = {_toml_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(inner) for inner in value) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    # TOML knows no pairs of surrogates, and wants DEL escaped, which JSON does not.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _explain(path: Path, text: str, error: ValidationError) -> str:
    first = error.errors()[0]
    keys = [str(part) for part in first["loc"]]
    line = line_of(text, keys)
    name = one_line(".".join(keys))
    if first["type"] == "extra_forbidden":
        known = _known_keys(keys[:-1])
        what = f"unknown key {name}"
        fix = f"remove it or use one of: {', '.join(known)}" if known else "remove it"
    else:
        # The address of a season's database may hold a password.
        value = "…" if keys[:2] == ["hub", "season"] else shown(first["input"])
        what = f"{name} = {value}: {first['msg'].removeprefix('Value error, ')}"
        fix = "correct the value"
    more = error.error_count() - 1
    tail = f" ({more} more after it)" if more else ""
    return f"{path}:{line}: {what}. Fix: {fix}{tail}"


def _known_keys(section: list[str]) -> list[str]:
    model: type[BaseModel] = Config
    for key in section:
        inner = model.model_fields[key].annotation if key in model.model_fields else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        model = inner
    return list(model.model_fields)


def line_of(text: str, keys: list[str]) -> int:
    """Returns the line (from 1) on which a key of a TOML text stands, or its section's, or 1."""
    section: list[str] = []
    best, depth = 1, 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            section = [part.strip("\"' ") for part in header[1].split(".")]
            here = section
        elif assigned := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            here = section + [part.strip("\"' ") for part in assigned[1].split(".")]
        else:
            continue
        if len(here) > depth and here == keys[: len(here)]:
            best, depth = number, len(here)
    return best


def _secrets_from_service_manager(config: Config) -> Config:
    """A credential handed over by systemd wins over a path in the file: its name is mqtt-password or umpire-pin.

    A blank one stands for a file that is not there: until somebody has written it the broker is asked without password,
    and play does not wait for that.
    """
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if not folder:
        return config
    mqtt, web = Path(folder, "mqtt-password"), Path(folder, "umpire-pin")
    update: dict[str, Any] = {}
    own = config.mqtt.password_file
    if _says_something(mqtt):
        update["mqtt"] = config.mqtt.model_copy(update={"password_file": mqtt})
    elif own is not None and own.name == mqtt.name and secret_written(own) is None:
        update["mqtt"] = config.mqtt.model_copy(update={"password_file": None})
    if _says_something(web):
        update["web"] = config.web.model_copy(update={"pin_file": web})
    return config.model_copy(update=update)


def _says_something(secret: Path) -> bool:
    return secret.is_file() and bool(secret_in(secret))
