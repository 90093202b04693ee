"""The one error that wrong input raises."""

from __future__ import annotations


class InputError(ValueError):
    """Wrong input: says where it is, what was found there and what to do.

    Documents and tokens are numbered from 0, as in the lists that were passed; lines of files from 1, as editors do.

    Args:
        problem: what was found, and why it cannot be scored.
        remedy: what to do about it.
        side: `"references"` or `"predictions"`, where it is known.
        document: index of the document, where it is known.
        position: index of the token within the document, where it is known.
        span: index of the span within the document's list of spans, where it is known.
        source: the file that was read, or whatever names it.
        line: the number of the line within the file (or within a document of several lines), where it is known.
        column: the number of the character within the line, from 1, where it is known.
    """

    def __init__(
        self,
        problem: str,
        remedy: str = "",
        *,
        side: str | None = None,
        document: int | None = None,
        position: int | None = None,
        span: int | None = None,
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        """Compose the message from the place, the problem and the remedy."""
        self.problem = problem
        self.remedy = remedy
        self.side = side
        self.document = document
        self.position = position
        self.span = span
        self.source = source
        self.line = line
        self.column = column
        super().__init__(str(self))

    @property
    def place(self) -> str:
        """Where the problem is, or an empty string where that is not known."""
        parts = [name for name in (self.source, self.side) if name is not None]
        numbers = {
            "document": self.document,
            "line": self.line,
            "column": self.column,
            "token": self.position,
            "span": self.span,
        }
        for name, index in numbers.items():
            if index is not None:
                parts.append(f"{name} {index}")
        return ", ".join(parts)

    def __str__(self) -> str:
        """`place: problem`, and the remedy on a line of its own."""
        located = f"{self.place}: {self.problem}" if self.place else self.problem
        return f"{located}\n{self.remedy}" if self.remedy else located

    def __reduce__(self) -> tuple:
        """Pickle by parts, so that the error crosses process borders whole."""
        place = (self.side, self.document, self.position, self.span, self.source, self.line, self.column)
        return _rebuild, (self.problem, self.remedy, *place)

    def within(self, side: str) -> InputError:
        """The same error, said of one side."""
        place = (side, self.document, self.position, self.span, self.source, self.line, self.column)
        return _rebuild(self.problem, self.remedy, *place)

    def of(self, source: str | None, document: int | None = None) -> InputError:
        """The same error, said of a document of something larger, or of a source that has no numbered documents."""
        return _rebuild(
            self.problem, self.remedy, self.side, document, self.position, self.span, source, self.line, self.column
        )

    def at(
        self, source: str, line: int | None = None, position: int | None = None, column: int | None = None
    ) -> InputError:
        """The same error, said of a line of a file (or of a token or column on it) in place of a document and token."""
        return InputError(self.problem, self.remedy, source=source, line=line, position=position, column=column)


def _rebuild(
    problem: str,
    remedy: str,
    side: str | None,
    document: int | None,
    position: int | None,
    span: int | None,
    source: str | None,
    line: int | None,
    column: int | None = None,
) -> InputError:
    return InputError(
        problem,
        remedy,
        side=side,
        document=document,
        position=position,
        span=span,
        source=source,
        line=line,
        column=column,
    )


def printable(text: str) -> str:
    """The text with control characters and lone surrogates written as escapes, to be shown on one line."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 span`, `1,200 spans`; the plural is given where an s is not enough."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def require_choice(name: str, value: object, choices: tuple) -> None:
    """Raise an `InputError` that lists the allowed values unless `value` is one of them."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        allowed = ", ".join(repr(choice) for choice in choices)
        raise InputError(f"{name}={value!r} is not a value that {name} can take.", f"Use one of {allowed}.")
