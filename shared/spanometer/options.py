"""The declaration of options as fields of dataclasses.

One declaration says how an option is checked, explained and parsed. The checks, the arguments and documentation of the
`evaluate` module, the table of its card, the flags of the command line, the controls of the page and all error messages
are derived from it.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache
from inspect import cleandoc, get_annotations
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, dataclass_transform

from .exceptions import InputError, choose_from, clause_for, did_you_mean, mention, setting, shown

Owner = TypeVar("Owner")

_KINDS: dict[type, tuple[type, ...]] = {bool: (bool,), int: (int,), float: (int, float), str: (str,)}
_KIND_NAMES = {bool: "True or False", int: "a whole number", float: "a number", str: "a string that is not empty"}

_SWITCHES = {"true": True, "yes": True, "false": False, "no": False}
"""The texts for True and False."""

_LONGEST = 1 << 12
"""The maximum number of bits of an integer, chosen so that signatures can show every seed."""

_PER_LABEL = f"The scores of labels are under per_label{clause_for('details', ' (in modules, set details=True)')}."
_OF_SCORE = clause_for("details", " of spanometer.score")

_STRICT = (
    f"Instead of seqeval's mode='strict', use {setting('repair', 'discard')} and a scheme, such as "
    f"{setting('scheme', 'IOB2')}."
)

_COUNTERPARTS = {
    # several tools
    **dict.fromkeys(("mode", "strict"), _STRICT),
    **dict.fromkeys(("y_true", "true"), "Use references."),
    **dict.fromkeys(("y_pred", "pred"), "Use predictions."),
    **dict.fromkeys(("metric", "metrics", "m"), f"To choose measures, use {mention('measures')}."),
    **dict.fromkeys(("width", "precision"), "Use --digits."),
    # seqeval and scikit-learn
    "suffix": "Write 'B-PER', not 'PER-B'. To score tags such as 'PER-B', use the module seqeval with suffix=True.",
    "sample_weight": "All documents have the same weight. To weight labels by their number of reference spans, "
    f"set {setting('average', 'weighted')}.",
    "output_dict": f"Results are always dicts. {_PER_LABEL}",
    **dict.fromkeys(("label_names", "label_list"), f"If the tags are integers, name them with {mention('id2label')}."),
    "target_names": "Labels keep their names from the annotation.",
    "pos_label": _PER_LABEL,
    "beta": f"Use {setting('f_beta', 0.5)}.",
    # seqscore
    "repair_method": f"Use {setting('repair', 'conlleval')} or {setting('repair', 'discard')}. To refuse "
    f"illegal tags, use {setting('repair', 'raise')}.",
    "encoding_name": f"Give the scheme of the tags with {setting('scheme')}.",
    "reference": "Give the reference first, then the systems.",
    "score_format": "Use --table. For all results, use --json.",
    "error_counts": "Use spanometer errors, or --per-label, which has the counts of both sides.",
    "full_precision": "Use --json, or --digits.",
    "type_map": f"Use {setting('label_map')}{_OF_SCORE}.",
    **dict.fromkeys(("keep_types", "only", "tags"), f"Use {setting('labels')}{_OF_SCORE}."),
    **dict.fromkeys(("remove_types", "exclude"), f"Use {setting('ignore_labels')}{_OF_SCORE}."),
    "label_index": "Give the column of the tags with --column.",
    "token_index": "Give the column of the words with --words-column.",
    "file_encoding": f"Use {setting('encoding')} for files that are not UTF-8.",
    # nervaluate
    "loader": "The format of the input is detected.",
    "scenario": "Use the measure semeval_f(schema=strict). The other schemas are exact, partial and ent_type.",
    "min_overlap_percentage": f"Use the measure semeval_f with {setting('min_overlap', 0.01)} for 1 %.",
    # sacreBLEU
    "confidence_n": f"Use {setting('n_resamples')}.",
    "paired_ar": "For p-values of randomisation tests, use spanometer compare.",
    "paired_bs": "For p-values of bootstrap tests, use spanometer compare with --json.",
    "paired_ar_n": "Use spanometer compare with --n-permutations.",
    "paired_bs_n": "Use spanometer compare with --n-resamples.",
    "sentence_level": "Use --per-document.",
    "short": "Signatures are always complete.",
    # guesses
    "match_labels": "Set it for a measure, as in measures='span_f(match_labels=no)'.",
    **dict.fromkeys(("micro", "macro", "weighted"), f"Use {setting('average', 'macro')}, micro or weighted."),
    **dict.fromkeys(("csv", "latex", "markdown", "html"), "Use --table csv, latex, markdown or html, or -o NAME.csv."),
    **dict.fromkeys(("bio", "iob"), f"Use {setting('scheme', 'IOB2')}."),
    **dict.fromkeys(("ci", "bootstrap"), f"Use {setting('confidence', 0.95)}."),
    "f1": "The table has F1. To print only F1, use --score-only --measures span_f.",
    "quiet": "To print one number, use --score-only --measures span_f.",
    "verbose": "Use --per-label or --per-document. For all results, use --json.",
    "by_length": "Use spanometer errors with --buckets.",
    "significance": "Use spanometer compare, which has two significance tests.",
    "evaluate": "Use spanometer score.",
    "help_all": "Use --help all.",
    "version": "Use spanometer --version.",
}
"""Maps options of other tools (such as seqeval and sacreBLEU) and likely guesses to the options here."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """The declaration of an option.

    Attributes:
        name: the keyword, and the name of the field.
        default: the default value.
        help: what it does, a phrase that begins in lower case and has no full stop; by default the description of the
            field under `Attributes:` in the docstring of its class, without the full stop.
        kind: `bool`, `int`, `float` or `str`; by default the type of the default value, unless that is a string. None
            if the class that has the option checks the value itself.
        type: the type as documentation names it; by default derived from `kind`.
        choices: the allowed values; a mapping also explains them.
        further: a description of other allowed values; the class that has the option then checks the value.
        offered: what a shell offers besides the choices: ways to write the value, each with the names before the first
            comma, after it, and so on.
        low, high: the bounds of a number.
        exclusive: whether the bounds themselves are excluded.
        optional: whether None is allowed; by default if it is the default value.
        flag: the name on the command line without the leading dashes; by default the keyword with dashes. Empty if the
            command line handles the option in another way.
        metavar: the placeholder of the value in the help of the command line.
        convert: normalises the value before it is checked; not called for None if None is allowed.
        parse: converts a string to a value, for the command line and pages; by default derived from `kind`.
        repeat: whether the flag can be repeated; `parse` then gets a list of strings.
        label: its name on pages; empty if pages handle the option in another way.
        span: the range of the page's control, if it should be narrower than the bounds.
        common: whether the first page of a command's help shows it.
        topic: the page of a command's help that shows it; by default the page of its group.
        only_with: the values of other options with which it has an effect.
    """

    name: str = ""
    default: Any = None
    help: str = ""
    kind: type | None = None
    type: str = ""
    choices: tuple[Any, ...] | Mapping[Any, str] = ()
    further: str = ""
    offered: tuple[Sequence[Iterable[str]], ...] = ()
    low: float | None = None
    high: float | None = None
    exclusive: bool = False
    optional: bool = False
    flag: str | None = None
    metavar: str | None = None
    convert: Callable[[Any], Any] | None = None
    parse: Callable[[Any], Any] | None = None
    repeat: bool = False
    label: str = ""
    span: tuple[float, float] | None = None
    common: bool = False
    topic: str = ""
    only_with: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def command_flag(self) -> str:
        """The flag on the command line with its dashes; empty if there is none."""
        name = self.name.replace("_", "-") if self.flag is None else self.flag
        return f"--{name}" if name else ""

    @property
    def type_name(self) -> str:
        """The name of the type in documentation."""
        kind = type(next(iter(self.choices))) if self.choices else self.kind or object
        name = self.type or kind.__name__
        return f"{name}, optional" if self.optional and not self.type else name

    @property
    def explained(self) -> Mapping[Any, str]:
        """The explanation of each allowed value."""
        return self.choices if isinstance(self.choices, Mapping) else dict.fromkeys(self.choices, "")

    @property
    def others(self) -> list[Any]:
        """The allowed values except the default; empty if allowed values are not listed."""
        values = self.choices or ((True, False) if self.kind is bool else ())
        return [value for value in values if not same(value, self.default)]

    @property
    def values(self) -> str:
        """The allowed values in words, with the default marked; empty if allowed values are not listed."""
        parts = []
        for value, text in self.explained.items():
            notes = [note for note in ("default" if same(value, self.default) else "", text) if note]
            parts.append(f"{written(value)} ({': '.join(notes)})" if notes else written(value))
        if self.further:
            return ", ".join((*parts, self.further))
        return f"{', '.join(parts[:-1])} or {parts[-1]}" if len(parts) > 1 else "".join(parts)

    @property
    def bounds(self) -> str:
        """The bounds of a number in words; empty if there are none."""
        if self.low is not None and self.high is not None:
            bounds = f"{self.low:g} {'and' if self.exclusive else 'to'} {self.high:.10g}"
            return f"{'between' if self.exclusive else 'from'} {bounds}"
        if self.low is not None:
            return f"greater than {self.low:g}" if self.exclusive else f"at least {self.low:g}"
        return ""

    @property
    def text(self) -> str:
        """The help and the allowed values in one phrase."""
        values = f": {self.values}" if self.choices else f"; value {self.bounds}" if self.bounds else ""
        return f"{self.help}{values}"

    def describe(self) -> str:
        """Describe the option, its values and its default in sentences."""
        text = f"{self.text[:1].upper()}{self.text[1:]}."
        return text if self.choices else f"{text} Default {self.default!r}."

    def check(self, value: Any) -> None:
        """Raise an `InputError` unless the value is allowed."""
        if value is None and self.optional:
            return
        if self.choices:
            if not self.further and not any(same(value, choice) for choice in self.choices):
                raise self.refusal(value, choose_from(self.choices))
        elif self.kind is not None and not self._fits(value):
            text = ", not a string" if isinstance(value, str) and self.kind in (int, float) else ""
            text = ", without a decimal point" if isinstance(value, float) and self.kind is int else text
            number = "a finite number" if isinstance(value, float) and abs(value) == float("inf") else "a number"
            raise self.refusal(value, f"Use {self._expected().replace('a number', number)}{text}.")

    def disabled_by(self, owner: Any) -> str:
        """Name the option of an object with which this one has no effect; empty if there is none."""
        return next((name for name, values in self.only_with.items() if getattr(owner, name) not in values), "")

    def refusal(self, value: Any, remedy: str) -> InputError:
        """Create the error for a value that is not allowed."""
        return InputError(f"invalid value for {mention(self.name)}: {shown(value)}.", remedy, option=self.name)

    def read(self, text: Any) -> Any:
        """Convert a string to a value.

        Raises:
            InputError: if the value is not allowed.
        """
        if self.parse is not None:
            return self.parse(text)
        if self.choices:
            return next((choice for choice in self.choices if _reads(text, choice)), text)
        if self.kind is bool:
            return _SWITCHES.get(text.lower(), text)
        try:
            return {int: int, float: float}.get(self.kind or str, str)(text)
        except ValueError:
            raise self.refusal(text, f"Use {self._expected()}.") from None

    def _fits(self, number: Any) -> bool:
        kind: Any = self.kind
        # a masked number of NumPy would become 0
        scalar = getattr(number, "shape", None) == () and hasattr(number, "item") and not getattr(number, "mask", False)
        value: Any = number.item() if scalar else number
        accepted: Any = _KINDS[kind]
        if (isinstance(value, bool) and kind is not bool) or not isinstance(value, accepted):
            return False
        if kind in (bool, str):
            return kind is bool or bool(value)
        finite = value.bit_length() <= _LONGEST if kind is int else abs(value) <= sys.float_info.max
        if self.exclusive:
            return finite and (self.low is None or value > self.low) and (self.high is None or value < self.high)
        return finite and (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _expected(self) -> str:
        bounds = re.sub("between (.*) and", r"greater than \1 and less than", self.bounds)
        return f"{_KIND_NAMES[self.kind or object]} {bounds.replace('at least', 'of at least')}".rstrip()


def option(default: Any = MISSING, *, help: str = "", **details: Any) -> Any:
    """Declare a field of a dataclass as an option; see `Option` for the arguments.

    `default_factory`, `repr` and `compare` are passed to `dataclasses.field`.
    """
    if type(default) in (bool, int, float) and not details.keys() & {"choices", "parse", "type"}:
        details.setdefault("kind", type(default))
    details.setdefault("optional", default is None)
    about = {name: details.pop(name) for name in ("default_factory", "repr", "compare") if name in details}
    shown = about["default_factory"]() if default is MISSING else default
    return field(default=default, metadata={"option": Option(default=shown, help=help, **details)}, **about)


def text(metavar: str, help: str = "", **details: Any) -> Any:
    """Declare a string option with the default None."""
    return option(None, help=help, kind=str, metavar=metavar, **details)


def reused_option(owner: Any, name: str, **details: Any) -> Any:
    """Declare a field as an option of another dataclass, with some details changed."""
    declared = replace(options_of(owner)[name], **details)
    return field(default=declared.default, metadata={"option": declared})


def options_of(owner: Any) -> dict[str, Option]:
    """Return the options of a dataclass (or of an instance) by name, in the order of its fields.

    Fields that the constructor does not take are omitted.
    """
    return dict(_declared(owner if isinstance(owner, type) else type(owner)))


@cache
def _declared(kind: type) -> dict[str, Option]:
    owner: Any = kind
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        own_names = get_annotations(base)
        texts |= {name: text for name, text in _attributes_in(base.__doc__ or "") if name in own_names}
    own = {each.name: each.metadata["option"] for each in fields(owner) if each.init and "option" in each.metadata}
    return {name: replace(each, name=name, help=each.help or texts.get(name, "")) for name, each in own.items()}


def _attributes_in(docstring: str) -> list[tuple[str, str]]:
    """Read names and descriptions under `Attributes:`, as one line (items of lists are lines) without the full stop."""
    section = cleandoc(docstring).partition("\nAttributes:\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", section, re.MULTILINE)
    lines = ((name, re.sub(r"\n ++(?!- )", " ", text)) for name, text in entries)
    return [(name, re.sub(r"\n +", "\n", text).removesuffix(".")) for name, text in lines]


def changed(owner: Any) -> list[str]:
    """List the names of an object's options that do not have their default values."""
    return [name for name, declared in options_of(owner).items() if not same(getattr(owner, name), declared.default)]


def made(kind: type[Owner], values: Mapping[str, Any]) -> Owner:
    """Create a dataclass from the values of its declared options; ignore other values."""
    return kind(**{name: values[name] for name in options_of(kind) if name in values})


def check_options(owner: Any) -> None:
    """Convert and check all options of an object; NumPy scalars, and integers for floats, become Python types.

    Raises:
        InputError: if a value is not allowed; the error names the option.
    """
    for name, declared in options_of(owner).items():
        value = getattr(owner, name)
        if declared.convert is not None and not (value is None and declared.optional):
            value = declared.convert(value)
            object.__setattr__(owner, name, value)
        declared.check(value)
        if declared.kind is not None and value is not None and type(value) is not declared.kind:
            object.__setattr__(owner, name, declared.kind(value))
    for name in changed(owner):
        if other := options_of(owner)[name].disabled_by(owner):
            problem = f"{mention(name)} has no effect with {setting(other, getattr(owner, other))}."
            raise InputError(problem, f"Leave {mention(name)} out.", option=name)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class CheckedOptions:
    """A base class for options. It makes each subclass a frozen dataclass, and checks the values of its options.

    Do not decorate a subclass with `dataclass` again: its options would be lost.

    Args:
        declared: further options of the subclass that are declared elsewhere, by name.

    Raises:
        InputError: if a value is not allowed.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, declared: Mapping[str, Option] = MappingProxyType({}), **settings: Any) -> None:
        """Make the subclass a dataclass."""
        super().__init_subclass__(**settings)
        for name, declaration in declared.items():
            cls.__annotations__[name] = Any
            setattr(cls, name, field(default=declaration.default, metadata={"option": declaration}))
        dataclass(frozen=True, kw_only=True)(cls)

    def __post_init__(self) -> None:
        """Check the values."""
        check_options(self)


def require_known(names: Iterable[str], options: Collection[str], owner: str) -> None:
    """Raise an `InputError` for the first name that is not an option; `owner` describes what has the options."""
    for name in names:
        if name not in options:
            text = name if isinstance(name, str) else shown(name)
            without = "Leave the option out. This format has no options."
            known = f"Its options are {', '.join(options)}." if options else without
            remedy = did_you_mean(text, options, repr) or known
            raise InputError(f"{owner} has no option {shown(name)}.", counterpart(text) or remedy)


def counterpart(name: str) -> str:
    """Say which option here corresponds to another tool's option or flag; empty if there is none."""
    return _COUNTERPARTS.get(name.replace("-", "_"), "")


def same(value: Any, other: Any) -> bool:
    """Check whether two values are equal and of the same type. If `other` is a float, an integer can equal it.

    NaN equals NaN.
    """
    if isinstance(other, float) and not isinstance(value, bool) and isinstance(value, (int, float)):
        return bool(value == other or (value != value and other != other))
    return type(value) is type(other) and bool(value == other)


def written(value: Any) -> str:
    """Write a value as documentation does: strings in double quotes."""
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def escaped(text: str, signs: str) -> str:
    """Replace separators in a text by `%2C` and the like; `unescaped` reverses this."""
    for sign in signs:
        code = f"{ord(sign):02X}"
        text = re.sub(f"%((?:25)*{code})", r"%25\1", text).replace(sign, f"%{code}")
    return text


def unescaped(text: str, signs: str) -> str:
    """Restore a text that `escaped` wrote."""
    for sign in signs:
        code = f"{ord(sign):02X}"
        text = re.sub(f"%25((?:25)*{code})", r"%\1", text.replace(f"%{code}", sign))
    return text


def _reads(text: Any, choice: Any) -> bool:
    if not isinstance(choice, float):
        return bool(str(choice) == text)
    try:
        return same(float(text), choice)
    except ValueError:
        return False
