"""``unpretty serve`` as a command line."""

import base64
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location

import pytest
from click.testing import CliRunner

from unpretty.cli import convert, serve
from unpretty.cli.serve import command
from unpretty.encodings import registry


@pytest.mark.parametrize("module", ["unpretty.servers.files.server", "unpretty.servers.clickhouse.server"])
def test_without_its_packages_it_says_what_to_install(monkeypatch, tmp_path, module):
    monkeypatch.setitem(sys.modules, module, None)
    arguments = ["files", "--root", str(tmp_path)] if "file" in module else ["clickhouse", "--url", "http://h"]
    result = CliRunner().invoke(command, arguments)
    assert "needs packages that are not installed" in str(result.exception)
    assert "unpretty[mcp]" in result.exception.hint


@pytest.mark.parametrize(("module", "arguments"), [(convert, []), (serve, ["files"]), (serve, ["clickhouse"])])
def test_an_encoding_that_is_added_to_the_registry_is_a_choice(monkeypatch, module, arguments):
    monkeypatch.setitem(registry.ENCODINGS, "demo", registry.EncodingEntry("minified:JSON", "demo"))
    spec = spec_from_file_location("fresh", module.__file__)
    fresh = module_from_spec(spec)
    spec.loader.exec_module(fresh)
    result = CliRunner().invoke(fresh.command, [*arguments, "--help"])
    assert "demo" in result.output


needs_extra = pytest.mark.skipif(find_spec("mcp") is None, reason="the extra unpretty[mcp] is not installed")


@needs_extra
def test_files_are_served_with_the_options_given(monkeypatch, tmp_path):
    seen = {}

    class Served:
        def __init__(self, root, **options):
            seen.update(options, root=root)

        def server(self):
            return self

        def run(self):
            seen["ran"] = True

    monkeypatch.setattr("unpretty.servers.files.server.FileServer", Served)
    result = CliRunner().invoke(command, ["files", "--root", str(tmp_path), "--encoding", "toon", "--seconds", "2"])
    assert result.exit_code == 0, result.output
    assert seen == {"root": tmp_path, "encoding": "toon", "max_bytes": 40_000, "seconds": 2.0, "ran": True}


@needs_extra
def test_clickhouse_is_served_with_the_password_of_the_environment(monkeypatch):
    seen = {}

    class Served:
        def __init__(self, clickhouse, **options):
            seen.update(options, credentials=clickhouse._headers["Authorization"])

        def server(self):
            return self

        def run(self):
            seen["ran"] = True

    monkeypatch.setattr("unpretty.servers.clickhouse.server.ClickHouseServer", Served)
    monkeypatch.setenv("CLICKHOUSE_PASSWORD", "secret")
    result = CliRunner().invoke(command, ["clickhouse", "--url", "http://h:1/db", "--user", "me"])
    assert result.exit_code == 0, result.output
    assert seen == {"encoding": "", "credentials": b"Basic " + base64.b64encode(b"me:secret"), "ran": True}
