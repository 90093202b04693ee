"""Files of columns: CoNLL, CoNLL-U, HIPE, WebAnno, INCEpTION, CSV."""
