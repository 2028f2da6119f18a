"""Edits JSON and TOML files as text, so that every byte outside the edited entry stays as it was."""
