"""What a camera hears of who asks: Basic (RFC 7617) and Digest (RFC 7616). Pure."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from urllib.request import parse_http_list

from controller.vision.sources.camera_address import Login

HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}
COUNT = "00000001"
"""How often a camera's word was answered: it gives a new one with each refusal, and one answer is enough."""


def authorization(asked: Sequence[str], login: Login, path: str, fresh: str) -> bytes | None:
    """Returns the Authorization header that answers one of a camera's `WWW-Authenticate` headers, for a GET of `path`.

    Digest is preferred, as it does not send the password; `fresh`: a word of its own for each answer.
    None where all are of kinds that are not known.
    """
    offers = [(scheme.lower(), rest) for scheme, _, rest in (one.strip().partition(" ") for one in asked)]
    for scheme, rest in offers:
        if scheme == "digest" and (answer := _digest(rest, login, path, fresh)) is not None:
            return answer
    if any(scheme == "basic" for scheme, _ in offers):
        return b"Basic " + base64.b64encode(f"{login.user}:{login.password}".encode())
    return None


def _digest(offer: str, login: Login, path: str, fresh: str) -> bytes | None:
    said = {name.strip().lower(): value.strip().strip('"') for name, _, value in map(_halves, parse_http_list(offer))}
    algorithm = said.get("algorithm", "MD5")
    named, session, _ = algorithm.upper().partition("-SESS")
    qops = [one.strip().lower() for one in said.get("qop", "").split(",")]
    if named not in HASHES or not ("auth" in qops or qops == [""]):
        return None
    hashed: Callable[[str], str] = lambda text: HASHES[named](text.encode()).hexdigest()  # noqa: E731 - one use
    realm, nonce = said.get("realm", ""), said.get("nonce", "")
    who = hashed(f"{login.user}:{realm}:{login.password}")
    if session:
        who = hashed(f"{who}:{nonce}:{fresh}")
    counted = f"{COUNT}:{fresh}:auth:" if qops != [""] else ""
    words = {"username": login.user, "realm": realm, "nonce": nonce, "uri": path}
    words["response"] = hashed(f"{who}:{nonce}:{counted}{hashed(f'GET:{path}')}")
    if "opaque" in said:
        words["opaque"] = said["opaque"]
    if counted or session:
        words["cnonce"] = fresh
    quoted = [f'{name}="{_escaped(value)}"' for name, value in words.items()]
    plain = [f"algorithm={algorithm}"] if "algorithm" in said else []
    plain += ["qop=auth", f"nc={COUNT}"] if counted else []
    return f"Digest {', '.join(quoted + plain)}".encode()


def _halves(parameter: str) -> tuple[str, str, str]:
    return parameter.partition("=")


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
