"""Our files in the data directory that start an MCP server through the proxy; agents' configurations name the first.

``proxy`` is a few lines of shell: a server has to start also when this install, or the Python that it ran on, is gone,
and only something that needs neither can see to that. It runs ``proxy.py`` with this install's interpreter, which
imports the package and, where that fails, becomes the server itself. On Windows there is ``proxy.py`` alone.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import unpretty
from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer.core import files, launcher, own_files, planning
from unpretty_installer.core.plan import FileChange

_SHELL = """\
#!/bin/sh
# Written by unpretty; `unpretty doctor --fix` writes it again.
# Starts an MCP server behind unpretty's proxy, or by itself when unpretty is gone.
python={python}
script={script}
if [ -f "$python" ] && [ -x "$python" ] && [ -f "$script" ] && [ -r "$script" ]; then
    exec "$python" -I -S "$script" "$@"
fi
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
    shift
done
shift
exec "$@"
"""

# The directories are given because clients start servers with few variables, and because ``-S`` keeps start-up short.
_PYTHON = """\
# Written by unpretty; `unpretty doctor --fix` writes it again.
import os
import sys

sys.path += {paths}
try:
    import unpretty.cli.proxy
    import unpretty.proxy.relay
    from unpretty import locations
    from unpretty.cli.main import main
except Exception as exc:
    print(f"unpretty: the MCP server runs without the proxy ({{exc}})", file=sys.stderr)
    server = sys.argv[sys.argv.index("--") + 1 :]
    if os.name == "posix":
        os.execvp(server[0], server)
    import shutil
    import subprocess

    sys.exit(subprocess.run([shutil.which(server[0]) or server[0], *server[1:]]).returncode)
locations.use(config={config}, data={data}, state={state})
sys.argv[:1] = ["unpretty", "proxy"]
main()
"""

_SAMPLE_ROWS = [{"id": number, "name": f"item {number}", "ok": True} for number in range(40)]
_SAMPLE_SERVER = """\
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    text = json.dumps(json.loads(sys.argv[1]), indent=4)
    result = {"content": [{"type": "text", "text": text}]} if request["method"] == "tools/call" else {}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
_SAMPLE_REQUESTS = (
    {"method": "initialize", "params": {"protocolVersion": "2025-06-18", "clientInfo": {"name": "selftest"}}},
    {"method": "tools/call", "params": {"name": "items", "arguments": {}}},
)
_TIMEOUT_SECONDS = 20.0


def program() -> Path:
    """What agents start in place of a server's own program."""
    return locations.data_dir() / "proxy"


def script() -> Path:
    """The Python part of it."""
    return locations.data_dir() / "proxy.py"


def argv() -> list[str]:
    """The arguments in front of ``--name=NAME -- COMMAND``, the same over every upgrade."""
    if sys.platform == "win32":
        return [launcher.interpreter(), "-I", "-S", str(script())]
    return [str(program())]


def changes() -> tuple[FileChange, ...]:
    """The changes that put both files in place."""
    contents = [(script(), _script_source(), 0o600)]
    if sys.platform != "win32":
        contents.append((program(), _program_source(), 0o700))
    return tuple(
        FileChange(
            path, files.read(path, own=True), content, "Starts MCP servers through the proxy.", ours=True, mode=mode
        )
        for path, content, mode in contents
    )


def removal() -> tuple[FileChange, ...]:
    """The changes that take both files away, for when no server is wrapped any more."""
    found = [
        FileChange(path, files.read(path), None, "No MCP server uses it.", ours=True, empty_dirs=(path.parent,))
        for path in (program(), script())
        if own_files.is_ours(path)
    ]
    return tuple(found)


def _program_source() -> bytes:
    text = _SHELL.format(python=shlex.quote(launcher.interpreter()), script=shlex.quote(str(script())))
    return text.encode("utf-8", "surrogateescape")


def _script_source() -> bytes:
    return _PYTHON.format(
        paths=launcher.path_list(_package_directories()),
        config=ascii(str(locations.config_dir())),
        data=ascii(str(locations.data_dir())),
        state=ascii(str(locations.state_dir())),
    ).encode("ascii")


def _package_directories() -> list[str]:
    """Where this install's package and what it depends on are found."""
    own = str(Path(unpretty.__file__).parent.parent.absolute())
    installed = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    return list(dict.fromkeys([own, *installed]))


def try_out() -> None:
    """Run the proxy in front of a small server, in the bare environment that Codex gives its servers.

    Raises:
        UnprettyError: it did not run, or the result of the one tool call did not come back minified.
    """
    server = [launcher.interpreter(), "-I", "-S", "-c", _SAMPLE_SERVER, json.dumps(_SAMPLE_ROWS)]
    requests = [{"jsonrpc": "2.0", "id": number, **request} for number, request in enumerate(_SAMPLE_REQUESTS)]
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    try:
        done = subprocess.run(
            [*argv(), "--name=selftest", "--", *server],
            input="".join(json.dumps(request) + "\n" for request in requests).encode(),
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            env={**kept, "UNPRETTY_SELFTEST": "1"},
            cwd=planning.here(),
        )
    except subprocess.TimeoutExpired:
        raise _failed(f"did not end within {_TIMEOUT_SECONDS:.0f} seconds", b"") from None
    except OSError as exc:
        raise _failed(f"could not be started ({exc.strerror or exc})", b"") from None
    minified = json.dumps(json.dumps(_SAMPLE_ROWS, separators=(",", ":")))[1:-1].encode()
    if minified not in done.stdout:
        raise _failed("did not hand on a result as it should", done.stderr)


def _failed(what: str, stderr: bytes) -> UnprettyError:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    said = f": {lines[-1][:200]}" if lines else ""
    return UnprettyError(
        f"The proxy was tried in front of a small server and {what}{said}.",
        code="proxy_failed",
        hint="Run `unpretty doctor` for details, or reinstall unpretty.",
    )
