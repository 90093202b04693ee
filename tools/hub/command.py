"""Build the metric modules as Spaces of the Hugging Face Hub, and push them.

From a Space evaluate.load fetches its module without this package.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from spanometer.exceptions import counted, printable

if TYPE_CHECKING:
    from .pushing import Change


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the parts and their options."""
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)
    building = parts.add_parser("build", help="write the Spaces into folders", documentation=run_build.__doc__)
    building.add_argument("names", metavar="NAME", nargs="*", help="metric, such as span_f")
    building.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("build/spaces"), help="folder for the Spaces (build/spaces)"
    )
    building.add_argument(
        "--namespace", metavar="ORG", default="spanometer", help="organisation that the examples name (spanometer)"
    )
    building.set_defaults(run=run_build)
    pushing = parts.add_parser("push", help="push the Spaces that have changed", documentation=run_push.__doc__)
    pushing.add_argument("names", metavar="NAME", nargs="*", help="metric, such as span_f")
    pushing.add_argument("--namespace", metavar="ORG", required=True, help="user or organisation that owns the Spaces")
    pushing.add_argument("--dry-run", action="store_true", help="list what would change, and change nothing")
    pushing.set_defaults(run=run_push)
    writing = parts.add_parser("cards", help="write the tables of the cards", documentation=run_cards.__doc__)
    writing.add_argument("names", metavar="NAME", nargs="*", help="metric, such as span_f")
    writing.set_defaults(run=run_cards)


def run_build(options: argparse.Namespace) -> int:
    """Write the Space of each metric or page NAME (all of them by default) into a folder.

    That of a metric has the module with all that it needs, its card, app and
    cases, that of a page (errors) its app. The same sources give the same bytes.

    Examples:
      python -m tools.hub build
      python -m tools.hub build --out spaces span_f link_f
    """
    from .building import build

    for name, files in build(options.out, options.names, namespace=options.namespace).items():
        without = "" if "app.py" in files else ", no app"
        print(f"{printable(str(options.out / name))}: {counted(len(files), 'file')}{without}")
    return 0


def run_push(options: argparse.Namespace) -> int:
    """Build the Space of each metric or page NAME (all by default) and push it to ORG.

    Those that have changed get one commit each; what is no longer built is deleted
    there. The token is that of huggingface_hub: HF_TOKEN, or hf auth login.

    Examples:
      python -m tools.hub push --namespace my-group --dry-run
      python -m tools.hub push --namespace my-group span_f
    """
    from .pushing import push

    for change in push(options.namespace, options.names, dry_run=options.dry_run):
        print(f"{change.space}: {_summary(change)}", flush=True)
        if options.dry_run:
            for sign, paths in (("+", change.added), ("~", change.changed), ("-", change.deleted)):
                for path in paths:
                    print(f"  {sign} {printable(path)}")
    return 0


def run_cards(options: argparse.Namespace) -> int:
    """Write the tables in the card of each metric NAME (all of them by default).

    The inputs and outputs are those that options and keys declare.

    Example:
      python -m tools.hub cards span_f
    """
    from .cards import write_cards

    for card in write_cards(options.names):
        print(printable(str(card)))
    return 0


def _summary(change: Change) -> str:
    if not change:
        return "unchanged"
    counts = {"added": change.added, "changed": change.changed, "deleted": change.deleted}
    parts = [f"{len(paths)} {kind}" for kind, paths in counts.items() if paths]
    return ", ".join((["new"] if change.created else []) + parts)
