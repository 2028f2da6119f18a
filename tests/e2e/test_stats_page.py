"""The page of ``stats --html`` in a real browser without a network: dark and light, wide and narrow."""

import json
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from .installed import Unpretty
from .sandbox import isolated

BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

LIGHT, DARK = (0xFF, 0xFF, 0xFF), (0x12, 0x14, 0x17)


@pytest.fixture
def page(unpretty_program: Path, home: Path, project: Path) -> Path:
    """The page on forty days of results."""
    unpretty = Unpretty(unpretty_program, home, project, project)
    lines = []
    for number in range(400):
        converted = number % 5 == 0
        record: dict[str, object] = {
            "v": 1, "kind": "decision", "id": f"{number}", "ts": 1_790_000_000_000 + number * 8_640_000, "via": "hook",
            "agent": "claude-code", "session": "s", "tool_use_id": f"toolu_{number}", "project": "/home/user/project",
            "model": "", "tool": f"mcp__a_server_with_a_long_name__tool_{number % 7}",
            "reason": "converted" if converted else "not_json", "encoding": "", "bytes_in": 9000,
            "bytes_out": 4000 + number if converted else 9000, "steps": {}, "ms": number / 50,
        }  # fmt: skip
        lines.append(json.dumps(record) + "\n")
    unpretty.log.parent.mkdir(parents=True)
    unpretty.log.write_text("".join(lines))
    file = project / "stats.html"
    unpretty.run("stats", "--html", str(file), "--price", "3")
    return file


def browse(page: Path, *options: str) -> str:
    """Run the browser on ``page`` without a network; what it prints."""
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        *options,
        page.as_uri(),
    ]

    def run() -> str:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    return isolated(run)


def picture(page: Path, width: int, *options: str) -> tuple[int, int, tuple[int, int, int], int]:
    """Width, height and corner colour of a screenshot, and the size in bytes of its packed picture."""
    file = page.with_suffix(".png")
    browse(page, f"--window-size={width},1600", f"--screenshot={file}", *options)
    data = file.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    wide, high = struct.unpack(">II", data[16:24])
    packed, position = b"", 8
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        packed += data[position + 8 : position + 8 + length] if kind == b"IDAT" else b""
        position += length + 12
    # The first pixel of the first row has no neighbours, so no filter changes it.
    red, green, blue = zlib.decompress(packed)[1:4]
    return wide, high, (red, green, blue), len(packed)


def test_the_browser_shows_what_the_page_says(page: Path) -> None:
    shown = browse(page, "--dump-dom")
    for words in ("unpretty stats", "Saved per day", "By tool", "Why results were left alone", "Time of the hook"):
        assert words in shown


@pytest.mark.parametrize("width", [1000, 390])
def test_the_page_is_light_or_dark_as_the_reader_wants_it(page: Path, width: int) -> None:
    light = picture(page, width, "--blink-settings=preferredColorScheme=1")
    dark = picture(page, width, "--blink-settings=preferredColorScheme=0")
    assert (light[2], dark[2]) == (LIGHT, DARK)
    for wide, high, _, size in (light, dark):
        assert (wide, high) == (width, 1600)
        assert size > 20_000, "the picture is all but empty"
