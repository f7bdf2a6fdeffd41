"""The pages and their files, as they were when the process began: nobody is ever sent half of two versions.

A page names its files below `/static/VERSION/`, a digest of them all; what lies there a browser keeps for good and asks
for no more. Below `/static/` alone the same files have addresses that stay; these are asked for anew each time, as are
the pages. Must not know what they show.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from controller.web import bundle
from controller.web.answers import error

KINDS = {
    ".css": "text/css",
    ".ftl": "text/plain",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
}
"""What is served, and as what."""
PACKED = ".woff2"
"""Compressed in itself."""
MADE = (".html", ".bundle.mjs", ".bundle.css")
FOR_GOOD = "public, max-age=31536000, immutable"
ANEW = "no-cache"


class Files:
    """The files of a folder. All are read as it is made; bundled and compressed once each, when first asked for."""

    def __init__(self, folder: Path) -> None:
        found = sorted(path for path in folder.rglob("*") if path.suffix in KINDS)
        self._bodies = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
        digest = hashlib.blake2b(digest_size=8)
        for name, body in self._bodies.items():
            digest.update(f"{name}\0{len(body)}\0".encode() + body)
        self.version = digest.hexdigest()
        self._plain, self._gzipped = cache(self._make), cache(self._compress)

    def routes(self) -> Mount:
        """The route of every file."""
        return Mount("/static", routes=[Route("/{path:path}", self._file)])

    def page(self, name: str) -> Callable[[Request], Response]:
        """Returns the route of one page, which names the present version's files."""

        def serve(request: Request) -> Response:
            return self._answer(request, name, ANEW)

        return serve

    # Not coroutines: what is compressed for the first time must not hold up the loop that serves everybody.

    def _file(self, request: Request) -> Response:
        path = request.path_params["path"]
        version, _slash, name = path.partition("/")
        return self._answer(request, name, FOR_GOOD) if version == self.version else self._answer(request, path, ANEW)

    def _answer(self, request: Request, name: str, kept: str) -> Response:
        try:
            body, tag = self._plain(name)
        except KeyError:
            return error(404, "there is no such file")
        headers = {"cache-control": kept, "etag": tag, "vary": "accept-encoding"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        ending = "." + name.rpartition(".")[2]
        if ending != PACKED and "gzip" in request.headers.get("accept-encoding", ""):
            body = self._gzipped(name)
            headers["content-encoding"] = "gzip"
        return Response(body, headers=headers, media_type=KINDS[ending])

    def _make(self, name: str) -> tuple[bytes, str]:
        """What is served by a name, and its tag, the same however it is sent. Raises KeyError if there is nothing."""
        made = name.endswith(MADE)
        body = bundle.made(name, self._text, self.version).encode() if made else self._bodies[name]
        return body, f'W/"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'

    def _compress(self, name: str) -> bytes:
        return gzip.compress(self._plain(name)[0], 9, mtime=0)

    def _text(self, name: str) -> str:
        return self._bodies[name].decode()


files_of = cache(Files)
"""The files of a folder, the same for all that this process serves."""
