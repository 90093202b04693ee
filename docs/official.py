"""Pages of the documentation site on official scorers, made from the declarations of protocols."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanometer.protocols.protocol import Protocol, names

FOLDER = "protocols"
"""The folder of the pages."""


def on_config(config: Any) -> Any:
    """Add the pages of the protocols to the navigation."""
    (pages,) = (entry["Official scores"] for entry in config.nav if "Official scores" in entry)
    pages += [f"{FOLDER}/{name}.md" for name in names()]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each protocol."""
    from mkdocs.structure.files import File

    for name in names():
        files.append(File.generated(config, f"{FOLDER}/{name}.md", content=page(Protocol.named(name))))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Fill in the table of protocols and the faults of scorers."""
    parts = {"<!-- protocols -->": protocol_table, "<!-- faults -->": faults}
    for mark, made in parts.items():
        if page.file.src_uri.startswith(f"{FOLDER}/") and mark in markdown:
            markdown = markdown.replace(mark, made())
    return markdown


def page(protocol: Protocol) -> str:
    """Write the page of a protocol."""
    return "\n".join(_page(protocol)) + "\n"


def _page(protocol: Protocol) -> Iterator[str]:
    yield from (f"---\ntitle: {protocol.name}\n---\n", f"# {protocol.title} (`{protocol.name}`)\n")
    yield from (f"{protocol.description}\n", f"```text\n{protocol.example}\n```\n")
    for name, text in protocol.about.items():
        code = "; ".join(f"`{part}`" for part in text.split("; ")) if name in ("measures", "options") else text
        yield f"- **{name}**: {code}"
    yield from ("\n## Official keys\n", "| official key | our score or count |", "|---|---|")
    yield from (f"| `{key}` | `{place}` |" for key, place in protocol.keys.items())
    if protocol.faults:
        yield "\n## What the scorer gets wrong\n"
        yield from (f"- {fault}" for fault in protocol.faults)


def protocol_table() -> str:
    """Write the table of all protocols."""
    rows = ["| protocol | scorer | differences |", "|---|---|---|"]
    for protocol in map(Protocol.named, names()):
        differences = "none" if protocol.differences.startswith("none") else "some"
        rows.append(f"| [`{protocol.name}`]({protocol.name}.md) | {protocol.title} | {differences} |")
    return "\n".join(rows)


def faults() -> str:
    """List the faults of all scorers; protocols of one scorer share them."""
    by_faults: dict[tuple[str, ...], list[Protocol]] = {}
    for protocol in map(Protocol.named, names()):
        by_faults.setdefault(tuple(protocol.faults), []).append(protocol)
    parts = []
    for texts, protocols in by_faults.items():
        first = protocols[0]
        listed = [f"- {text}" for text in texts]
        if listed:
            parts += [f"### {first.title}\n", f"`{first.name}`, {first.source}.\n", *listed, ""]
    return "\n".join(parts)
