"""Pages around the bodies: a lesson, one explorer alone, the contents."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template

import nbformat
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from widgets.explorers.predict import Prediction
from widgets.flipbook.flipbook import Flipbook
from widgets.site.notebook import page_of

_HERE = Path(__file__).parent
_PAGE = Template((_HERE / "page.html").read_text(encoding="utf-8"))
COURSE = "RMSNorm and SwiGLU, with your hands on them"
ALONE = "explorers/"


def heading(path: Path) -> tuple[str, str]:
    """The title of a lesson and the question it answers, from its first cell."""
    first = nbformat.read(path, as_version=4).cells[0].source
    title, question = re.search(r"^# (.+)$", first, re.M), re.search(r"\*\*(.+?)\*\*", first)
    return title[1] if title else path.stem, question[1] if question else ""


def lesson_pages(name: str, titles: Mapping[str, tuple[str, str]], done: NotebookNode, shipped: dict) -> dict[str, str]:
    """File name -> page: the lesson, and each of its explorers that moves on a page of its own."""
    page, title = page_of(done, shipped), titles[name][0]
    parts = "\n".join(page.parts).replace("{alone}", f"{ALONE}{name}-")
    pages = {f"{name}.html": whole(title, parts, _neighbours(name, list(titles)))}
    for cell, figure in page.explorers.items():
        label = f'<h1 class="unseen">{html.escape(title)}: {cell}</h1>'
        pages[f"{ALONE}{name}-{cell}.html"] = whole(f"{title}: {cell}", label + figure, "")
    return pages


def contents_page(titles: Mapping[str, tuple[str, str]]) -> str:
    """A list of the lessons, each with its question."""
    rows = (
        f'<li><a href="{name}.html">{html.escape(title)}</a>: {html.escape(question)}</li>'
        for name, (title, question) in titles.items()
    )
    words = (
        "Everything here moves without a network and without Python. To run and change the code, and for the exercises "
        "that check what you write, take the course itself: python3 course.py lab."
    )
    return whole(COURSE, f"<h1>{COURSE}</h1><p>{words}</p><ul>{''.join(rows)}</ul>", "")


def _neighbours(name: str, names: list[str]) -> str:
    at = names.index(name)
    links = ['<a class="skip" href="#main">To the lesson</a>', '<a href="index.html">Contents</a>']
    links += [f'<a rel="prev" href="{names[at - 1]}.html">Back: {names[at - 1]}</a>'] if at else []
    links += [f'<a rel="next" href="{names[at + 1]}.html">Next: {names[at + 1]}</a>'] if at + 1 < len(names) else []
    return f'<nav aria-label="Lessons">{"".join(links)}</nav>'


def whole(title: str, body: str, links: str) -> str:
    """A page that needs nothing beside it."""
    return _PAGE.substitute(title=html.escape(title), style=_style(), before=links, body=body, script=_script())


@cache
def _style() -> str:
    code = HtmlFormatter(cssclass="code", style="xcode").get_style_defs(".code")
    dark = HtmlFormatter(cssclass="code", style="github-dark").get_style_defs(".code")
    own = (_HERE / "page.css").read_text(encoding="utf-8")
    sheets = [code, f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}", Flipbook._css, Prediction._css, own]
    return "\n".join(sheets)


@cache
def _script() -> str:
    """flipbook.js and predict.js as they are, under names of their own, and the page's own lines."""
    players = [
        f"const {name} = (() => {{\n{_returning(script)}\n}})();"
        for name, script in (("flipbook", Flipbook._esm), ("question", Prediction._esm))
    ]
    return "\n".join([*players, (_HERE / "page.js").read_text(encoding="utf-8")])


def _returning(script: str) -> str:
    return re.sub(r"^export default (.+?);?$", r"return \1;", script, flags=re.M)
