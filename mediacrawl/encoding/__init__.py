"""What does the text say? The place of the encodings issue: models, detection and repair; nothing yet."""
