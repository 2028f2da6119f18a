"""Installs unpretty in agents and uninstalls it: plan, apply, uninstall, doctor."""
