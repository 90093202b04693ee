"""HTML of the Spaces' pages: every text that comes from outside goes through `escape`."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence

from ..errors import InputError

# the page's framework fills templates between these, also in what it is given
_TEMPLATE_MARKS = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "@": "&#64;"})

_LONGEST = 120


def escape(text: object) -> str:
    """A text as HTML that shows it: nothing in it is markup, a script or a template."""
    return html.escape(str(text), quote=True).translate(_TEMPLATE_MARKS)


def shortened(text: str) -> str:
    """A word or a label, cut off where it is longer than any should be."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def number(value: float) -> str:
    """A score with four digits behind the point, a count without; `undefined` for nan."""
    if isinstance(value, int):
        return f"{value:,}"
    return "undefined" if math.isnan(value) else f"{value:.4f}".replace("-", "−")


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, marked: int | None = None) -> str:
    """A table that scrolls within itself where it is wider than the screen.

    Args:
        caption: plain text.
        header: plain texts.
        rows: cells in HTML; the first of each row is its heading.
        marked: the row that is set off.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = []
    for index, (first, *cells) in enumerate(rows):
        kind = ' class="sm-marked"' if index == marked else ""
        body.append(f'<tr{kind}><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
    return (
        f'<div class="sm-scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def section(title: str, content: str) -> str:
    """A part of the results under its heading; nothing where there is no content."""
    return f"<section><h2>{title}</h2>{content}</section>" if content else ""


def interval(bounds: tuple[float, float] | None) -> str:
    """The bounds of a confidence interval; nothing where there is none."""
    if bounds is None:
        return ""
    return f"<small>from {number(bounds[0])} to {number(bounds[1])}</small>"


def error_message(error: InputError) -> str:
    """What is wrong and what to do, in words."""
    place = f"<strong>{escape(_place(error))}:</strong> " if error.place else ""
    remedy = f"<p>{escape(error.remedy)}</p>" if error.remedy else ""
    return f'<div class="sm sm-error" role="alert"><p>⚠ {place}{escape(error.problem)}</p>{remedy}</div>'


def _place(error: InputError) -> str:
    place = error.place
    return place[0].upper() + place[1:]


STYLE = """
.sm { color: var(--body-text-color); line-height: 1.5; overflow-wrap: anywhere; }
.sm h2 { font-size: 1.15rem; font-weight: 600; margin: 1.5rem 0 .5rem; color: inherit; }
.sm p { margin: .35rem 0; }
.sm a { color: inherit; text-decoration: underline; }
.sm-muted { color: var(--body-text-color); opacity: .8; font-size: .9rem; }
.sm-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.sm-error { border: 2px solid #c0392b; border-left-width: 10px; border-radius: 6px; padding: .6rem 1rem; }
.sm-note { border-left: 4px solid #b07d00; padding: .2rem .8rem; margin: .6rem 0; }
.sm-headline { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .8rem; margin: 0; }
.sm-headline b { font-size: 2.4rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.sm-headline .sm-key { font-size: 1.1rem; font-weight: 600; }
.sm dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.4rem, 1fr)); gap: .5rem; margin: .6rem 0; }
.sm dl > div { border: 1px solid var(--border-color-primary); border-radius: 6px; padding: .35rem .7rem; }
.sm dt { font-size: .85rem; }
.sm dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; font-size: 1.1rem; }
.sm dd small { display: block; font-weight: 400; font-size: .8rem; }
.sm code { font-family: ui-monospace, Consolas, monospace; font-size: .82rem;
  background: var(--background-fill-secondary); padding: .1rem .3rem; border-radius: 4px; }
.sm .sm-signature { display: block; padding: .4rem .6rem; margin: .2rem 0; }
.sm td small { display: block; font-size: .8rem; white-space: nowrap; }
.sm-bounds { white-space: nowrap; }
.sm td mark small { display: inline; }
.sm td mark { display: inline-block; margin: 0 .2rem .15rem 0; }
.sm-scroll { overflow-x: auto; max-width: 100%; overflow-wrap: normal; }
.sm-scroll:focus-visible { outline: 2px solid var(--color-accent); outline-offset: 2px; }
.sm table { border-collapse: collapse; font-size: .92rem; min-width: 100%; margin: .3rem 0; }
.sm caption { text-align: left; font-size: .9rem; padding: .2rem 0; }
.sm table, .sm thead, .sm tbody, .sm tr { border: none; }
.sm th, .sm td { text-align: right; padding: .3rem .6rem; border: none;
  border-bottom: 1px solid var(--border-color-primary); font-variant-numeric: tabular-nums; vertical-align: top; }
.sm th:first-child { text-align: left; }
.sm thead th { font-weight: 600; border-bottom-width: 2px; }
.sm tbody th { font-weight: 400; }
.sm .sm-compare td:last-child { min-width: 14rem; }
.sm .sm-text td, .sm .sm-text th, .sm .sm-compare :is(td, th):last-child { text-align: left; }
.sm tr.sm-marked th, .sm tr.sm-marked td { font-weight: 700; background: var(--background-fill-secondary); }
.sm-bar { display: inline-block; width: 5rem; height: .6rem; margin-left: .5rem; border: 1px solid currentColor;
  border-radius: 2px; }
.sm-bar i { display: block; height: 100%; background: currentColor; opacity: .65; }
.sm-legend { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; margin: .4rem 0 .8rem; padding: 0; list-style: none; }
.sm-pair { border: 1px solid var(--border-color-primary); border-radius: 6px; padding: .3rem .7rem; margin: .5rem 0; }
.sm-pair.sm-same { border-style: dotted; }
.sm-line { display: grid; grid-template-columns: 5.6rem minmax(0, 1fr); gap: .6rem; padding: .15rem 0; line-height: 2; }
.sm-line > .sm-side { font-size: .8rem; opacity: .85; }
.sm mark { color: inherit; background: var(--sm-fill); padding: .1rem .15rem; border-radius: 3px;
  text-decoration: underline; text-decoration-thickness: 2.5px; text-underline-offset: 4px;
  text-decoration-color: var(--sm-ink); -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.sm mark .sm-tag { display: inline-block; text-decoration: none; font-size: .72rem; line-height: 1.3; font-weight: 600;
  margin-left: .3rem; padding: 0 .3rem; border-radius: 3px; background: var(--sm-ink); }
.sm mark .sm-tag, .sm mark .sm-tag * { color: var(--sm-paper); }
.sm-correct { --sm-ink: #00614a; --sm-fill: #d5f0e6; --sm-paper: #fff; text-decoration-style: solid !important; }
.sm-partial { --sm-ink: #7a4d00; --sm-fill: #fdeecb; --sm-paper: #fff; text-decoration-style: dashed !important; }
.sm-missed { --sm-ink: #8a1c5b; --sm-fill: #fadeec; --sm-paper: #fff; text-decoration-style: double !important; }
.sm-spurious { --sm-ink: #123f8c; --sm-fill: #dbe6fb; --sm-paper: #fff; text-decoration-style: wavy !important; }
.dark .sm-correct { --sm-ink: #6fe0bd; --sm-fill: #0f3a2f; --sm-paper: #06231b; }
.dark .sm-partial { --sm-ink: #ffcf70; --sm-fill: #46330a; --sm-paper: #2a1d00; }
.dark .sm-missed { --sm-ink: #ff9fce; --sm-fill: #4c1434; --sm-paper: #2f0820; }
.dark .sm-spurious { --sm-ink: #9fc1ff; --sm-fill: #182f5e; --sm-paper: #0a1a3a; }
.sm-trees { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: .2rem 1.5rem; }
.sm-trees h3 { font-size: .9rem; font-weight: 600; margin: .3rem 0 0; color: inherit; }
.sm ul.sm-tree, .sm-tree ul { list-style: none; margin: 0; padding-left: 1rem; }
.sm ul.sm-tree { padding-left: 0; }
.sm-tree ul { border-left: 2px solid var(--border-color-primary); }
.sm-tree li { margin: .25rem 0; line-height: 1.8; }
.sm-number { display: inline-block; min-width: 1.5em; padding: 0 .35em; border: 2px solid currentColor;
  text-align: center; border-radius: 1em; font-weight: 700; font-size: .8rem; line-height: 1.4; }
.sm svg { display: block; width: 100%; max-width: 44rem; height: auto; }
.sm svg text { fill: currentColor; font-size: 13px; font-family: inherit; }
.sm details { margin: .8rem 0; }
.sm summary { cursor: pointer; font-weight: 600; }
.sm-mono textarea { font-family: ui-monospace, Consolas, monospace; font-size: .85rem; }
@media (max-width: 40rem) {
  .sm-line { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .sm-line > .sm-side { line-height: 1.4; font-weight: 600; }
  .sm-headline b { font-size: 2rem; }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
@media (forced-colors: active) { .sm mark { forced-color-adjust: none; color: #000; } }
"""
"""The pages' own style. Light and dark; nothing is told by colour alone."""
