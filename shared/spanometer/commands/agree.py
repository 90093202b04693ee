"""`spanometer agree`: the agreement of two or more annotators, beyond chance."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, printable
from ..version import __version__
from .inputs import (
    COLUMN_HELP,
    HelpFormatter,
    add_form_options,
    add_scheme_option,
    located,
    named,
    names_of,
    read_several,
)

if TYPE_CHECKING:
    from ..analysis.agreement import Agreement, AgreementValues
    from ..readers import TagFile

_DESCRIPTION = """\
Agreement of annotators who have tagged the same text: F1 of each pair, the F1
that random placement of the same spans would give, F1 corrected for it, and
Krippendorff's alpha for unitizing over all annotators jointly. Files as in
spanometer score, one for each annotator; or one file with a column for each.
"""

_EPILOG = """\
examples:
  spanometer agree ann.conll ben.conll cat.conll
  spanometer agree all.tsv --columns 2,3,4 --names ann,ben,cat --per-label
  spanometer agree ann.conll ben.conll cat.conll --plot agreement.png --json
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "agree",
        usage="%(prog)s [options] FILE [FILE ...]",
        help="agreement of annotators beyond chance",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="file with the tags of one annotator")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="the annotators' names, with commas between")
    reading.add_argument("--column", metavar="COLUMN", help=f"tag column of all files: {COLUMN_HELP}")
    reading.add_argument("--columns", metavar="COLUMNS", help="of one file: a column for each annotator, with commas")
    add_form_options(reading)
    add_scheme_option(reading)
    reading.add_argument(
        "--repair",
        metavar="POLICY",
        default="conlleval",
        help="what becomes of illegal tags: conlleval (default), discard, bes, convert or raise",
    )
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--level", metavar="LEVEL", default="token", help="of F1: token (default) or span")
    scoring.add_argument(
        "--placement", metavar="PLACEMENT", default="disjoint", help="of chance: disjoint (default) or independent"
    )
    scoring.add_argument(
        "--method", metavar="METHOD", default="exact", help="of chance: exact (default), uniform, auto"
    )
    scoring.add_argument("--variant", metavar="VARIANT", default="2016", help="of alpha: 1995 or 2016 (default)")
    scoring.add_argument("--average", metavar="AVERAGE", default="micro", help="over labels: micro (default) or macro")
    scoring.add_argument(
        "--zero-division",
        metavar="VALUE",
        type=float,
        default=0.0,
        help="value of a ratio with the denominator 0: 0 (default), 1 or nan",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--per-label", action="store_true", help="also the agreement in each label")
    output.add_argument("--per-pair", action="store_true", help="also the three values of each pair")
    output.add_argument("--plot", metavar="PNG", help="write a heat map (.png, .svg or .pdf); needs matplotlib")
    output.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    output.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, compare and show."""
    if options.plot is not None:
        from ..plots.figure import require_format

        require_format(options.plot)
    annotators = _read(options)
    found = _agreement(options, annotators)
    if options.plot is not None:
        from ..plots import plot_agreement

        plot_agreement(found, options.plot)
    if options.json:
        print(json.dumps(_to_json(options, found, annotators), indent=2, allow_nan=False))
    else:
        _show(options, found, annotators)
    return 0


def _read(options: argparse.Namespace) -> dict[str, TagFile]:
    """The file of each annotator, with one tag column."""
    files = read_several(options, options.files, "its annotators")
    default = names_of(options.files) if options.columns is None else [file.columns[0] for file in files]
    return dict(zip(named(options.names, default, "annotator"), files, strict=True))


def _agreement(options: argparse.Namespace, annotators: dict[str, TagFile]) -> Agreement:
    """The agreement; errors about tokens are said of the files' lines."""
    from ..analysis.agreement import agreement

    try:
        return agreement(
            {name: file.tags[0] for name, file in annotators.items()},
            scheme=options.scheme,
            repair=options.repair,
            level=options.level,
            placement=options.placement,
            method=options.method,
            variant=options.variant,
            average=options.average,
            zero_division=options.zero_division,
        )
    except InputError as error:
        file = annotators.get((error.side or "").removeprefix("annotator "))
        if file is None:
            raise
        raise located(options, error, file) from None


def _to_json(options: argparse.Namespace, found: Agreement, annotators: dict[str, TagFile]) -> dict[str, Any]:
    values = found.to_dict()
    if not options.per_label:
        del values["per_label"]
    files = [{"file": file.source, "column": file.columns[0]} for file in annotators.values()]
    return {"spanometer": __version__, "files": files, **values}


def _show(options: argparse.Namespace, found: Agreement, annotators: dict[str, TagFile]) -> None:
    from rich.text import Text

    from .tables import copyable, page, show

    console = page(color=not options.no_color)
    width = max(len("size"), *map(len, map(printable, found.names)))
    for name, file, spans in zip(found.names, annotators.values(), found.spans.tolist(), strict=True):
        source = f"{printable(file.source)}, {printable(file.columns[0])}, {counted(spans, 'span')}"
        show(console, Text.assemble((f"{printable(name):<{width}}", "bold"), f"  {source}"))
    size = f"{counted(found.documents, 'document')}, {counted(found.tokens, 'token')}"
    show(console, Text.assemble((f"{'size':<{width}}", "bold"), f"  {size}"), "")
    show(console, Text("F1 corrected for chance", "bold"), "", _matrix(found), "", _summary(options, found), "")
    show(console, *map(copyable, found.signatures.values()))
    if options.per_label:
        show(console, "", _by_label(found))


def _matrix(found: Agreement) -> Any:
    """The corrected F1 of each pair; the diagonal is left empty."""
    from rich.text import Text

    from .tables import empty_table, number

    names = [printable(name) for name in found.names]
    table = empty_table("", names, widths=(0, 6))
    for row, name in enumerate(names):
        values = [number(value) if column != row else "·" for column, value in enumerate(found.kappa_f1[row].tolist())]
        table.add_row(Text(name, "cyan"), *map(Text, values))
    return table


def _summary(options: argparse.Namespace, found: Agreement) -> Any:
    """The mean of the pairs, the pairs themselves where they are asked for, else the least and the most; alpha."""
    from rich.text import Text

    from .tables import empty_table, number

    table = empty_table("", ("f1", "chance_f1", "kappa_f1", "alpha"), widths=(0, 6))
    pairs = sorted(found.pairs(), key=lambda pair: -pair[2]["kappa_f1"])
    shown = {f"{one}, {other}": list(values.values()) for one, other, values in pairs}
    if not options.per_pair:
        places = dict(zip(("highest pair", "lowest pair"), (0, -1), strict=True)) if len(pairs) > 1 else {}
        rows = list(shown.items())
        shown = {f"{what}: {rows[place][0]}": rows[place][1] for what, place in places.items()}
    for name, values in shown.items():
        table.add_row(Text(printable(name)), *(Text(number(value)) for value in values), Text("·"))
    means = [found.mean_f1, found.mean_chance_f1, found.mean_kappa_f1]
    table.add_row(
        Text("mean of pairs", "cyan"),
        *(Text(number(value), "bold" if place == 2 else "") for place, value in enumerate(means)),
        Text("·"),
    )
    table.add_row(Text("all jointly", "cyan"), *[Text("·")] * 3, Text(number(found.alpha), "bold"))
    return table


def _by_label(found: Agreement) -> Any:
    """For each label the means of the pairs, alpha, and the fewest and most spans that an annotator has."""
    from rich.text import Text

    from .tables import empty_table, number

    table = empty_table("label", ("mean f1", "mean chance", "mean kappa", "alpha", "spans"), labels=True)
    for label, values in found.per_label.items():
        table.add_row(Text(printable(label)), *_label_row(values, number))
    return table


def _label_row(values: AgreementValues, number: Any) -> list[str]:
    means = [values.mean_f1, values.mean_chance_f1, values.mean_kappa_f1, values.alpha]
    fewest, most = int(values.spans.min()), int(values.spans.max())
    return [*map(number, means), f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"]
