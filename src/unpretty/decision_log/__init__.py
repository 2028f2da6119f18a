"""The decision log: one writer for the hook, one reader for everything that reports."""
