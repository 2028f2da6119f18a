"""A stand-in for the program ``codex``, as far as the installer talks to it; run as a program with a list of problems.

It reads hooks.json and config.toml of CODEX_HOME and of the directory that it is asked about, and keeps trust as Codex
0.171 does. What the real one says is tested in tests/e2e.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import tomlkit

from unpretty_installer.codex.entry import trusted_hash

MODELS = [
    {"slug": "large", "priority": 2, "visibility": "list", "tool_mode": "code_mode_only"},
    {"slug": "old", "priority": 9, "visibility": "list", "tool_mode": None},
    {"slug": "default", "priority": 1, "visibility": "list", "tool_mode": "code_mode_only"},
    {"slug": "hidden", "priority": 0, "visibility": "hide", "tool_mode": "code_mode_only"},
]


def _table(path: Path) -> dict[str, Any]:
    return tomlkit.parse(path.read_text()).unwrap() if path.exists() else {}


def _hooks(home: Path, cwd: Path) -> dict[str, Any]:
    config = _table(home / "config.toml")
    errors = [{"message": "odd"}] if "complains" in sys.argv else []
    if config.get("features", {}).get("hooks") is False:
        return {"hooks": [], "warnings": [], "errors": errors}
    state = config.get("hooks", {}).get("state", {})
    hooks, warnings = [], []
    for directory in dict.fromkeys((home.resolve(), cwd.resolve() / ".codex")):
        sources = {directory / "config.toml": _table(directory / "config.toml")}
        try:
            if (directory / "hooks.json").exists():
                sources[directory / "hooks.json"] = json.loads((directory / "hooks.json").read_text())
        except ValueError as exc:
            warnings.append(f"failed to parse hooks config {directory / 'hooks.json'}: {exc}")
        for source, value in sources.items():
            for number, group in enumerate(value.get("hooks", {}).get("PostToolUse", [])):
                for index, handler in enumerate(group.get("hooks", [])):
                    key = f"{source}:post_tool_use:{number}:{index}"
                    now = trusted_hash(group.get("matcher"), handler)
                    noted = state.get(key, {})
                    trust = "trusted" if noted.get("trusted_hash") == now else "modified" if noted else "untrusted"
                    hooks.append(
                        {
                            "key": key, "command": handler.get("command"), "sourcePath": str(source),
                            "currentHash": now, "trustStatus": trust, "enabled": noted.get("enabled", True),
                        }
                    )  # fmt: skip
    return {"hooks": hooks, "warnings": warnings, "errors": errors}


def _write(home: Path, edits: list[dict[str, Any]]) -> None:
    path = home / "config.toml"
    text = path.read_text() if path.exists() else ""
    for key, value in edits[0]["value"].items():
        if "[hooks.state]" not in text:
            text += "\n[hooks.state]\n" if text else "[hooks.state]\n"
        text += f'\n[hooks.state."{key}"]\ntrusted_hash = "{value["trusted_hash"]}"\n'
    path.write_text(text)


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    home = Path(os.environ["CODEX_HOME"])
    if f"refuses {method}" in sys.argv:
        return {"error": {"code": -1, "message": "no"}}
    if method == "hooks/list":
        return {"result": {"data": [_hooks(home, Path(params["cwds"][0]))]}}
    if method == "config/batchWrite":
        if "forgets" not in sys.argv:
            _write(home, params["edits"])
        return {"result": {"status": "ok"}}
    return {"result": {}}


def serve() -> None:
    """Answer on standard output what comes on standard input."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if "hangs" in sys.argv:
            time.sleep(600)
        print("not JSON")
        print(json.dumps({"method": "notify", "params": {}}))
        print(json.dumps({"id": message["id"], "method": "ask", "params": {}}))
        print(json.dumps({"id": message["id"], **_answer(message["method"], message["params"])}), flush=True)
        if f"ends after {message['method']}" in sys.argv:
            return
    if "lingers" in sys.argv:
        time.sleep(600)


if __name__ == "__main__":
    if "--version" in sys.argv:
        print("codex-cli 0.171.0")
    elif "models" in sys.argv:
        print(json.dumps({"models": MODELS}) if "no models" not in sys.argv else "{}")
    else:
        serve()
