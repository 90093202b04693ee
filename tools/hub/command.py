"""Build the metric modules as Spaces of the Hugging Face Hub, and push them.

From a Space evaluate.load fetches its module without this package.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from spanometer.exceptions import counted, printable


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the parts and their options."""
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)

    def add_part(name: str, help: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        part = parts.add_parser(name, help=help, documentation=run.__doc__)
        part.add_argument("names", metavar="NAME", nargs="*", help="metric, such as span_f")
        part.set_defaults(run=run)
        return part

    building = add_part("build", "write the Spaces into folders", run_build)
    building.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("build/spaces"), help="folder for the Spaces (build/spaces)"
    )
    building.add_argument(
        "--namespace", metavar="ORG", default="spanometer", help="organisation that the examples name (spanometer)"
    )
    pushing = add_part("push", "push the Spaces that have changed", run_push)
    pushing.add_argument("--namespace", metavar="ORG", required=True, help="user or organisation that owns the Spaces")
    pushing.add_argument("--dry-run", action="store_true", help="only list the changes")
    add_part("cards", "write the tables of the cards", run_cards)


def run_build(options: argparse.Namespace) -> int:
    """Write the Space of each metric or page NAME (all of them by default) into a folder.

    The Space of a metric has the module with its files, its card, app and cases.
    The Space of a page (errors) has its app. The same sources give the same bytes.

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

    Each changed Space gets one commit. Files that are no longer built are deleted
    there. The token comes from HF_TOKEN or hf auth login.

    Examples:
      python -m tools.hub push --namespace my-group --dry-run
      python -m tools.hub push --namespace my-group span_f
    """
    from .pushing import push

    for change in push(options.namespace, options.names, dry_run=options.dry_run):
        print(f"{change.space}: {change}", flush=True)
        for sign, paths in zip("+~-", change.paths.values(), strict=True):
            for path in paths if options.dry_run else ():
                print(f"  {sign} {printable(path)}")
    return 0


def run_cards(options: argparse.Namespace) -> int:
    """Write the tables in the card of each metric NAME (all of them by default).

    The options and keys declare the inputs and outputs.

    Example:
      python -m tools.hub cards span_f
    """
    from .cards import write_cards

    for card in write_cards(options.names):
        print(printable(str(card)))
    return 0
