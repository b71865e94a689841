"""How the page reads: no complaints, nothing loaded, hostile texts, phones, contrast, screen readers, paper."""
import base64
import pathlib

from browser import PHONE, WIDE
from inputs import HOSTILE

SCRIPTS = pathlib.Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")


def asked(b, function):
    """Calls a function of page_checks.js in the page."""
    return b.run(f"{SCRIPTS}\nreturn {function}();")


def open_everything(b):
    """All tables of numbers and the details of the first verdict: what is hidden must be right too."""
    b.run("document.querySelectorAll('details').forEach((d) => { d.open = true; }); document.querySelector('#verdicts button.open')?.click()")
    b.settle()


def nothing_is_loaded_and_nothing_complains(b, pages, _):
    b.complaints(), b.requested()
    for name, path in pages.paths.items():
        b.view()
        b.open(path)
        open_everything(b)
        assert not (said := b.complaints()), f"{name}: {said}"
        addresses = [address for address in b.requested() if not address.startswith("data:")]
        assert addresses == [path.resolve().as_uri()], f"{name} asks for {addresses}"
        trouble = b.run("return document.documentElement.dataset.trouble ?? ''")
        assert trouble == "", f"{name}: a section could not be drawn: {trouble}"


def hostile_texts_stay_texts(b, pages, _):
    b.view()
    b.open(pages["hostile"])
    open_everything(b)
    assert b.run("return window.hacked") is None
    found = b.run("return [...document.querySelectorAll('img, b, i, iframe, object, embed, form, body script:not(#data):not([type=module])')].map((e) => e.outerHTML)")
    assert not found, found
    assert b.run("return document.scripts.length") == 2
    text = b.run("return document.body.textContent")
    for hostile in HOSTILE:
        assert hostile in text, f"not shown as it is: {hostile[:60]}"


def phones_need_no_sideways_scrolling(b, pages, _):
    for name, path in pages.paths.items():
        b.view(PHONE)
        b.open(path)
        open_everything(b)
        wide = asked(b, "wider_than_the_screen")
        assert not wide, f"{name}: {wide}"
    b.open(pages["real"])
    small = asked(b, "hard_to_touch")
    assert not small, small
    b.view((320, 700))  # 200 % of a small window: WCAG 1.4.10
    b.open(pages["real"])
    assert not (wide := asked(b, "wider_than_the_screen")), wide


def texts_have_contrast(b, pages, _):
    for dark in (False, True):
        for name in ("real", "figures", "hostile"):
            b.view(WIDE, dark=dark)
            b.open(pages[name])
            open_everything(b)
            count, weak = asked(b, "weak_contrasts")
            assert count > 100, f"only {count} texts were looked at"
            assert not weak, f"{'dark' if dark else 'light'} {name}: {weak[:10]}"
    b.view(WIDE, dark=True)
    b.open(pages["real"])
    back = b.run("return getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in back.removeprefix("rgb(").removesuffix(")").split(",")) < 150, f"not dark: {back}"


def screen_readers_are_told(b, pages, _):
    b.view()
    for name in ("real", "several", "figures", "hostile"):
        b.open(pages[name])
        open_everything(b)
        assert not (wrong := asked(b, "wrong_semantics")), f"{name}: {wrong[:10]}"
        b.cdp("Accessibility.enable")
        nodes = b.cdp("Accessibility.getFullAXTree")["nodes"]
        nameless = [node["role"]["value"] for node in nodes if not node.get("ignored") and node.get("role", {}).get("value") in
                    ("button", "link", "image", "img", "table", "textbox", "searchbox", "combobox", "navigation", "region", "article", "search")
                    and not node.get("name", {}).get("value", "").strip()]
        b.cdp("Accessibility.disable")
        assert not nameless, f"{name}: nothing to say about {nameless}"


def charts_are_tables_too(b, pages, _):
    b.view()
    b.open(pages["real"])
    figures = b.all("figure")
    assert len(figures) >= 3
    for figure in figures:
        asked_for = b.run("const d = arguments[0].querySelector('details.numbers'); if (!d) return -1; d.open = true; return 0", figure)
        assert asked_for == 0, "a chart without its numbers"
    b.settle()
    for figure in figures:
        rows = b.run("return arguments[0].querySelectorAll('tbody tr').length", figure)
        assert rows > 0, f"no numbers: {figure.text[:80]}"
    # One mark for each point: the table of the first chart has as many rows as the chart has marks.
    marks, rows = b.run("const f = document.querySelector('#error figure'); return [f.querySelectorAll('svg.chart[role=img] .mark').length, f.querySelectorAll('tbody tr').length]")
    assert marks == min(rows, marks) and marks > 5, f"{marks} marks, {rows} rows"
    cells = b.run("return document.querySelectorAll('#failures svg.chart[role=img] .cell').length")
    assert cells > 16, "the failures have maps"


def paper_has_no_controls(b, pages, output):
    b.view(WIDE, dark=True, media="print")
    b.open(pages["real"])
    visible = b.run("return [...document.querySelectorAll('nav, .filters, .skip, button.copy, .pager button')].filter((e) => e.getClientRects().length > 0).length")
    assert visible == 0, f"{visible} controls on paper"
    back = b.run("return getComputedStyle(document.body).backgroundColor")
    assert back == "rgb(255, 255, 255)", f"paper is {back}, even in the dark"
    assert b.one("#failures code").is_displayed()
    b.view()
    b.open(pages["real"])
    pdf = base64.b64decode(b.cdp("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69)["data"])
    (output / "real.pdf").write_bytes(pdf)
    sheets = pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ")
    assert pdf.startswith(b"%PDF") and 2 <= sheets <= 60, f"{sheets} sheets"


ALL = [nothing_is_loaded_and_nothing_complains, hostile_texts_stay_texts, phones_need_no_sideways_scrolling, texts_have_contrast,
       screen_readers_are_told, charts_are_tables_too, paper_has_no_controls]
