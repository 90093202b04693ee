"""Fill the table of `docs/rankings.md` from `docs/data`: python docs/rankings.py. The build draws the picture."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from drawing import CELL, Drawing, place_of

DOCS = Path(__file__).parent
LANGUAGES = {"fr": "French", "de": "German", "en": "English"}
_BLOCK = re.compile(r"(<!-- rankings: pairs -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_COLORS = ("#5b7bd5", "#c58a12", "#2a9d5c")


def read(name: str) -> list[dict[str, str]]:
    """Read a table; lines with # are about it."""
    lines = (DOCS / "data" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def measures() -> list[str]:
    """List the measures beside `span_f`, in the order of the table."""
    return list(dict.fromkeys(row["measure"] for row in read("hipe_rankings")))


def pairs() -> str:
    """Write how many pairs of runs are swapped in all languages, and how far that is significant."""
    lines = ["| | pairs | swapped | swapped, both significant | significant by one only |", "|---|---:|---:|---:|---:|"]
    for measure in measures():
        rows = [row for row in read("hipe_rankings") if row["measure"] == measure]
        keys = ("pairs", "swapped", "swapped, both p < .05", "significant by one of the two only")
        lines.append(f"| {measure} | {' | '.join(str(sum(int(row[key]) for row in rows)) for key in keys)} |")
    return "\n".join(lines)


def picture() -> str:
    """Draw tau with `span_f` and its interval: three lines for each measure, one for each language."""
    drawing, left, width = Drawing(), place_of(0.6), 5 * CELL
    values = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    top = drawing.row("", 34)
    for place, (language, color) in enumerate(zip(LANGUAGES.values(), _COLORS, strict=True)):
        drawing.text(left + width * (1 + 2 * place) / 6, top + 18, language, color=color)
    top = drawing.height
    for name in measures():
        row = drawing.row(name, 46)
        for place, (code, color) in enumerate(zip(LANGUAGES, _COLORS, strict=True)):
            (found,) = (each for each in read("hipe_rankings") if (each["measure"], each["language"]) == (name, code))
            tau, low, high = (
                left + width * (float(found[key]) - values[0]) / (values[-1] - values[0])
                for key in ("tau with span_f", "lower", "upper")
            )
            y = row + 2 + 12 * place
            drawing.line(low, y, high, y, color)
            drawing.parts.append(f'<circle cx="{tau:.1f}" cy="{y}" r="4.5" fill="{color}"/>')
    for value in values:
        x = left + width * (value - values[0]) / (values[-1] - values[0])
        drawing.rule(x, top - 8, x, drawing.height - 8)
        drawing.text(x, drawing.height + 14, f"{value:g}")
    drawing.height += 20
    caption = "Kendall's tau between the ranking by span_f and by every other measure, with its 95 % interval."
    return drawing.figure(caption, 6)


def filled(page: str) -> str:
    """Fill the table of the page."""
    return _BLOCK.sub(lambda match: f"{match[1]}\n{pairs()}\n\n{match[3]}", page)


if __name__ == "__main__":
    path = DOCS / "rankings.md"
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
