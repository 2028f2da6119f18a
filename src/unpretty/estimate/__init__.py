"""What the hook would have saved on the user's own past sessions, before it is installed."""
