"""Exports that are refused with their reason: no hint leads to a score of something else."""

import pytest

import spanometer
from spanometer import InputError
from spanometer.readers import read


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("webanno_tsv/tsv2-to-be-refused/1sentenceNE.tsv", "WebAnno TSV 2, which has no offsets"),
        (
            "bioc_xml/dkpro-bioc-example-with-text-in-passage.xml",
            "xml, line 11: the annotation 'S1' of document 1 has no label",
        ),
        ("uima_cas/small_typesystem.xml", "the file is XML of an unknown format"),
    ],
)
def test_refused(data, name, problem):
    with pytest.raises(InputError, match=problem):
        spanometer.read(data / "exports" / name)


def test_brackets_of_coreference_are_no_tags(data):
    file = read(data / "exports" / "conll_coref" / "GUM_news_worship.conll")
    with pytest.raises(InputError, match=r"coreference mentions .* format='conll2012'"):
        file.decoded()
