import re
from html.parser import HTMLParser

from unpretty.stats.html import render

from .conftest import START

VOID = {"meta", "rect", "br"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and gathers what a browser would load, run or show."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def fill(log):
    for day in range(40):
        log.decision(ts=START + day * 86_400_000, tool=f"T{day % 25}")
    log.tokens(log.decision(), 300, 160)
    log.decision(reason="not_json", via="worker", ms=40.0)


def test_the_page_loads_nothing_and_runs_nothing(log):
    fill(log)
    text = render(log.report("day", "tool", "reason"))
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "form", "a"} & set(page.tags)
    assert not {name for name, _ in page.attributes} & {"src", "href", "srcset", "action", "onload", "onclick"}
    assert "http:" not in text
    assert "https:" not in text
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_the_page_is_for_dark_and_light_and_for_phones(log):
    text = render(log.report("day"))
    assert "prefers-color-scheme: dark" in text
    assert "color-scheme: light dark" in text
    assert 'name="viewport"' in text
    assert "@media (max-width" in text


def test_the_page_holds_the_figures(log):
    fill(log)
    report = log.report("day", "tool", "reason", price=3.0, applied=lambda record: "applied")
    text = Page(render(report)).text
    for words in (
        "42", "made smaller (97.6 %)", "Saved per day", "By tool", "Why results were left alone",
        "No line of the result starts", "Time of the hook", "Time of the worker", "Largest savings", "Source",
        "20 more are not shown", "each read once", str(log.path), "0 rejected, 0 not known",
    ):  # fmt: skip
        assert words in text


def test_names_from_the_log_are_text_and_nothing_else(log):
    evil = "<script>alert(1)</script>\"' onload=x <td"
    log.decision(tool=evil, project=evil, agent=evil, via=evil)
    text = render(log.report("tool", "project", "agent"))
    page = Page(text)
    assert "script" not in page.tags
    assert "onload" not in {name for name, _ in page.attributes}
    assert evil in page.text


def test_a_name_that_looks_like_a_cell_is_text(log):
    log.decision(tool="<td class=bar>", reason="<td>")
    page = Page(render(log.report("tool", "reason")))
    assert "<td class=bar>" in page.text


def test_columns_are_in_proportion(log):
    for day, saved in enumerate((100, 400)):
        log.decision(ts=START + day * 86_400_000, bytes_in=1000, bytes_out=1000 - saved)
    columns = render(log.report("day")).split("By day")[0]
    assert re.findall(r'y="([\d.]+)" width="100" height="([\d.]+)"', columns) == [("75.0", "25.0"), ("0.0", "100.0")]


def test_an_empty_report_is_a_page_too(log):
    page = Page(render(log.report("day", "tool", "reason")))
    assert "no results" in page.text
