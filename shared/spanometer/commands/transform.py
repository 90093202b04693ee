r"""Write a file again with errors of one kind or several.

Spans are cut, shifted, shortened, lengthened, relabelled, left out or invented,
or tags put where they are illegal. No span leaves its document or runs into
another; one that would is left as it is. Standard error says how many were
touched. The tags of FILE must be legal (spanometer repair makes them so).
Everything but the tags that change stays byte for byte the same.

Examples:
  spanometer transform --list
  spanometer transform gold.conll --apply minimum_overlap > shifted.conll
  spanometer transform gold.conll --apply -1 --apply label_noise --rate 0.2 \
      --seed 7 -o worse.conll && spanometer score gold.conll worse.conll
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ..analysis.mapping import DESCRIPTIONS, TRANSFORMATIONS, get_transformation
from ..analysis.noise import IllegalTags
from ..analysis.transformations import Transformation
from ..errors import InputError
from ..spans.conversion import certain_scheme
from ..tags.tags import Tags
from .options import add_options, read_options
from .rewritten import TagColumns, add_file_options, add_target_options, rewrite


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_options(add_file_options(parser), {"": TagColumns}, leave_out=("repair",))
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
    add_target_options(parser)
    parser.set_defaults(flags={**parser.get_default("flags"), "transformation": "--apply"})


class _ListAction(argparse.Action):
    """Print the transformations and leave, whatever else is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        """Take no value."""
        super().__init__(option_strings, dest, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print and leave."""
        for name, transformation in TRANSFORMATIONS.items():
            print(f"{name:<18}rate {transformation.rate:<5g} {DESCRIPTIONS[name]}")
        parser.exit()


def run(options: argparse.Namespace) -> int:
    """Read, transform and write."""
    source = read_options(TagColumns, options)
    steps = _steps(options)
    touched: list[tuple[int, ...]] = []

    def change(tags: Tags) -> Tags:
        scheme = certain_scheme(tags, source.scheme, remedy="spanometer repair --policy ...")
        counts = []
        for step in steps:
            found = step.on_tags(tags, scheme=scheme.name)
            tags = found.tags
            counts.append(found.touched)
        touched.append(tuple(counts))
        return tags

    status = rewrite(options, source, change, ", ".join(options.apply))
    for name, step, counts in zip(options.apply, steps, zip(*touched, strict=True), strict=True):
        total = sum(counts)
        print(f"{name}: {total:,} {step.unit}{'' if total == 1 else 's'} touched.", file=sys.stderr)
    return status


def _steps(options: argparse.Namespace) -> list[Transformation]:
    """Return the transformations as the options say."""
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
        raise InputError(
            "transformations after illegal_tags cannot read its tags.", "Apply illegal_tags once, and last."
        )
    return steps
