"""Reports: the page of the command line. A page that is made with Node.js is not needed here: any that has its place for the data."""

import json
import os
import re
import subprocess

import darboux
import numpy as np
import pytest
from darboux._layout import Layout, attach

PROGRAM = os.environ.get("DARBOUX_PROGRAM", "")


def contents(page):
    return json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(
        '<!doctype html>\n<!-- darboux report --><script id="report" type="application/json">@DATA@</script>',
        encoding="utf-8",
    )
    return file


def trace_of(model, **more):
    return darboux.sample(model, **{"seed": 3, "draws": 200, "progressbar": False, **more})


def test_reports_can_be_saved_and_shown(tmp_path, page):
    trace = trace_of(darboux.models.named("gaussian", 2))
    report = trace.darboux.report(page=page)
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    frame = report._repr_html_()
    assert frame.startswith("<iframe sandbox=")
    assert "allow-same-origin" not in frame
    assert "<!doctype" not in frame  # all of the page is quoted
    found = contents(report.html)
    assert "gaussian" in found["title"]
    configuration = next(section for section in found["sections"] if section["id"] == "configuration")
    assert configuration["code"] == "darboux.sample(model, seed=3, draws=200)"


def test_the_call_of_a_report_has_starting_points_where_they_were_given(page):
    def call(model, **more):
        sections = contents(trace_of(model, **more).darboux.report(page=page).html)["sections"]
        return next(section for section in sections if section["id"] == "configuration")["code"]

    model = darboux.from_numpy(lambda q: (-0.5 * q @ q, -q), 2)
    knows = attach(model, Layout.by_name(model.names, start=np.zeros(2)), "model")
    assert call(knows) == "darboux.sample(model, seed=3, draws=200)"
    assert call(knows, init=np.zeros((4, 2))) == "darboux.sample(model, seed=3, draws=200, init=points)"


def test_reports_are_of_the_quantities_that_the_trace_has(page):
    model = darboux.from_numpy(lambda q: (-0.5 * q @ q, -q), 2, names=["a", "b"])
    text = trace_of(model).darboux.report(page=page).html
    assert '"a"' in text and '"b"' in text


def test_without_a_page_it_says_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"Node\.js"):
        trace_of(darboux.models.named("gaussian", 2)).darboux.report(page=tmp_path / "none.html")


def without_seconds(section):
    """Two runs take different times, if they differ in nothing else."""
    if table := section.get("table"):
        kept = [place for place, column in enumerate(table["columns"]) if column["title"] != "seconds"]
        table["columns"] = [table["columns"][place] for place in kept]
        table["rows"] = [[row[place] for place in kept] for row in table["rows"]]
    return section


@pytest.mark.skipif(not PROGRAM, reason="DARBOUX_PROGRAM is not set")
def test_reports_are_those_of_the_command_line(tmp_path, page):
    run = tmp_path / "banana"
    subprocess.run([PROGRAM, "sample", "banana", "--seed", "3", "--draws", "200", "--quiet", "--out", run], check=True)
    expected = json.loads(
        subprocess.run([PROGRAM, "report", run, "--json", "-"], check=True, capture_output=True).stdout
    )
    found = contents(trace_of(darboux.models.named("banana")).darboux.report(page=page).html)
    assert found["title"] == expected["title"]
    assert [s["id"] for s in found["sections"]] == [s["id"] for s in expected["sections"]]
    for ours, theirs in zip(found["sections"], expected["sections"], strict=True):
        if ours["id"] != "configuration":
            assert without_seconds(ours) == without_seconds(theirs)
