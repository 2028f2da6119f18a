"""Figures from the decision log."""
