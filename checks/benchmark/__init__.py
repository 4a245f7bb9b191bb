"""Training speed: the capstone's engine against Hugging Face's pre-training models, on the same work."""
