"""What runs inside a hook: a text in, a smaller text with the same meaning out. It knows no agent and no encoding."""
