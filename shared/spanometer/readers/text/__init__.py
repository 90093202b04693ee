"""Text files with annotation inside or in a second file: brat, BioC, PubTator, inline markup."""
