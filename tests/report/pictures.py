"""Pictures of the page: for whoever looks at a failing test, and for the documentation."""
import os
import pathlib

from browser import PHONE, WIDE

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[2] / "doc" / "images"
LARGEST = 200_000  # bytes; a repository keeps every version of a picture


def top_of(b, selector):
    return b.run("return Math.round(document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY)", selector)


def pictures_are_taken(b, pages, output):
    for_documentation = os.environ.get("XQACHECK_SCREENSHOTS", "") == "1"
    folder = DOCUMENTATION if for_documentation else output
    folder.mkdir(parents=True, exist_ok=True)
    taken = []

    def take(name, size, page="real", dark=False, at=None, height=None, before=""):
        b.view(size, dark=dark)
        b.open(pages[page])
        if before:
            b.run(before)
            b.settle()
        path, small = folder / f"report-{name}.png", for_documentation or name == "speed"  # one of them always: it is code that must work
        b.picture(path, height=height or size[1], top=max(0, top_of(b, at) - 12) if at else 0, small=small)
        taken.append((path, small))

    take("overview", WIDE)
    take("failure", WIDE, at="#failures", height=1250)
    take("verdicts", WIDE, at="#verdicts", height=820, before="document.querySelector('.toggle[data-status=FAILED]').click()")
    take("error", WIDE, at="#error", height=1000, dark=True)
    take("budgets", WIDE, page="figures", at="#budgets figure", height=1300)
    take("speed", WIDE, page="figures", at="#speed", height=480)
    take("phone", PHONE, dark=False, height=1500)
    for path, small in taken:
        size = path.stat().st_size
        assert 5_000 < size and (size <= LARGEST or not small), f"{path.name} has {size} bytes"


ALL = [pictures_are_taken]
