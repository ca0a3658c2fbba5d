"""The precision report: metrics, pairing, what the chip does, two programs compared."""

from __future__ import annotations

import io
import json
import pathlib
import sys
import textwrap
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ms_dump.drift import CLASSES, Report, compare, measure, summary, write_html
from ms_dump.drift.chip import Rules, WatchedTarget
from ms_dump.drift.collect import Curve
from ms_dump.drift.pairing import pairs
from ms_dump.drift.wire import Call, decode, encode
from ms_kernels import Tensor, functional
from ms_kernels.core.dispatch import dispatch, ops_by_name
from ms_kernels.targets.ascend import RULES, report

F16, F32 = np.float16, np.float32


def kind(npu: Any, bench: Any, coarsest: float = 0.0) -> str:
    return CLASSES[measure(np.asarray(npu), np.asarray(bench), coarsest).kind]


# -- one comparison ---------------------------------------------------------------------------------------------------


def test_classes_of_error() -> None:
    one = F32([1, 2, 3])
    assert kind(one, one) == "equal"
    assert kind(one, one * F32(1 + 1e-6)) == "rounding"
    assert kind(one, one * F32(1 + 1e-4)) == "drift"
    assert kind(one, one * F32(1 + 1e-4), coarsest=2.0**-10) == "rounding"  # it has been a float16
    assert kind(one, F32([-9, 2, 3])) == "broken"
    assert kind(F32([1, np.inf]), F32([1, 2])) == "broken"
    assert kind(F32([1, np.inf, np.nan]), F32([1, np.inf, np.nan])) == "equal"
    assert kind(F32([1, np.inf]), F32([1, -np.inf])) == "broken"
    assert kind(F16([2000, 1]), F16([2002, 1])) == "rounding"  # msprobe says "No": more than 1 apart
    assert kind(np.int32([1, 9]), np.int32([9, 1])) == "drift"
    assert kind(one, F32([1, 2])) == "broken"
    assert kind(np.array([1 + 2j, 3]), np.array([1 + 2j, 3])) == "equal"
    assert kind(np.array([1 + 2j, 3]), np.array([1 - 2j, 3])) == "broken"
    assert kind(np.array([True, False]), np.array([True, True])) == "drift"
    assert kind(np.zeros((0, 3), F16), np.zeros((0, 3), F16)) == "equal"


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=20), st.floats(0.875, 1.125, width=32))
def test_metrics_are_msprobes(values: list[float], factor: float) -> None:
    bench = np.float32(values)
    npu = (bench * np.float32(factor)).astype(np.float32)
    found = measure(npu, bench)
    wanted = report.compare(npu, bench)
    if found.kind:
        assert found.metrics == wanted
    assert found.metrics["MaxAbsErr"] == wanted["MaxAbsErr"]
    assert found.verdict == report.verdict(found.metrics["Cosine"], found.metrics["MaxAbsErr"])
    assert sum(found.histogram) == bench.size
    assert found.differing == int(np.count_nonzero(npu != bench))


def test_the_histogram_says_where_the_errors_are() -> None:
    bench = F32([1, 1, 1, 1, 1])
    found = measure(F32([1, 1.0005, 1.5, 100, np.nan]), bench).histogram
    assert found[0] == found[-1] == 1
    assert [i for i, count in enumerate(found) if count] == [0, 6, 9, 11, 12]


# -- the chip ---------------------------------------------------------------------------------------------------------


def test_saturations_are_counted_also_in_twins() -> None:
    target = WatchedTarget("ascend910")
    x = Tensor(np.full((4, 4), 300, F16))
    with target.use():
        x * x
        assert target.take() == 16
        x + x
        assert target.take() == 0
        functional.dense(x, x, Tensor(np.zeros(4, F16)))
        assert target.take() > 0


@pytest.mark.parametrize(
    ("name", "args", "rules"),
    [
        ("mul", (F16, F16), {"AN-TYPE-03"}),
        ("matrix_product", (F32, F32, False, False), {"AN-CAST-01", "AN-CUBE-04", "AN-PREC-05"}),
        ("matrix_product", (F16, F16, False, False), {"AN-CUBE-04"}),
    ],
)
def test_rules_that_act(name: str, args: tuple[Any, ...], rules: set[str]) -> None:
    target = WatchedTarget("ascend910")
    values = tuple(Tensor(np.ones((4, 4), arg)) if isinstance(arg, type) else arg for arg in args)
    watch = Rules(target)
    with target.use():
        op = ops_by_name[name]
        for _ in range(2):
            out, found = watch.watch(op, values, lambda: dispatch(op, values))
            assert rules <= set(found) <= set(RULES)
            assert "AN-OVF-03" not in found
            assert out.shape == (4, 4)
        operands = [value._a for value in values if isinstance(value, Tensor)]
        assert target.lowered(op, operands) == (32 if name == "matrix_product" and F32 in args else 0)


# -- the stream -------------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.lists(st.sampled_from("abcd"), max_size=40))
def test_pairing_loses_nothing(left: list[str], right: list[str]) -> None:
    found = list(pairs(iter(left), iter(right), str))
    assert [a for a, _ in found if a is not None] == left
    assert [b for _, b in found if b is not None] == right
    assert all(a == b for a, b in found if a is not None and b is not None)


def test_pairing_meets_again() -> None:
    left = list(range(300))
    right = left[:100] + [-1] * 20 + left[100:200] + left[230:]
    found = list(pairs(iter(left), iter(right), str))
    assert sum(a is not None and b is not None for a, b in found) == 270
    assert len(list(pairs(iter(range(500)), iter(range(1000, 1500)), str))) == 1000


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int64", "bool"])
def test_calls_survive_the_wire(dtype: str) -> None:
    array = np.asarray(Tensor(np.arange(6).reshape(2, 3)).astype(dtype)._a)
    sent = Call(
        3, 1, "Add", "Default/x", True, 2, ("a.py", 4), [1, -1], 0.5, 1, 2, 3, ["AN-CAST-01"], [array, array[0, 0]]
    )
    found = decode(encode(sent))
    assert found.outputs[0].tolist() == array.tolist() and found.outputs[1].shape == ()
    found.outputs, sent.outputs = [], []
    assert found == sent


def call(index: int, value: Any, *inputs: int, path: str = "Default/network-Net", **more: Any) -> Call:
    return Call(
        index, index, "Add", path, more.pop("backward", False), 0, ("a.py", 3), list(inputs), outputs=[value], **more
    )


def test_the_first_call_that_leaves_its_class() -> None:
    rows = io.StringIO()
    found = Report({"npu": "a", "bench": "b"}, rows)
    right, off, wrong = F32([1, 2]), F32([1, 2.001]), F32([1, -2])
    found.add(call(0, right), call(0, right))
    found.add(call(1, off, 0, path="Default/network-Net/1-Inner"), call(1, right, 0))
    found.add(call(2, off, 1), call(2, right, 1))
    found.add(call(3, wrong, 2, saturated=2), call(3, right, 2))
    found.add(call(4, wrong, 3), call(4, right, 3))
    found.finish()
    assert found.first["drift"]["index"] == 1 and found.first["broken"]["index"] == 3
    assert found.culprit is not None and found.culprit["index"] == 3
    assert found.classes == [1, 0, 2, 2] and found.counts.saturated == 2
    assert [cell.kind for cell in found.cells.values()] == [3, 2]
    whole = json.loads(rows.getvalue())
    assert [row["class"] for row in whole["ops"]] == ["equal", "drift", "drift", "broken", "broken"]
    assert [row["leaves"] for row in whole["ops"]] == [False, True, False, True, False]
    assert whole["ops"][0].keys() >= {*report.METRICS, "rules", "saturated", "infinite", "downcast", "rounded"}


def test_losses_are_the_numbers_before_gradients() -> None:
    found = Report({"npu": "a", "bench": "b"})
    for step in range(3):
        found.add(call(10 * step, F32([1, 2])), call(0, F32([1, 2])))
        found.add(call(10 * step + 1, F32(3 - step)), call(1, F32(2 - step)))
        found.add(call(10 * step + 2, F32([1, 2]), backward=True), call(2, F32([1, 2]), backward=True))
    assert [loss[1:] for loss in found.losses] == [[3, 2], [2, 1], [1, 0]]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from ms_dump.drift import collect

    monkeypatch.setattr(collect, "_SITES", 10)
    monkeypatch.setattr(collect, "_REMEMBERED", 10)
    found = Report({"npu": "a", "bench": "b"})
    found.errors = Curve(16)
    for i in range(500):
        found.add(call(i, F32([1, i % 7]), i - 1), call(i, F32([1, 1])))
    assert found.calls == 500 == sum(site.calls for site in found.sites.values())
    assert len(found.sites) <= 11 and len(found._known) <= 10 and len(found.errors.points) <= 17


# -- two programs -----------------------------------------------------------------------------------------------------

PROGRAM = """
    import numpy as np
    from ms_dump.testing import Part
    from ms_kernels import Tensor, functional, value_and_grad

    class Scores(Part):
        def construct(self, q, k):
            return functional.matmul(q, k)

    class Net(Part):
        def construct(self, x):
            scores = self.scores(x * 100, x)          # line 11
            return functional.mean(functional.matmul(scores, x) / 65536)

    net = Net(scores=Scores())
    x = Tensor(np.full((8, 8), 16, np.float32))
    step = value_and_grad(net)
    for _ in range(3):
        loss, gradient = step(x)
    print("done")
"""


def two(
    tmp_path: pathlib.Path, program: str, profile: str = "ascend910", against: str = "CPU", **texts: str
) -> tuple[Report, dict[str, Any]]:
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(program))

    def command(target: str, chip: str | None) -> Any:
        def words(address: str) -> Sequence[str]:
            code = (
                "import runpy\nfrom ms_dump.drift import side\n"
                f"side({address!r}, {target!r}, {chip!r})\nrunpy.run_path({str(file)!r}, run_name='__main__')"
            )
            return [sys.executable, "-c", code]

        return words

    rows = io.StringIO()
    found = compare(command("Ascend", profile), command("CPU", None), {"npu": profile, "bench": against}, rows)
    return found, json.loads(rows.getvalue())


def test_two_programs(tmp_path: pathlib.Path) -> None:
    found, whole = two(tmp_path, PROGRAM)
    assert {name: ended["exit"] for name, ended in found.about["ended"].items()} == {"npu": 0, "bench": 0}
    assert found.about["ended"]["npu"]["output"] == "done\n"
    row = found.culprit
    assert row is not None and row["class"] == "broken" and row["op"] == "MatMul" and row["direction"] == "forward"
    assert row["cell"] == "Default/network-Net" and row["source"] == [str(tmp_path / "program.py"), 13]
    assert row["saturated"] > 0 and row["downcast"] == 128 and {"AN-OVF-03", "AN-CAST-01"} <= set(row["rules"])
    assert len(found.losses) == 3 and {op["iteration"] for op in whole["ops"]} == {0, 1, 2}
    assert {op["direction"] for op in whole["ops"]} == {"forward", "backward"}
    assert found.unpaired == {"npu": 0, "bench": 0}
    text = summary(found)
    assert "First broken: MatMul" in text and "program.py:13" in text and "AN-OVF-03" in text


def test_the_new_chip_does_not_overflow(tmp_path: pathlib.Path) -> None:
    found, _ = two(tmp_path, PROGRAM, "ascend910b")
    assert found.classes[3] == 0 and found.counts.saturated == 0


def test_a_program_that_fails_on_one_side(tmp_path: pathlib.Path) -> None:
    program = """
        import numpy as np
        from ms_kernels import Tensor, functional
        x = functional.relu(Tensor(np.ones(4, np.float32)))
        x.bfloat16() + x.bfloat16()
    """
    found, _ = two(tmp_path, program)
    ended = found.about["ended"]
    assert ended["npu"]["exit"] == 1 and ended["bench"]["exit"] == 0
    assert "RuntimeError" in ended["npu"]["output"] and "exit code 1" in summary(found)
    assert found.calls >= 1


def test_a_program_that_never_begins(tmp_path: pathlib.Path) -> None:
    def words(_address: str) -> Sequence[str]:
        return [sys.executable, "-c", "raise SystemExit(7)"]

    found = compare(words, words, {"npu": "a", "bench": "b"})
    assert found.calls == 0 and found.about["ended"]["npu"]["exit"] == 7


def test_the_target_is_pinned(tmp_path: pathlib.Path) -> None:
    program = PROGRAM.replace(
        "net = Net(", "from ms_kernels import settings\n    settings.device_target = 'CPU'\n    net = Net("
    )
    found, _ = two(tmp_path, program)
    assert found.counts.saturated > 0


# -- the page ---------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What the tests ask of the page: its tables, its points, its data, and whether it needs anything else."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.data: dict[str, str] = {}
        self._id = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._id = dict(attrs).get("id") or tag
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.data[self._id] = self.data.get(self._id, "") + data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        found = [attrs for name, attrs in self.tags if name == tag]
        return [a for a in found if all(a.get(key.replace("_", "-")) == value for key, value in wanted.items())]


def test_the_page(tmp_path: pathlib.Path) -> None:
    found, _ = two(tmp_path, PROGRAM)
    out = io.StringIO()
    write_html(found, out)
    text = out.getvalue()
    page = Page(text)
    assert page.open == []
    assert "://" not in text and not page.all("link") and not page.all("img")
    assert not [a for tag, a in page.tags for key in a if key in ("src", "href", "action") or key.startswith("on")]
    rows = [a for a in page.all("tr") if "data-site" in a]
    data = json.loads(page.data["data"])
    assert len(rows) == len(data["sites"]) == len(found.sites)
    assert len(page.all("circle")) == len(found.errors.points)
    assert page.all("svg", id="errors") and page.all("svg", id="losses") and len(page.all("polyline")) == 2
    assert page.all("circle", **{"class": "broken"})
    assert "first broken" in text and "AN-OVF-03" in data["ruleTexts"]
    (source,) = [lines for place, lines in data["sources"].items() if place.endswith(":13")]
    assert any("functional.matmul(scores, x)" in line for line in source)
    assert all(sum(site["histogram"]) for site in data["sites"])


def test_texts_of_programs_cannot_break_the_page() -> None:
    path = "Default/network-</script><b>&\"'{{DATA}}"
    found = Report({"npu": "<i>", "bench": "{{SITES}}", "program": "</title>"})
    found.add(call(0, F32([1, 2]), path=path), call(0, F32([1, np.nan]), path=path))
    found.finish(ended={"npu": {"exit": 1, "output": "</pre><script>"}, "bench": {"exit": 0, "output": ""}})
    out = io.StringIO()
    write_html(found, out)
    page = Page(out.getvalue())
    assert page.open == [] and len(page.all("script")) == 2
    assert json.loads(page.data["data"])["sites"][0]["path"] == path
