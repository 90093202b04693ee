"""Files of annotation once they are read: their tags, spans and words, checked, joined, paired."""
