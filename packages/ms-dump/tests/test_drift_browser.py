"""The page in a browser: headless Chromium, which MS_CHROMIUM names or the path holds."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

from ms_dump.drift import Report, write_html
from ms_dump.drift.wire import Call

BROWSER = os.environ.get("MS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")

# does what a person does, and writes down what can be seen then
CLICKS = """
<pre id="seen"></pre>
<script>
const seen = {}, rows = () => [...document.querySelectorAll("#sites tbody tr")].filter((row) => !row.hidden);
const ops = () => rows().map((row) => row.cells[1].textContent);
const head = (name) => [...document.querySelectorAll("#sites th button")].find((b) => b.textContent === name);
seen.before = ops();
head("Last places").click();
seen.worstFirst = ops();
head("Last places").click();
seen.worstLast = ops();
const filter = document.getElementById("filter");
filter.value = "inner mul";
filter.dispatchEvent(new Event("input"));
seen.filtered = ops();
filter.value = "";
filter.dispatchEvent(new Event("input"));
const details = document.getElementById("details");
seen.hidden = details.hidden;
rows().find((row) => row.cells[1].textContent === "Exp").click();
seen.shown = !details.hidden;
seen.title = details.querySelector("h2").textContent;
seen.bars = details.querySelectorAll("rect").length;
seen.marked = details.querySelector("pre b").textContent;
seen.rules = details.querySelector("ul").textContent;
document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
seen.closed = details.hidden;
document.querySelector("#culprit button").click();
seen.culprit = details.querySelector("h2").textContent;
document.querySelector("circle.drift").dispatchEvent(new MouseEvent("click"));
seen.point = details.querySelector("h2").textContent;
seen.loads = performance.getEntriesByType("resource").length;
document.getElementById("seen").textContent = JSON.stringify(seen);
</script>
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("page")
    program = folder / "program.py"
    program.write_text("one\ntwo\nthree\nfour\nfive\n")
    report = Report({"npu": "Ascend (ascend910)", "bench": "CPU", "program": str(program)})
    right = np.float32([1, 2])
    rows = [("Add", right, ""), ("Mul", np.float32([1, 2.01]), "/a-Inner"), ("Exp", np.float32([1, np.inf]), "")]
    for index, (kind, value, inner) in enumerate(rows):
        path, source = f"Default/network-Net{inner}", (str(program), index + 2)
        calls = [Call(index, index, kind, path, False, 0, source, outputs=[out]) for out in (value, right)]
        calls[0].rules = ["AN-OVF-03"] if kind == "Exp" else []
        report.add(*calls)
    report.finish()
    page = folder / "report.html"
    with open(page, "w", encoding="utf-8") as file:
        write_html(report, file)
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", CLICKS + "</body>"), encoding="utf-8")
    assert BROWSER is not None
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        "--dump-dom",
    ]
    done = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None and found[1], done.stdout[-2000:]
    made: dict[str, Any] = json.loads(html.unescape(found[1]))
    return made


def test_the_table_can_be_sorted(seen: dict[str, Any]) -> None:
    assert seen["before"] == ["Add", "Mul", "Exp"]
    assert seen["worstFirst"] == ["Exp", "Mul", "Add"]
    assert seen["worstLast"] == ["Add", "Mul", "Exp"]


def test_the_filter_takes_words_of_all_columns(seen: dict[str, Any]) -> None:
    assert seen["filtered"] == ["Mul"]


def test_a_click_shows_histogram_source_and_rules(seen: dict[str, Any]) -> None:
    assert seen["hidden"] and seen["shown"] and seen["closed"]
    assert seen["title"] == "Exp (forward)" and seen["bars"] == 13
    assert seen["marked"].split() == ["4", "four"]
    assert seen["rules"].startswith("AN-OVF-03: ")


def test_the_culprit_and_the_points_lead_to_details(seen: dict[str, Any]) -> None:
    assert seen["culprit"] == "Exp (forward)" and seen["point"] == "Mul (forward)"


def test_nothing_is_loaded(seen: dict[str, Any]) -> None:
    assert seen["loads"] == 0
