"""`spanometer hub`: the metric modules as Spaces, built and pushed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import counted, printable
from .inputs import HelpFormatter

if TYPE_CHECKING:
    from ..hub import Change

_DESCRIPTION = """\
Build the metric modules as Spaces of the Hugging Face Hub, from which
evaluate.load fetches them without this package, and push them.
"""

_BUILD_DESCRIPTION = """\
Write the Space of each metric NAME (all of them by default) into a folder of
its name: the module with all that it needs, its card, app and cases. The same
sources give the same bytes.
"""

_BUILD_EPILOG = """\
examples:
  spanometer hub build
  spanometer hub build --out spaces span_f link_f
"""

_PUSH_DESCRIPTION = """\
Build the Spaces of each metric NAME (all of them by default) and push those
that have changed to ORG on the Hub, one commit each; what is no longer built is
deleted there. The token is that of huggingface_hub: HF_TOKEN, or hf auth login.
"""

_PUSH_EPILOG = """\
examples:
  spanometer hub push --namespace my-group --dry-run
  spanometer hub push --namespace my-group span_f
"""


def add_parser(commands: Any) -> None:
    """Declare the command, its two parts and their options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "hub",
        help="build the metric modules as Spaces of the Hub, and push them",
        description=_DESCRIPTION,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)
    building: argparse.ArgumentParser = parts.add_parser(
        "build",
        usage="%(prog)s [options] [NAME ...]",
        help="write the Spaces into folders",
        description=_BUILD_DESCRIPTION,
        epilog=_BUILD_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    building.add_argument("names", metavar="NAME", nargs="*", help="metric, such as span_f")
    building.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("build/spaces"), help="folder for the Spaces (build/spaces)"
    )
    building.add_argument(
        "--namespace", metavar="ORG", default="spanometer", help="organisation that the examples name (spanometer)"
    )
    building.set_defaults(run=run_build)
    pushing: argparse.ArgumentParser = parts.add_parser(
        "push",
        usage="%(prog)s [options] --namespace ORG [NAME ...]",
        help="push the Spaces that have changed",
        description=_PUSH_DESCRIPTION,
        epilog=_PUSH_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    pushing.add_argument("names", metavar="NAME", nargs="*", help="metric, such as span_f")
    pushing.add_argument("--namespace", metavar="ORG", required=True, help="user or organisation that owns the Spaces")
    pushing.add_argument("--dry-run", action="store_true", help="list what would change, and change nothing")
    pushing.set_defaults(run=run_push)


def run_build(options: argparse.Namespace) -> int:
    """Build, and say what is where."""
    from ..hub import build

    for name, files in build(options.out, options.names, namespace=options.namespace).items():
        without = "" if "app.py" in files else ", no app"
        print(f"{printable(str(options.out / name))}: {counted(len(files), 'file')}{without}")
    return 0


def run_push(options: argparse.Namespace) -> int:
    """Push, and say of each Space what has changed."""
    from ..hub import push

    for change in push(options.namespace, options.names, dry_run=options.dry_run):
        print(f"{change.space}: {_summary(change)}", flush=True)
        if options.dry_run:
            for sign, paths in (("+", change.added), ("~", change.changed), ("-", change.deleted)):
                for path in paths:
                    print(f"  {sign} {printable(path)}")
    return 0


def _summary(change: Change) -> str:
    if not change:
        return "unchanged"
    counts = {"added": change.added, "changed": change.changed, "deleted": change.deleted}
    parts = [f"{len(paths)} {kind}" for kind, paths in counts.items() if paths]
    return ", ".join((["new"] if change.created else []) + parts)
