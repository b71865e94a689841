"""Result files and pages for the checks: real runs, and files that no run of ours writes."""
import json
import os
import pathlib
import random
import subprocess

HOSTILE = ["<img src=x onerror=\"window.hacked=1\">", "</script><script>window.hacked=1</script>", "<!--<script>", "'\"><b>bold</b>", "{{7*7}}${7*7}",
           "a&amp;b &lt;i&gt;", "\u202eright to left", "x" * 3000]
MANY = 100_000
PERF = pathlib.Path(__file__).with_name("perf-h200.json")  # xqacheck perf on an NVIDIA H200: mmha and the CUDA example


class Pages:
    def __init__(self, xqacheck, folder):
        self.xqacheck, self.folder, self.paths = xqacheck, folder, {}

    def tool(self, *arguments):
        return subprocess.run([str(self.xqacheck), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False, timeout=240)

    def report(self, name, *results):
        done = self.tool("report", *results, "-o", f"{name}.html")
        assert done.returncode == 0, done.stderr
        self.paths[name] = self.folder / f"{name}.html"

    def __getitem__(self, name):
        return self.paths[name]

    def lines(self, name):
        with open(self.folder / f"{name}.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def verdicts(self, name):
        return [line for line in self.lines(name) if line["type"] == "verdict"]


def header(**more):
    return {"type": "header", "format": "xqacheck-results/1", "tool": "0.1.0", "command": ["xqacheck", "verify"], "seed": 1, "kernels": [], **more}


def verdict(number, status, **more):
    return {"type": "verdict", "number": number, "kernel": "k", "property": "golden", "status": status, "kind": "", "message": "", "elements": 128,
            "run": f"xqa/1 len={64 + number % 4000} seed={number} @ kernel=k prop=golden tool=0.1", "bad_elements": 0, "bound_used": 0.01,
            "evidence": [], "notes": [], "route": {"device": "host", "splits": 1}, "out_xxh64": f"{number:016x}", "seconds": 0.001, **more}


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def hostile_lines():
    """Every text of every record is hostile."""
    yield header(command=HOSTILE, device=HOSTILE[0], host=HOSTILE[1], properties=HOSTILE, left_out=HOSTILE,
                 kernels=[{"name": text, "version": text, "source": text} for text in HOSTILE])
    axis = {"name": HOSTILE[0], "size": 2}
    for number, text in enumerate(HOSTILE):
        record = verdict(number, "FAILED", kernel=text, property=text, kind=text, message=text, run=f"xqa/1 len=7 {text} @ kernel={text}", notes=HOSTILE,
                         route={"device": text, "splits": 1}, out_xxh64=text, evidence=[{"request": text, "row": [], "head": {}, "dim": None, "got": "nan"}],
                         maps=[{"rows": axis, "columns": axis, "cells": [[1, "inf"], [None, 0]]}])
        yield record
        yield {**record, "type": "shrunk"}
    yield {"type": "budget", "kernel": HOSTILE[0], "run": HOSTILE[1], "status": HOSTILE[2], "tokens": 64, "metrics": {HOSTILE[0]: {"mean": HOSTILE[1]}, "rel_l2": {"mean": 0.1, "low": "inf"}}}
    yield {"type": "causes", "kernel": HOSTILE[0], "run": HOSTILE[1], "tokens": 64, "causes": [{"step": HOSTILE[0], "share": HOSTILE[1]}]}
    yield {"type": "power", HOSTILE[0]: HOSTILE[1], "kernel": HOSTILE[0]}
    yield {"type": "summary", "exit_code": 1, "why": HOSTILE[0], "counts": {}}


def many_lines():
    draw = random.Random(1)
    statuses = ["PASSED"] * 90 + ["UNSUPPORTED"] * 8 + ["FAILED", "MISTRUSTED"]
    yield header(cases=MANY)
    for number in range(MANY):
        yield verdict(number, draw.choice(statuses), property=("golden", "guard", "rerun")[number % 3], bound_used=10 ** draw.uniform(-6, -1), seconds=draw.random())
    yield {"type": "summary", "exit_code": 1, "why": "made up", "counts": {}}


def causes_lines():
    """The record of doc/results-format.md: twelve steps, more than there are colours, one of them negative."""
    steps = ["q", "K", "V", "scores", "ex2", "P", "output sum", "row sum", "rescale", "partials", "merge", "output"]
    yield header(command=["xqacheck", "budget", "explain"])
    for number, tokens in enumerate((64, 1024)):
        shares = [2.0 ** -i for i in range(11)] + [-0.001]
        yield {"type": "causes", "number": number, "kernel": "emu-qgmma", "run": f"xqa/1 len={tokens} kv=e4m3", "tokens": tokens, "samples": 16, "total": sum(shares),
               "steps": [{"step": step, "share": share, "low": share * 0.9, "high": share * 1.1, "alone": share} for step, share in zip(steps, shares)],
               "what_if": [{"name": "P in 16 bits", "nmse": 1.5, "low": 1.4, "high": 1.6}]}


def make_budgets(pages):
    """A ladder of lengths that is measured, then checked against a budget of its own."""
    ladder = ("--kernel", "emu-qgmma", "--case", "xqa/1 heads=8/1 kv=e4m3", "--case", "xqa/1 heads=8/1 kv=e4m3 data=outlier", "--ladder", "64..2048", "--samples", "8")
    done = pages.tool("budget", "measure", *ladder, "--json", "ladder.jsonl", "--out", "ladder.json")
    assert done.returncode == 0, done.stdout[-400:] + done.stderr[-400:]
    done = pages.tool("budget", "check", "ladder.json", "--json", "budget.jsonl")
    assert done.returncode in (0, 4), done.stdout[-400:] + done.stderr[-400:]  # 4: eight samples are few
    done = pages.tool("budget", "explain", *ladder[:6], "--ladder", "64..256", "--samples", "2", "--orders", "1", "--what-if", "p_scale=256", "--what-if", "p=16bit", "--json", "explain.jsonl")
    assert done.returncode == 0, done.stdout[-400:] + done.stderr[-400:]


def make_pages(xqacheck, faulty, folder):
    pages = Pages(xqacheck, folder)
    # A kernel that drops the last token of long requests beside one that is right: the page of the documentation.
    (folder / "dropper.so").unlink(missing_ok=True)
    (folder / "dropper.so").symlink_to(faulty)
    # All properties take half of this test's time, and only the pictures show the difference.
    some = () if os.environ.get("XQACHECK_SCREENSHOTS", "") == "1" else ("--property", "golden,certificate,company,guard,poison")
    done = pages.tool("verify", "--kernel", "./dropper.so", "--kernel", "flash32", "--cases", "80", "--seed", "1", *some, "--json", "real.jsonl", "--failures", "failures")
    assert done.returncode == 1, f"the faulty kernel must fail: {done.stdout[-400:]}{done.stderr[-400:]}"
    pages.report("real", "real.jsonl")
    done = pages.tool("verify", "--kernel", "flash32", "--cases", "20", "--seed", "2", "--json", "good.jsonl", "--failures", "failures")
    assert done.returncode == 0, done.stdout[-400:]
    pages.report("good", "good.jsonl")
    pages.report("several", "real.jsonl", "good.jsonl")
    write(folder / "hostile.jsonl", hostile_lines())
    pages.report("hostile", "hostile.jsonl")
    write(folder / "many.jsonl", many_lines())
    pages.report("many", "many.jsonl")
    make_budgets(pages)
    write(folder / "causes.jsonl", causes_lines())
    pages.report("figures", "budget.jsonl", "explain.jsonl", PERF)
    pages.report("causes", "causes.jsonl")
    pages.report("measured", "ladder.jsonl")
    write(folder / "header.jsonl", [header()])
    pages.report("header", "header.jsonl")
    return pages
