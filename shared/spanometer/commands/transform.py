"""`spanometer transform`: write a file again with errors of one kind, to see what measures make of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .inputs import HelpFormatter, add_scheme_option
from .rewriting import add_file_options, add_output_options, rewrite

if TYPE_CHECKING:
    from ..analysis.transformations import Transformation
    from ..tags.tags import Tags

_DESCRIPTION = """\
Write FILE with errors of one kind or several: spans cut, shifted, shortened,
lengthened, relabelled, left out or invented, or tags put where they cannot
stand. No span leaves its document or runs into another; one that would is left
as it is. How many were touched is said on standard error. The tags of FILE must
be legal (spanometer repair makes them so). Everything but the tags that change
stays byte for byte the same.
"""

_EPILOG = """\
examples:
  spanometer transform --list
  spanometer transform gold.conll --apply minimum_overlap > shifted.conll
  spanometer transform gold.conll --apply -1 --apply label_noise --rate 0.2 \\
      --seed 7 -o worse.conll && spanometer score gold.conll worse.conll
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "transform",
        usage="%(prog)s [options] --apply NAME FILE",
        help="rewrite a file with errors of one kind",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_scheme_option(add_file_options(parser))
    group = parser.add_argument_group("transforming")
    group.add_argument(
        "--apply",
        metavar="NAME",
        action="append",
        required=True,
        help="a transformation; several are applied one after the other",
    )
    group.add_argument(
        "--rate",
        metavar="R",
        type=float,
        action="append",
        help="probability of each span that can be touched: once for all transformations, or once for each; "
        "by default as --list says",
    )
    group.add_argument(
        "--seed", metavar="N", type=int, default=0, help="of the first transformation, N + 1 of the next (default: 0)"
    )
    group.add_argument("--list", action=_ListAction, help="list the transformations, and leave")
    add_output_options(parser)
    parser.set_defaults(run=run, called={"transformation": "apply"})


class _ListAction(argparse.Action):
    """Prints the transformations and leaves, whatever else is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        """Take no value."""
        super().__init__(option_strings, dest, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print and leave."""
        from ..analysis.mapping import DESCRIPTIONS, TRANSFORMATIONS

        for name, transformation in TRANSFORMATIONS.items():
            print(f"{name:<18}rate {transformation.rate:<5g} {DESCRIPTIONS[name]}")
        parser.exit()


def run(options: argparse.Namespace) -> int:
    """Read, transform and write."""
    from ..spans.conversion import certain_scheme

    steps = _steps(options)
    touched: list[tuple[int, ...]] = []

    def change(tags: Tags) -> Tags:
        scheme = certain_scheme(tags, options.scheme, remedy="spanometer repair --policy ...")
        counts = []
        for step in steps:
            found = step.on_tags(tags, scheme=scheme.name)
            tags = found.tags
            counts.append(found.touched)
        touched.append(tuple(counts))
        return tags

    status = rewrite(options, change, ", ".join(options.apply))
    for name, step, counts in zip(options.apply, steps, zip(*touched, strict=True), strict=True):
        total = sum(counts)
        print(f"{name}: {total:,} {step.unit}{'' if total == 1 else 's'} touched.", file=sys.stderr)
    return status


def _steps(options: argparse.Namespace) -> list[Transformation]:
    """The transformations as the options say."""
    from ..analysis.mapping import get_transformation
    from ..analysis.noise import IllegalTags

    names, rates = options.apply, options.rate or []
    if len(rates) not in (0, 1, len(names)):
        raise InputError(
            f"{len(rates)} rates for {len(names)} transformations.", "Give --rate once, or once for each --apply."
        )
    if len(rates) == 1:
        rates = rates * len(names)
    steps = [
        get_transformation(name, seed=options.seed + number, **({"rate": rates[number]} if rates else {}))
        for number, name in enumerate(names)
    ]
    if any(isinstance(step, IllegalTags) for step in steps[:-1]):
        raise InputError("what follows illegal tags cannot read them.", "Apply illegal_tags once, and last.")
    return steps
