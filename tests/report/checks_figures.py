"""Charts of budgets and speed show the figures of the records."""
import json

from inputs import PERF


def choose(b, label, text):
    """Chooses an entry of the <select> in the section of budgets whose label begins so."""
    b.run("""const label = [...document.querySelectorAll('#budgets label')].find((l) => l.textContent.startsWith(arguments[0])), select = label.querySelector('select');
             select.value = [...select.options].find((o) => o.textContent === arguments[1]).value; select.dispatchEvent(new Event('change'));""", label, text)
    b.settle()


def marks(b):
    return b.run("return document.querySelectorAll('#budgets figure svg.chart[role=img] .mark').length")


def budgets_are_those_of_the_file(b, pages, _):
    b.view()
    b.open(pages["figures"])
    records = [line for line in pages.lines("budget") if line["type"] == "budget"]
    assert len(records) == 12 and all(record["mode"] == "check" for record in records)
    rows = b.run("return [...document.querySelectorAll('#budgets tbody')][0].querySelectorAll('tr').length")
    assert rows == len(records)
    assert b.texts("#budgets tbody .badge") == [record["status"] for record in records]
    assert marks(b) == len(records), f"{marks(b)} marks for {len(records)} configurations"
    assert b.run("return document.querySelectorAll('#budgets figure svg.chart[role=img] .limit').length") == 2, "each ladder has its budget"
    choose(b, "Configuration", next(text for text in b.texts("#budgets option") if text.endswith("data=outlier")))
    assert marks(b) == 6
    assert b.run("return document.querySelectorAll('#budgets figure svg.chart[role=img] .band').length") == 2, "bands of one and three sigma"
    choose(b, "Metric", "99.9 % of errors below, σ")
    title = b.run("return [...document.querySelectorAll('#budgets figure svg.chart[role=img] .mark title')].map((e) => e.textContent).at(-1)")
    want = max((record for record in records if "outlier" in record["run"]), key=lambda record: record["tokens"])["metrics"]["sigma_p999"]["mean"]
    assert abs(float(title.split(": ")[1]) / want - 1) < 0.01, f"{title}, file has {want}"
    b.click("#budgets button.open")
    text = b.one("#budgets tr.detail").text
    assert records[0]["run"] in text.replace("\n", "") and "relative L2 error" in text and "Limit" in text
    b.open(pages["measured"])
    assert b.one("h1").text == "Measured"


def bars_of_causes(b):
    """Of each bar: [(name and share, width)]."""
    found = b.run("""return [...document.querySelectorAll('#budgets figure')].filter((f) => f.textContent.includes('Error by cause'))
        .map((f) => [...f.querySelectorAll('svg.chart[role=img] .bar')].map((r) => [r.getAttribute('y'), r.textContent, Number(r.getAttribute('width'))]))""")[0]
    return [[(text, width) for at, text, width in found if at == y] for y in sorted({y for y, _, _ in found}, key=float)]


def causes_fill_their_bars(b, pages, _):
    b.view()
    b.open(pages["causes"])
    bars = bars_of_causes(b)
    assert len(bars) == 2
    for parts in bars:
        assert 9 <= len(parts) <= 11, "the bar of the negative step is left out"
        # Shares are halves of each other, so are the widths.
        assert abs(parts[0][1] / parts[1][1] - 2) < 0.05 and parts[0][0].startswith("q rounded: 50"), parts[:2]
    legend = b.run("return [...document.querySelectorAll('#budgets figure .legend li')].map((e) => e.textContent)")
    assert "merge" in legend and "output sum" in legend
    b.open(pages["figures"])
    records = [line for line in pages.lines("explain") if line["type"] == "causes"]
    bars = bars_of_causes(b)
    assert len(bars) == len(records) == 6
    for record, parts in zip(records, bars):
        k = next(step["share"] for step in record["steps"] if step["step"] == "k") / record["total"]
        shown = next(text for text, _ in parts if text.startswith("K quantised"))
        assert abs(float(shown.split(": ")[1].split()[0]) / (100 * k) - 1) < 0.01, f"{shown}, file has {k}"
    text = b.one("#budgets").text
    assert "p_scale=256" in text and "What if" in text


def bars_of_speed_are_those_of_the_file(b, pages, _):
    b.view()
    b.open(pages["figures"])
    cases = json.loads(PERF.read_text(encoding="utf-8"))["cases"]
    assert b.texts("#speed figcaption .title") == [case["case"] for case in cases]
    found = b.run("return [...document.querySelectorAll('#speed figure')].map((f) => [...f.querySelectorAll('svg.chart[role=img] .bar')].map((bar) => bar.getAttribute('width') / f.querySelector('svg .bar-back').getAttribute('width')))")
    for case, bars in zip(cases, found):
        timed = [kernel for kernel in case["kernels"] if "refused" not in kernel]
        assert len(bars) == len(timed)
        for kernel, bar in zip(timed, bars):
            assert abs(bar - kernel["share_of_copy"]) < 0.005, f"{kernel['kernel']}: {bar}, file has {kernel['share_of_copy']}"


ALL = [budgets_are_those_of_the_file, causes_fill_their_bars, bars_of_speed_are_those_of_the_file]
