"""XML of i2b2's tasks, MAE and MedTator: each file has one document, with its text and tags with offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...documents.record import Record
from ..formats import Format, Offsets, register
from ..source import Source
from ..xml_text import element_of

_FIRST = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<[\w.-]+>\s*<TEXT>")
_BOUNDS = re.compile(r"(\d{1,18})~(\d{1,18})")
_REMEDY = "Write <TEXT><![CDATA[...]]></TEXT><TAGS><NAME start=... end=... TYPE=.../></TAGS>."


def read_i2b2(source: Source, options: Offsets) -> Iterator[Record]:
    """Read the text of a document and its tags with offsets. Links and tags of the whole document are not read.

    The label is the name of the tag, followed by a slash and the value of `TYPE` if there is one: `NAME/PATIENT`.
    Offsets are code points with exclusive ends; MedTator writes `spans="0~5,7~9"`.

    Raises:
        InputError: if XML is invalid, or if the document has no text; see also `documents_of`.
    """
    root = element_of(source)
    record = Record(text=root.findtext("TEXT"))
    if record.text is None:
        raise source.refuse("the document has no TEXT.", _REMEDY)
    for tag in root.iterfind("TAGS/*"):
        places = _BOUNDS.findall(tag.get("spans") or f"{tag.get('start')}~{tag.get('end')}")
        pieces = sorted((int(start), int(end)) for start, end in places)
        if pieces:
            label = "/".join(filter(None, (tag.tag, tag.get("TYPE"))))
            stated, covered = tag.get("text"), record.text[pieces[0][0] : pieces[-1][1]]
            # XML turns line ends in attributes into blanks
            stated = covered if stated is not None and stated.split() == covered.split() else stated
            stated = stated if len(pieces) == 1 else None
            record.add(pieces[0][0], pieces[-1][1], label, stated=stated, pieces=pieces)
    yield record


register(
    Format(
        "i2b2",
        "XML of i2b2, MAE or MedTator",
        lambda source: _FIRST.match(source.head),
        read_i2b2,
        units=("codepoint", "utf-16"),
    )
)
