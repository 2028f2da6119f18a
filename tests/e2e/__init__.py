"""End-to-end tests: unpretty as a user installs it, in the real clients, with a scripted model and no network."""
