"""A notebook that has been run, as the HTML of a page: prose, code and outputs; explorers and questions to be woken."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from nbconvert.filters import ansi2html, markdown2html
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from widgets.site.formulas import with_mathml
from widgets.site.reels import compressed

VIEW = "application/vnd.jupyter.widget-view+json"
QUESTION = "-ask"  # how the id of a question's cell ends; what follows it is hidden until the reader has committed


@dataclass
class Page:
    """The body of a page, and each explorer on it under the id of its cell."""

    parts: list[str] = field(default_factory=list)
    explorers: dict[str, str] = field(default_factory=dict)


def page_of(notebook: NotebookNode, shipped: Mapping[str, dict]) -> Page:
    """The cells in order. shipped: model id -> what the page needs to play that widget (widgets.site.shipping)."""
    page, asked = Page(), ""
    for cell in notebook.cells:
        if asked and not cell.id.startswith(f"{asked}-"):
            asked = ""
        after = f' data-after="{asked}"' if asked else ""
        if cell.cell_type == "markdown":
            page.parts.append(f'<div class="prose"{after}>{_prose(cell.source)}</div>')
        else:
            page.parts.append(_code(cell, shipped, after, page))
        if cell.id.endswith(QUESTION):
            asked = cell.id.removesuffix(QUESTION)
    return page


def _prose(markdown: str) -> str:
    """The corner of a table over its row names is no heading of anything."""
    return re.sub(r"<th[^>]*></th>", "<td></td>", markdown2html(with_mathml(markdown)))


def _code(cell: NotebookNode, shipped: Mapping[str, dict], after: str, page: Page) -> str:
    outputs = "".join(_output(output, cell.id, shipped, page) for output in cell.outputs)
    source = "" if _hidden(cell) else highlight(cell.source, PythonLexer(), HtmlFormatter(cssclass="code"))
    return source + (f'<div class="output"{after}>{outputs}</div>' if outputs else "")


def _hidden(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden")) or cell.id.endswith(QUESTION)


def _output(output: NotebookNode, cell: str, shipped: Mapping[str, dict], page: Page) -> str:
    if output.output_type == "stream":
        return f"<pre>{ansi2html(output.text)}</pre>"
    data = output.get("data", {})
    model = data.get(VIEW, {}).get("model_id")
    said = output.get("metadata", {}).get("image/png", {}).get("alt") or data.get("text/plain", "")
    if model in shipped:
        return _widget(shipped[model], data, said, cell, page)
    if "text/html" in data:
        return data["text/html"]
    if "image/png" in data:
        return _picture(data, said)
    return f"<pre>{html.escape(data.get('text/plain', ''))}</pre>"


def _widget(ship: dict, data: Mapping[str, str], said: str, cell: str, page: Page) -> str:
    """A question as a form; an explorer as its picture, which the script replaces when it is near the window."""
    kind = ship["kind"]
    if kind == "question":
        words, topic = html.escape(data.get("text/plain", "")), cell.removesuffix(QUESTION)
        return f'<div class="ask" id="{cell}" data-topic="{topic}"><pre>{words}</pre>{_packed(ship)}</div>'
    figure = f'<figure class="explorer" data-cell="{cell}">{_picture(data, said)}{_packed(ship)}</figure>'
    if not ship["moves"]:
        return figure
    page.explorers[cell] = figure
    return f'{figure}<p class="alone"><a href="{{alone}}{cell}.html">This explorer alone, for a second screen</a></p>'


def _picture(data: Mapping[str, str], said: str) -> str:
    """A picture with what it says in words: its own sentence, or its numbers where it has none."""
    words = html.escape(" ".join(said.split()))
    return f'<img alt="{words}" src="data:image/png;base64,{data["image/png"].strip()}">'


def _packed(ship: dict) -> str:
    return f'<script type="text/plain">{compressed(ship)}</script>'
