"""Settings: config.toml for people, a resolved copy for the hook."""
