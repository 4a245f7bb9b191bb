"""The gate: every mutant is killed by its named check, every right variant passes its lesson."""
