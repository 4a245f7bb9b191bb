"""What the course gives: configuration, records, corpora and the capstone's training engine. Not edited."""
