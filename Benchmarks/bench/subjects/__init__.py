"""One module for each subject. Each has `rows(lab)`, which yields the rows of its table."""
