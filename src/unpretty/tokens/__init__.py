"""Exact o200k token counts."""
