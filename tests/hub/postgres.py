"""A real PostgreSQL on a Unix socket in a folder of its own; it takes no root, and so runs as nobody."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import closing
from itertools import count
from pathlib import Path

import psycopg

BIN = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=Path())
SECRET = "s3same-0pen"
OWNER = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}


class Postgres:
    """A server of which each test has a database; `files`: what lies on its disk."""

    def __init__(self) -> None:
        # pytest's own folders are closed to nobody, and too long for a socket.
        self.folder = Path(tempfile.mkdtemp(prefix="carrom-pg-"))
        self.files, secret = self.folder / "data", self.folder / "secret"
        self._numbers, self.log = count(1), []
        secret.write_text(SECRET)
        if OWNER:
            for one in (self.folder, secret):
                shutil.chown(one, OWNER["user"], OWNER["group"])
        words = ["-D", self.files, "-U", "owner", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "--no-sync"]
        subprocess.run([BIN / "initdb", *words], check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **OWNER)
        self.start()

    def start(self) -> None:
        """Returns when it takes connections."""
        words = ["-D", self.files, "-k", self.folder, "-F", "-c", "listen_addresses=", "-c", "autovacuum=off"]
        command = [BIN / "postgres", *words]
        self.child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=self.folder, **OWNER)
        for line in self.child.stderr:
            self.log.append(line)
            if "ready to accept connections" in line:
                # Its log must be read on, or it stops when the pipe is full.
                self._reads = threading.Thread(target=self.log.extend, args=(self.child.stderr,), daemon=True)
                self._reads.start()
                return
        raise AssertionError("".join(self.log))

    def stop(self) -> None:
        """Ends it, and whoever is connected."""
        self.child.send_signal(signal.SIGINT)
        self.child.wait()
        self._reads.join()
        self.child.stderr.close()

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def address(self, database: str, secret: str = SECRET) -> str:
        return f"postgresql://owner:{secret}@/{database}?host={self.folder}"

    def raw(self, address: str) -> bytes:
        """What lies of a database on the disk, but for the log of writings; and what the server has told."""
        with closing(self.connect(address)) as connection:
            connection.execute("CHECKPOINT")
            (number,) = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        files = [one for part in (f"base/{number}", "global", "pg_stat") for one in (self.files / part).iterdir()]
        return b"".join(one.read_bytes() for one in files) + "".join(self.log).encode()

    def base(self, more: str = "") -> str:
        """The address of a new database."""
        name = f"season{next(self._numbers)}"
        with closing(self.connect(self.address("postgres"))) as connection:
            connection.execute(f"CREATE DATABASE {name} {more}")
        return self.address(name)

    def connect(self, address: str) -> psycopg.Connection:
        return psycopg.connect(address, autocommit=True)
