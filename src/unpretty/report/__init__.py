"""What the reports of `stats` and `estimate` share: periods, words, figures, tables."""
