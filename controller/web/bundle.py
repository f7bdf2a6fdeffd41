"""Makes of a page's files what a browser loads at once: one script of all its modules, one sheet of its styles.

Each module becomes a block of one module script, in the order in which a browser would run them; a block keeps its
names to itself, and may await as a module may. That is the same as long as nothing that is exported is assigned anew
and nothing imports in a circle, which is refused here. Pure: texts in, texts out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath

HELD = "__modules"
"""In a bundle, what each module exports."""

_FROM = re.compile(r'^(import|export) \{([^}]*)\} from "(\.[^"]+)";', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class|(?:async )?function) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export|var)\b(?! \{\};).*|\bimport\s*\(.*", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*[\s\S]*?\*/[ \t]*)$", re.MULTILINE)
_NOTHING = re.compile(r"^export \{\};", re.MULTILINE)
_AS = re.compile(r"(\w+) as (\w+)")
_SHEETS = re.compile(r'(?:[ \t]*<link rel="stylesheet" href="/static/[^"]+">\n)+')
_SHEET = re.compile(r'"/static/([^"]+\.css)"')
_MODULE = re.compile(r'(<script type="module" src="/static/)([^"]+)(">)')

Text = Callable[[str], str]
"""The text of a file, by its path in the folder. Raises KeyError where there is none."""


@dataclass(frozen=True)
class _Module:
    """`imports`: (module, name there); `exports`: its names; `code`: its block."""

    exports: frozenset[str]
    imports: tuple[tuple[str, str], ...]
    code: str


def made(name: str, text: Text, version: str) -> str:
    """Returns what is served by the name of a page or of one of its bundles.

    `text(path)`: of a file; raises KeyError where there is none, and so does this. `version`: of them all.
    """
    stem = name.partition(".")[0]
    html = text(f"{stem}.html")
    match name.removeprefix(stem):
        case ".html":
            return page(stem, html, version)
        case ".bundle.mjs":
            return script(html, text)
        case ".bundle.css":
            return styles(html, text)
    raise KeyError(name)


def page(stem: str, html: str, version: str) -> str:
    """Returns a page that loads its bundles, and every other file too, in one version."""
    told = _SHEETS.sub(f'  <link rel="stylesheet" href="/static/{stem}.bundle.css">\n', html, count=1)
    told = _MODULE.sub(rf"\g<1>{stem}.bundle.mjs\g<3>", told)
    return told.replace('"/static/', f'"/static/{version}/')


def styles(html: str, text: Text) -> str:
    """Returns the style sheets that a page names, in their order, as one."""
    found = _SHEETS.search(html)
    return "\n".join(text(name) for name in _SHEET.findall(found[0] if found else ""))


def script(html: str, text: Text) -> str:
    """Returns a page's module and all that it imports as one module.

    Raises ValueError for what no bundle can hold: it says the file and what.
    """
    found = _MODULE.search(html)
    modules: dict[str, _Module] = {}
    if found:
        _gather(found[2], text, modules, ())
    for name, module in modules.items():
        for needed, wanted in module.imports:
            if wanted not in modules[needed].exports:
                raise ValueError(f"{name}: {needed} exports no {wanted}")
    blocks = (f"{{ // {name}\n{module.code}\n}}\n" for name, module in modules.items())
    return f"const {HELD} = {{}};\n" + "".join(blocks)


def _gather(name: str, text: Text, known: dict[str, _Module], through: tuple[str, ...]) -> None:
    """Reads a module after those that it imports, as a browser runs them."""
    if name in through:
        raise ValueError(f"{name}: imports itself by way of {', '.join(through[through.index(name) + 1 :])}")
    if name in known:
        return
    module = _module(name, text(name))
    for needed in dict.fromkeys(needed for needed, _name in module.imports):
        _gather(needed, text, known, (*through, name))
    known[name] = module


def _module(name: str, text: str) -> _Module:
    imports: list[tuple[str, str]] = []
    exports: list[str] = []

    def taken(found: re.Match[str]) -> str:
        does, names, path = found.groups()
        needed = normpath(join(dirname(name), path))
        pairs = list(_pairs(names))
        imports.extend((needed, theirs) for theirs, _ours in pairs)
        if does == "export":
            exports.extend(ours for _theirs, ours in pairs)
        taken = ", ".join(theirs if theirs == ours else f"{theirs}: {ours}" for theirs, ours in pairs)
        return f'const {{ {taken} }} = {HELD}["{needed}"];{_lines(found)}'

    def given(found: re.Match[str]) -> str:
        exports.append(found[1])
        return ""

    # Without the comments that have lines of their own: a quarter of what is sent.
    bare = _NOTHING.sub("", _COMMENT.sub(_lines, text))
    code = _EXPORT.sub(given, _FROM.sub(taken, bare))
    other = _OTHER.search(code)
    if other:
        raise ValueError(f"{name}: a bundle cannot hold {other[0]!r}")
    held = f'{HELD}["{name}"] = {{ {", ".join(exports)} }};'
    return _Module(frozenset(exports), tuple(imports), f"{code.rstrip()}\n{held}")


def _lines(found: re.Match[str]) -> str:
    """As many lines as there were: an error is on its line of the module, counted from where its block begins."""
    return "\n" * found[0].count("\n")


def _pairs(names: str) -> Iterator[tuple[str, str]]:
    """What stands between the braces: the name there, the name here."""
    for one in filter(None, map(str.strip, names.split(","))):
        renamed = _AS.fullmatch(one)
        yield (renamed[1], renamed[2]) if renamed else (one, one)
