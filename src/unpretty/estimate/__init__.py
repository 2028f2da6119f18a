"""What the hook would have saved on past sessions."""
