"""How pages and their files are sent: compressed, in few requests, at addresses of one version, kept for good."""

from __future__ import annotations

import gzip
import http.client
import re
from pathlib import Path

import pytest

from controller.web import bundle
from controller.web.app import STATIC
from controller.web.files import FOR_GOOD, Files

PAGES = ["/", "/umpire", "/player", "/join", "/jury", "/board", "/book"]
CLUBS = ["/", "/referee", "/tables/t1", "/hall", "/day", "/event", "/season"]
MOST = 150_000
"""Bytes of a page and what it asks for until it stands there, without fonts; promised are 200 kB."""
ASKED = 14
WEIGHS = """() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const light = all.filter(({ name }) => !name.endsWith('.woff2'));
  return [light.reduce((sum, one) => sum + one.encodedBodySize, 0), light.map(({ name }) => new URL(name).pathname)];
}"""


def ask(client, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    link = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    sent = {"accept-encoding": "gzip", **{name.replace("_", "-"): value for name, value in headers.items()}}
    link.request("GET", path, headers=sent)
    answer = link.getresponse()
    got = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    link.close()
    return got


def files_of_page(client, page: str) -> list[str]:
    _status, _headers, body = ask(client, page)
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', gzip.decompress(body).decode())


@pytest.fixture
def folder(tmp_path) -> Path:
    for name, text in {
        "one.html": '<script type="module" src="/static/one.mjs"></script>\n',
        "one.mjs": 'import { b } from "./two.mjs";\nexport const a = b;\n',
        "two.mjs": "export const b = 2;\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.live
@pytest.mark.parametrize("page", PAGES)
def test_whatever_a_page_names_is_kept_for_good_and_compressed(client, page):
    check_files(client, page)


@pytest.mark.live
@pytest.mark.parametrize("page", CLUBS)
def test_whatever_a_clubs_page_names_is_kept_for_good_and_compressed(club, page):
    check_files(club.client, page)


def check_files(client, page: str) -> None:
    named = files_of_page(client, page)
    assert len([one for one in named if one.endswith((".mjs", ".css"))]) == 2, "one script, one style sheet"
    for path in named:
        status, headers, body = ask(client, path)
        assert (status, headers["cache-control"]) == (200, FOR_GOOD), path
        if not path.endswith(".woff2"):
            assert headers["content-encoding"] == "gzip", path
            assert headers["vary"] == "accept-encoding"
            plain = ask(client, path, accept_encoding="identity")
            assert "content-encoding" not in plain[1], path
            assert plain[2] == gzip.decompress(body), path


@pytest.mark.live
@pytest.mark.parametrize("path", ["/umpire", "/static/openapi.json", "/static/words/hi.ftl", "/static/live.mjs"])
def test_addresses_that_stay_are_asked_for_anew_and_sent_where_they_differ(client, path):
    status, headers, _body = ask(client, path)
    assert (status, headers["cache-control"]) == (200, "no-cache")
    assert ask(client, path, if_none_match=headers["etag"])[::2] == (304, b"")
    assert ask(client, path, if_none_match='W/"another"')[0] == 200


@pytest.mark.live
def test_another_versions_file_is_not_there(client):
    there = next(one for one in files_of_page(client, "/umpire") if one.endswith(".mjs"))
    version = there.split("/")[2]
    assert ask(client, there)[0] == 200
    assert ask(client, there.replace(version, "0" * len(version)))[0] == 404


def test_another_file_is_another_version(folder):
    before = Files(folder).version
    assert Files(folder).version == before
    (folder / "two.mjs").write_text("export const b = 3;\n")
    assert Files(folder).version != before


@pytest.mark.parametrize("page", sorted(path.name for path in STATIC.glob("*.html")))
def test_every_page_can_be_bundled(page):
    script = bundle.script((STATIC / page).read_text(), lambda name: (STATIC / name).read_text())
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    assert "{ // vendor/fluent/bundle.js\n" in script


def bundled(**modules: str) -> str:
    texts = {f"{name}.mjs": text for name, text in modules.items()}
    return bundle.script('<script type="module" src="/static/one.mjs"></script>', texts.__getitem__)


def test_a_module_stands_after_those_that_it_imports_and_names_what_it_takes_of_them():
    made = bundled(
        one='import { a, b as c } from "./two.mjs";\nimport { d } from "./three.mjs";\nexport const e = a + c + d;\n',
        two='// a remark\nexport { d } from "./three.mjs";\nexport const a = 1;\nexport function b() {}\n',
        three="export const d = await 3;\n",
    )
    assert made == (
        "const __modules = {};\n"
        '{ // three.mjs\nconst d = await 3;\n__modules["three.mjs"] = { d };\n}\n'
        '{ // two.mjs\n\nconst { d } = __modules["three.mjs"];\nconst a = 1;\nfunction b() {}\n'
        '__modules["two.mjs"] = { d, a, b };\n}\n'
        '{ // one.mjs\nconst { a, b: c } = __modules["two.mjs"];\nconst { d } = __modules["three.mjs"];\n'
        'const e = a + c + d;\n__modules["one.mjs"] = { e };\n}\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "export let a = 1;",
        "export default 1;",
        'export * from "./two.mjs";',
        'import * as two from "./two.mjs";',
        'import "./two.mjs";',
        'const two = await import("./two.mjs");',
        "var a = 1;",
    ],
)
def test_what_a_bundle_would_not_do_as_a_browser_does_is_refused(text):
    with pytest.raises(ValueError, match=r"one\.mjs: a bundle cannot hold"):
        bundled(one=text, two="export const a = 1;")


def test_what_is_not_exported_and_circles_are_refused():
    with pytest.raises(ValueError, match=r"one\.mjs: two\.mjs exports no b"):
        bundled(one='import { b } from "./two.mjs";', two="export const a = 1;")
    with pytest.raises(ValueError, match=r"one\.mjs: imports itself by way of two\.mjs"):
        bundled(one='import { b } from "./two.mjs";', two='import { a } from "./one.mjs";\nexport const b = a;')


def light(page) -> None:
    weight, asked = page.evaluate(WEIGHS)
    assert 20_000 < weight <= MOST, asked
    assert len(asked) <= ASKED, asked
    version = Files(STATIC).version
    assert [one for one in asked if one.startswith("/static/") and not one.startswith(f"/static/{version}/")] == []


@pytest.mark.browser
def test_the_console_is_light(console):
    light(console)


@pytest.mark.browser
def test_the_players_page_is_light(player):
    light(player)


@pytest.mark.browser
@pytest.mark.parametrize(("path", "there"), [("/umpire", "#pin"), ("/", "[data-points=south]")])
def test_a_strangers_page_is_light(page, path, there):
    page.goto(path)
    page.locator(there).wait_for()
    light(page)


@pytest.mark.browser
@pytest.mark.parametrize(("path", "there"), [("/", "#tables > *"), ("/day", "#next > *")])
def test_a_clubs_page_is_light(phone, path, there):
    phone.goto(path)
    phone.locator(there).first.wait_for()
    light(phone)
