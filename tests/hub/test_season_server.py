"""A season on a real PostgreSQL: away, frozen, held, foreign; and that nothing tells its password."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from controller.cli import main
from controller.commands.hub import Hub
from controller.commands.support_settings import GONE, told
from controller.config import HubSection, WebSection, load_config
from controller.events.doors import database_of
from controller.events.errors import ConfigError, DeviceError, UnreadableError
from controller.hub import season_server
from controller.hub.desk import Act
from controller.hub.season_at import season_at
from controller.hub.season_server import SeasonServer
from controller.mqtt.broker import Broker
from tests.hub.postgres import SECRET, Postgres
from tests.hub.seasons import SEASON, ended, filled, heard
from tests.hub.test_season_hub import broker, publish, wait_for
from tests.web.client import Client

__all__ = ["broker"]

MORE = ("t1", heard(ended("m9", "Chi", "Dev", (25, 1))))


@pytest.fixture
def own():
    """A server that a test may end or freeze."""
    one = Postgres()
    yield one
    one.close()


@pytest.mark.broker
def test_while_the_server_is_away_all_else_goes_on_and_nothing_is_lost(own, broker, caplog, monkeypatch):
    monkeypatch.setattr(season_server, "AWAY_S", 0.01)
    monkeypatch.setattr(season_server, "LOOK_S", 0.0)
    monkeypatch.setattr("controller.hub.season_writer.BEAT_S", 0.05)
    place = own.base()
    season_at(place).put(())
    own.stop()
    web = WebSection(host="127.0.0.1", port=0)
    with Hub(Broker("127.0.0.1", broker.port), web, HubSection(season=place)) as hub:
        client = Client(hub.port)
        publish(broker, *SEASON)
        wait_for(lambda: len(client.get("/day/state").json["results"]) == len(SEASON))
        said = client.get("/season/state").json
        assert (said["trouble"], said["standings"], hub.trouble()) == (True, [], "")
        own.start()
        wait_for(lambda: client.get("/season/state").json["matches"] == 4)
        assert client.get("/season/state").json["trouble"] is False
        client.get("/day/state")
    assert len(season_at(place).matches()) == len(SEASON)
    for what in ("the season is not kept", "the season cannot be read", "the desk's acts cannot be read"):
        said = [one for one in caplog.messages if one.startswith(f"{what}: ")]
        assert [one.endswith(": it works again") for one in said] == [False, True], said
    assert database_of(place) in caplog.text
    assert SECRET not in caplog.text
    assert not any("\n" in one for one in caplog.messages)


@pytest.mark.live
def test_a_server_that_freezes_in_the_middle_holds_nobody_up_and_has_kept_nothing(own, monkeypatch):
    place, frozen = own.base(), []
    store = filled(place)
    monkeypatch.setattr(season_server._Heard, "silent_s", 0.5)

    def freezing():
        yield MORE
        with closing(own.connect(place)) as connection:
            (frozen[:],) = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'"
            ).fetchall()
        os.kill(*frozen, signal.SIGSTOP)
        yield MORE

    try:
        with pytest.raises(DeviceError, match=r"has said nothing for .* Fix: "):
            store.put(freezing())
    finally:
        os.kill(*frozen, signal.SIGCONT)
    monkeypatch.undo()
    assert store.put([MORE]) == 1
    assert len(store.matches()) == len(SEASON) + 1


@pytest.mark.live
def test_who_takes_connections_and_never_answers_is_given_up(monkeypatch):
    monkeypatch.setattr(season_server, "SILENT_S", 1)
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{folder}/.s.PGSQL.5432")
        silent.listen()
        with pytest.raises(DeviceError, match=r"timeout expired\. Fix: "):
            season_at(f"postgresql://asha@/d?host={folder}&connect_timeout=999").put([MORE])


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_server_that_does_not_answer_is_asked_seldom_and_by_one_alone(monkeypatch):
    tries, clock = [], Clock()
    store = SeasonServer("postgresql://asha@10.0.0.5/season", clock)
    told_meanwhile = []

    def connect(*_args, **_how):
        tries.append(clock.now)
        if len(tries) == 2:
            with pytest.raises(DeviceError) as raised:
                store.matches()
            told_meanwhile.append(str(raised.value))
        raise psycopg.OperationalError("timeout expired")

    monkeypatch.setattr(season_server._Heard, "connect", connect)
    for clock.now in (0.0, 1.0, 4.9, 5.1, 6.0, 10.0, 10.2):
        with pytest.raises(DeviceError, match=r"asha@10\.0\.0\.5/season: timeout expired\. Fix: ") as raised:
            store.version()
    assert tries == [0.0, 5.1, 10.2]
    assert told_meanwhile == [str(raised.value)]


@pytest.mark.live
def test_many_pages_ask_once_and_own_acts_are_seen_at_once(postgres):
    clock, place = Clock(), postgres.base()
    store, other = SeasonServer(place, clock), SeasonServer(place)
    assert store.version() == ()
    store.put([MORE])
    first = store.version()
    other.decide(Act("f1", "aside", 0.0))
    assert store.version() == first
    clock.now += season_server.LOOK_S
    second = store.version()
    assert second != first
    store.decide(Act("f2", "aside", 0.0))
    third = store.version()
    assert third != second
    store.put([MORE])
    assert store.version() == third, "nothing was new"


@contextmanager
def putting(postgres, place):
    """Begun when a match to be kept waits for a lock; the number of new ones is there when it is left."""
    found = []
    waits = threading.Thread(target=lambda: found.append(season_at(place).put([MORE])))
    waits.start()
    with closing(postgres.connect(place)) as looks:
        wait_for(lambda: looks.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall())
    yield found
    waits.join()


@pytest.mark.live
def test_who_makes_the_season_in_the_same_moment_finds_the_others(postgres):
    place = postgres.base()
    with closing(postgres.connect(place)) as other:
        other.execute(f"SELECT pg_advisory_lock({season_server.MAKING})")
        with putting(postgres, place) as found:
            for statement in season_server._TABLES:
                other.execute(statement)
            other.execute(f"SELECT pg_advisory_unlock({season_server.MAKING})")
    assert found == [1]


@pytest.mark.live
def test_who_holds_the_season_is_waited_for_and_named(postgres, monkeypatch):
    monkeypatch.setattr(season_server, "HELD_S", 0.01)
    place = postgres.base()
    store = filled(place)
    with closing(postgres.connect(place)) as other:
        other.execute("BEGIN")
        other.execute("SELECT version FROM season FOR UPDATE")
        with pytest.raises(DeviceError, match="stop that one and say it again"):
            store.put([MORE])
        assert len(store.matches()) == len(SEASON), "who reads is not held up"
    monkeypatch.undo()
    with closing(postgres.connect(place)) as other:
        other.execute("BEGIN")
        other.execute("SELECT version FROM season FOR UPDATE")
        with putting(postgres, place) as found:
            other.execute("COMMIT")
    assert found == [1]


@pytest.mark.live
def test_while_all_is_read_what_another_writes_is_not_half_of_it(postgres, monkeypatch):
    place = postgres.base()
    store = filled(place)
    before, read = store.matches(), []
    really = store._read

    def reads(body):
        if not read:
            read.append(1)
            season_at(place).put([("t1", heard(ended("m1", "Asha Rao", "Ben Kim", (25, 5), day=9))), MORE])
        return really(body)

    store.put([("t2", heard(ended("m2", "Ben Kim", "आशा", (25, 21), day=2)))])
    corrected = store.matches()
    monkeypatch.setattr(store, "_read", reads)
    assert store.matches() == corrected != before
    assert len(store.matches()) == len(SEASON) + 1


@pytest.mark.parametrize(
    ("made", "statements", "error", "says"),
    [
        ("", ["CREATE TABLE matches(match TEXT)"], ConfigError, "is no season, or is damaged"),
        ("", ["CREATE TABLE season(year INTEGER)"], ConfigError, "is no season, or is damaged"),
        ("", ["CREATE TABLE season(format INTEGER, version BIGINT)"], ConfigError, "its table season is empty"),
        ("ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'", [], ConfigError, "keeps no name in LATIN1"),
        ("", ["ALTER ROLE owner SET default_transaction_read_only = on"], DeviceError, "read-only transaction"),
    ],
)
@pytest.mark.live
def test_a_database_that_is_no_season_or_cannot_be_written_is_one_line(postgres, made, statements, error, says):
    place = postgres.base(made)
    with closing(postgres.connect(place)) as connection:
        try:
            for statement in statements:
                connection.execute(statement)
            before = connection.execute("SELECT count(*) FROM pg_class").fetchone()
            with pytest.raises(error, match=f"{says}.*Fix: ") as raised:
                season_at(place).put([MORE])
            assert "\n" not in str(raised.value)
            assert connection.execute("SELECT count(*) FROM pg_class").fetchone() == before
        finally:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute("ALTER ROLE owner RESET default_transaction_read_only")


@pytest.mark.live
def test_a_season_of_a_newer_carrom_and_a_user_without_rights_are_one_line(postgres):
    place = postgres.base()
    with closing(postgres.connect(place)) as connection:
        connection.execute(f"CREATE ROLE guest LOGIN PASSWORD '{SECRET}'")
        guest = season_at(place.replace("owner", "guest"))
        with pytest.raises(DeviceError, match="let this user make tables there"):
            guest.put([MORE])
        connection.execute("DROP ROLE guest")
        store = filled(place)
        connection.execute("UPDATE season SET format = 99")
    for does in (lambda: store.put([MORE]), store.matches, lambda: store.forget("A"), store.version):
        with pytest.raises(ConfigError, match="is of a newer carrom"):
            does()


@pytest.fixture
def hub(tmp_path):
    """Writes a hub's configuration that names a season."""

    def hub(place):
        (tmp_path / "hub.toml").write_text(f'[hub]\nseason = "{place}"\n')
        return tmp_path / "hub.toml"

    return hub


@pytest.mark.live
def test_the_command_reads_and_forgets_on_a_server_and_takes_the_password_from_its_file(
    postgres, hub, tmp_path, capsys, monkeypatch
):
    place = postgres.base()
    filled(place)
    (tmp_path / "pgpass").write_text(f"*:*:*:owner:{SECRET}\n")
    (tmp_path / "pgpass").chmod(0o600)
    config = hub(place.replace(f":{SECRET}", ""))
    assert main(["season", "standings", "--config", str(config)]) == 2
    assert "no password supplied" in capsys.readouterr().err
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    assert main(["season", "standings", "--config", str(config)]) == 0
    assert "asha  rao" in capsys.readouterr().out
    assert main(["season", "forget", "Asha Rao", "--config", str(config)]) == 0
    assert main(["season", "person", "Asha Rao", "--config", str(config)]) == 2
    assert "nobody in the season is called Asha Rao" in capsys.readouterr().err


@pytest.mark.live
def test_a_wrong_password_is_one_line_without_it(postgres, hub, capsys):
    config = hub(postgres.base().replace(SECRET, "wr%40ng-0pen"))
    assert main(["season", "standings", "--config", str(config)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "password authentication failed" in line
    assert "Fix: " in line
    assert "ng-0pen" not in line


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://asha:s3same@h", "postgresql://asha:s3s@me@h/d", "postgresql://asha:s3s/me@h/d",
        "postgresql://asha:s3s#me@h/d", "postgresql://asha:s3same/d", "postgre://asha:s3same@h/d",
        "mysql://asha:s3same@h/d", "postgresql://asha:s3same\u202e@h/d", "postgresql://asha:s3 same@h/d",
        "postgresql://h:70s3/d",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_without_quoting_it(hub, address):
    with pytest.raises(UnreadableError):
        database_of(address)
    with pytest.raises(ConfigError, match=r"hub\.toml:2: hub\.season = …: .*Fix: ") as raised:
        load_config(hub(address))
    assert "s3" not in str(raised.value)


@pytest.mark.parametrize("address", ["postgresql://asha:s3%zz@h/d", "postgresql://asha@h/d?secret=s3same"])
def test_what_the_drivers_library_cannot_read_is_not_quoted(address):
    with pytest.raises(ConfigError, match=r"asha@h/d: is no address that can be read\. Fix: ") as raised:
        season_at(address)
    assert "s3" not in str(raised.value)


def test_neither_the_support_archive_nor_a_logged_configuration_has_the_password(hub):
    config = hub("postgresql://asha:s3same@h/club?sslpassword=s3cond")
    shown, hidden = told(config.read_text())
    assert f'season = "{GONE}"' in shown
    assert {"asha", "s3same", "s3cond"} <= hidden
    assert "s3" not in repr(load_config(config))


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://asha:s3@h:5432/d?sslmode=require", "postgresql://asha@h:5432/d"),
        ("postgres:///d", "postgresql:///d"),
        ("postgresql://asha@[fd00::3]:5,h2/d", "postgresql://asha@[fd00::3]:5,h2/d"),
        ("postgresql://asha:@/d?host=/run/postgresql", "postgresql://asha@/d"),
    ],
)
def test_an_address_is_shown_without_password_and_options(address, shown):
    assert (database_of(address), season_at(HubSection(season=address).season).name) == (shown, shown)


def test_where_the_driver_is_missing_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "controller.hub.season_server")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"psycopg is missing\. Fix: pip install carrom-umpire\[postgres\]"):
        season_at("postgresql://asha@h/d")


@pytest.mark.live
def test_the_driver_is_not_loaded_for_a_file(tmp_path):
    does = (
        "import sys, controller.commands.hub, controller.commands.season; from pathlib import Path; "
        "from controller.hub.season_at import season_at; season_at(Path('s')); sys.exit('psycopg' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", does], cwd=Path(__file__).parents[2]).returncode == 0
