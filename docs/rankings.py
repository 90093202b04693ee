"""Fill the table and draw the picture of `docs/rankings.md` from `docs/data`: python docs/rankings.py."""

from __future__ import annotations

import csv
import re
from pathlib import Path

DOCS = Path(__file__).parent
LANGUAGES = {"fr": "French", "de": "German", "en": "English"}
_BLOCK = re.compile(r"(<!-- rankings: pairs -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_LEFT, _ROW, _WIDTH, _PANEL = 130, 24, 230, 262


def read(name: str) -> list[dict[str, str]]:
    """Read a table; lines with # are about it."""
    lines = (DOCS / "data" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def measures() -> list[str]:
    """List the measures beside `span_f`, in the order of the table."""
    return list(dict.fromkeys(row["measure"] for row in read("hipe_rankings")))


def pairs() -> str:
    """Write how many pairs of runs change places in all languages, and how far that is significant."""
    lines = ["| | pairs | swapped | swapped, both significant | significant by one only |", "|---|---:|---:|---:|---:|"]
    for measure in measures():
        rows = [row for row in read("hipe_rankings") if row["measure"] == measure]
        keys = ("pairs", "swapped", "swapped, both p < .05", "significant by one of the two only")
        lines.append(f"| {measure} | {' | '.join(str(sum(int(row[key]) for row in rows)) for key in keys)} |")
    return "\n".join(lines)


def picture() -> str:
    """Draw tau with `span_f` and its interval: a panel for each language, a line for each measure."""
    names = measures()
    height, width = 34 + _ROW * len(names) + 24, _LEFT + _PANEL * len(LANGUAGES)
    parts = [f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for number, name in enumerate(names):
        parts.append(f'<text x="4" y="{50 + _ROW * number}">{name}</text>')
    for panel, (code, language) in enumerate(LANGUAGES.items()):
        left = _LEFT + _PANEL * panel

        def x(tau: float, left: int = left) -> float:
            return left + _WIDTH * (tau - 0.5) / 0.5

        parts.append(f'<text x="{x(0.75):g}" y="16" text-anchor="middle">{language}</text>')
        for tau in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
            bottom = height - 24
            parts.append(f'<line x1="{x(tau):g}" x2="{x(tau):g}" y1="28" y2="{bottom}" stroke="#d8d8d8"/>')
            parts.append(f'<text x="{x(tau):g}" y="{height - 8}" text-anchor="middle">{tau:g}</text>')
        rows = {row["measure"]: row for row in read("hipe_rankings") if row["language"] == code}
        for number, name in enumerate(names):
            tau, low, high = (float(rows[name][key]) for key in ("tau with span_f", "lower", "upper"))
            y = 46 + _ROW * number
            parts.append(f'<line x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{y}" y2="{y}" stroke="#5b7bd5"/>')
            parts.append(f'<circle cx="{x(tau):.1f}" cy="{y}" r="4" fill="#5b7bd5"/>')
    title = "Kendall's tau of the ranking by span_f with that by each other measure, and its 95 % interval"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [f'{head} font-family="sans-serif" font-size="12">', f"<title>{title}</title>", *parts, "</svg>", ""]
    )


def filled(page: str) -> str:
    """Fill the table of the page."""
    return _BLOCK.sub(lambda match: f"{match[1]}\n{pairs()}\n\n{match[3]}", page)


if __name__ == "__main__":
    path = DOCS / "rankings.md"
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
    (DOCS / "images" / "rankings.svg").write_text(picture(), encoding="utf-8")
