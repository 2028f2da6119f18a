"""Where our own files are."""

from pathlib import Path

from unpretty import locations


def test_directories_follow_the_environment_until_they_are_given(home, tmp_path, monkeypatch):
    monkeypatch.setattr(locations, "_given", {})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = locations.state_dir()
    assert before.name == "unpretty"
    locations.use(config="/a", data="/b", state="/c")
    assert locations.config_file() == Path("/a/config.toml")
    assert locations.resolved_settings_file() == Path("/b/settings.json")
    assert locations.decision_log_file() == Path("/c/decisions.jsonl")
