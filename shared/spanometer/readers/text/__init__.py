"""Files of text with annotation in it or beside it: brat, BioC, PubTator, inline markup."""
