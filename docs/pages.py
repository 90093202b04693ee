"""Pages of the documentation site that stand elsewhere in the repository: README, metric cards, benchmarks, changes."""

from __future__ import annotations

import html
import posixpath
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

from spanometer.measures.registry import MeasureTable

ROOT = Path(__file__).parents[1]
_MEASURES = MeasureTable("spans", "entities", "attributes", "mentions", "tags")
MODULES = list(_MEASURES)
"""The modules in the order of the measures."""
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks/index.md",
    **{f"benchmarks/results/{path.name}": f"benchmarks/{path.name}" for path in ROOT.glob("benchmarks/results/*.md")},
    **{f"metrics/{name}/README.md": f"measures/{name}.md" for name in MODULES},
}
"""The page of the site by the file of the repository."""

_HOMES = {page: source for source, page in PAGES.items()}
_LINK = re.compile(r"\]\((?![a-z]+:|#|/)([^)#\s]+)(#[^)\s]*)?\)")
_PICTURE = re.compile(r"\]\(https://raw\.githubusercontent\.com/[^/]+/[^/]+/main/docs/([^)\s]+)\)")
_DESCRIPTION = re.compile(r"^description: >-\n((?:  .*\n)+)", re.MULTILINE)
_CODE = re.compile(r"<code>([^<\n]+)</code>")
"""Code in a line of text."""
_LONGEST, _LONGEST_WIDE = 28, 40
"""The longest names that fit a cell on a phone, and on a wide screen."""
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_config(config: Any) -> Any:
    """Add the pages of the measures to the navigation."""
    (pages,) = (entry["Measures"] for entry in config.nav if "Measures" in entry)
    pages += [f"measures/{name}.md" for name in MODULES]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that stand outside `docs`."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if source.startswith("metrics/"):
            text = _card(source, text)
        elif source.startswith(("benchmarks/", "CHANGELOG")):
            # figures and old news name everything
            text = f"---\nsearch: {{exclude: true}}\n---\n\n{text}"
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Link the site's pages to each other, and files without a page in the repository.

    The README names pages and pictures by their full addresses, for the package index. The site has its own.
    """
    here = page.file.src_uri
    if here == "measures/index.md":
        markdown = markdown.replace("<!-- measures -->", measure_table())
    folder = posixpath.dirname(_HOMES.get(here, f"docs/{here}"))

    def target(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        if not (ROOT / path).exists():
            return match[0]
        if path in PAGES or path.startswith("docs/"):
            path = posixpath.relpath(PAGES.get(path, path.removeprefix("docs/")), posixpath.dirname(here) or ".")
        else:
            path = f"{config.extra['social'][0]['link']}/blob/main/{path}"
        return f"]({path}{match[2] or ''})"

    def own(match: re.Match[str]) -> str:
        path = match[1].strip("/")
        pages = (f"{path}.md", f"{path}/index.md")
        source = next((name for name in pages if files.get_file_from_path(name)), match[1])
        return f"]({posixpath.relpath(source, posixpath.dirname(here) or '.')}{match[2] or ''})"

    markdown = _LINK.sub(target, markdown)
    markdown = _PICTURE.sub(lambda match: f"]({posixpath.relpath(match[1], posixpath.dirname(here) or '.')})", markdown)
    return re.sub(rf"\]\({re.escape(config.site_url)}([^)#\s]*)(#[^)\s]*)?\)", own, markdown)


def measure_table() -> str:
    """Write the table of all modules, from the descriptions in their cards."""
    rows = ["| module | what it computes |", "|---|---|"]
    for name in MODULES:
        source = f"metrics/{name}/README.md"
        description = _DESCRIPTION.search((ROOT / source).read_text(encoding="utf-8"))
        assert description, f"{source} has no description"
        rows.append(f"| [`{name}`](../../{source}) | {' '.join(description[1].split())} |")
    return "\n".join(rows)


def on_page_content(content: str, page: Any, config: Any, files: Files) -> str:
    """Set formulas as MathML, which browsers show without a script, and keep names in one piece."""

    def formula(match: re.Match[str]) -> str:
        if match[2] == "(":
            return convert(html.unescape(match[3]).strip())
        # formulas side by side wrap on a phone
        trees = (convert(part.strip(), display="block") for part in html.unescape(match[3]).split(r"\qquad"))
        return f"<div class=formula data-search-exclude>{''.join(trees)}</div>"

    def code(match: re.Match[str]) -> str:
        return f"<code>{' '.join(map(_whole, match[1].split(' ')))}</code>"

    return _CODE.sub(code, _FORMULA.sub(formula, content))


def _whole(word: str) -> str:
    """Keep a word of code in one piece; a long one may break between its parts."""
    if len(html.unescape(word)) <= _LONGEST:
        return f'<span class="name">{word}</span>'
    parts = re.sub(r"(?<=[.,(=/_])(?=\w)", "<wbr>", word)
    return f'<span class="long name">{parts}</span>' if len(html.unescape(word)) <= _LONGEST_WIDE else parts


def _card(source: str, text: str) -> str:
    """Return a metric card as a page: without what only the Hub reads, and with the measure's reference below it."""
    name = source.split("/")[1]
    title, body = text.split("\n---\n", 1)[1].split("# Metric card: ", 1)[1].split("\n", 1)
    # what somebody looks for is the measure's page, under its name or its title
    head = f"---\ntitle: {title}\nsearch: {{boost: 4}}\n---\n\n# {title} (`{name}`)\n\n"
    body = f'{head}<div class="card" markdown>\n{body}\n</div>\n'
    if name != "seqeval":
        body += f"\n## Reference\n\n::: spanometer.measures.{name}.{_MEASURES[name].__name__}\n"
        body += "    options: {heading_level: 3, members: false}\n"
    return body
