"""Sets agents up and takes everything back: plan, apply, uninstall, doctor."""
