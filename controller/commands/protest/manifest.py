"""The list of a protest's parts with what it is about, and its signature: as text and back. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256

from pydantic import TypeAdapter

from controller.events.doors import MESSAGE, SECRET, json_object, json_text
from controller.events.errors import UnreadableError
from controller.events.reading import FromJson, Number, Whole, read

KIND, VERSION = "carrom protest", 1
HOW = "Ed25519"

MANIFEST, SIGNATURE = "manifest.json", "signature.json"
PAGE, EVENTS, CHAIN, FELT = "protest.pdf", "events.jsonl", "chain.jsonl", "observed.jsonl"
CLAUSES, BOOK = "clauses.json", "book.toml"
CALIBRATION, ACCEPTANCE, CERTIFICATE = "calibration.json", "acceptance.json", "acceptance.pdf"
CLIP = "clip"
"""The folder of the clip's parts."""


@dataclass(frozen=True, slots=True)
class Part(FromJson):
    """One part: its path in the archive, its size in bytes, its SHA-256."""

    path: str
    size: Whole
    sha256: str


@dataclass(frozen=True, slots=True)
class Missing(FromJson):
    """What the file lacks, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Manifest(FromJson):
    """What a protest is about, and its parts. Times in Unix seconds. `by`: who protests, "" where nobody was named;
    `chain_since`: the event at which the journal's chain begins, None without one; `chain_head`: its latest hash;
    `books_sha256`: of the program's rulebooks; `names_left_out`: letters stand for people."""

    kind: str
    version: Whole
    match: str
    stroke: Whole
    by: str
    table: str
    made_unix: Number
    ruled_unix: Number
    names_left_out: bool
    program: str
    journal_format: Whole
    book: str
    books_sha256: str
    chain_since: Whole | None
    chain_head: str
    missing: tuple[Missing, ...]
    parts: tuple[Part, ...]


_MANIFEST = TypeAdapter(Manifest)


def part(path: str, body: bytes) -> Part:
    """Returns a part's line of the list."""
    return Part(path, len(body), sha256(body).hexdigest())


def manifest_text(manifest: Manifest) -> bytes:
    """Returns the list as it is signed."""
    return (json_text(asdict(manifest), indent=1) + "\n").encode()


def read_manifest(raw: bytes) -> Manifest:
    """Reads a list. Raises UnreadableError or EventError for what is none, or is of a newer program."""
    body = json_object(raw, MESSAGE)
    if body.get("kind") != KIND:
        raise UnreadableError(f"is no list of a {KIND}")
    if body.get("version") != VERSION:
        raise UnreadableError(f"is of version {body.get('version')!r}, this carrom reads {VERSION}")
    return read(_MANIFEST, body)


def signature_text(public: str, signature: str) -> bytes:
    """Returns a signature as it stands in the archive: public key and signature as hexadecimal digits."""
    return (json_text({"how": HOW, "public_key": public, "signature": signature}, indent=1) + "\n").encode()


def read_signature(raw: bytes) -> tuple[str, str]:
    """Reads public key and signature. Raises UnreadableError for any other writing than `signature_text`'s: a digit's
    other case would be a changed byte that changes nothing."""
    body = json_object(raw, SECRET)
    try:
        public, signature = (bytes.fromhex(str(body.get(key))).hex() for key in ("public_key", "signature"))
    except ValueError:
        public = signature = ""
    if signature_text(public, signature) != raw:
        raise UnreadableError("is not as carrom protest writes it")
    return public, signature
