#!/usr/bin/env python3
"""The HTML report in a headless browser: what a person clicks, types, reads and prints.

Makes result files, runs `xqacheck report` on them, and opens the pages. Leaves with 77 (skipped), and says why, where
there is no browser that can be driven; a failure says what was expected. Screenshots go below --output; with
XQACHECK_SCREENSHOTS=1 in the environment those of the documentation are written to doc/images too.
"""
import argparse
import pathlib
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))

try:
    import browser
    import checks
except ImportError as missing:
    print(f"skipped: no Selenium for {sys.executable}: {missing}; install the packages of scripts/packages-browser.txt")
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--xqacheck", required=True)
    parser.add_argument("--faulty", required=True, help="a plug-in whose kernel drops a token")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    output = pathlib.Path(arguments.output).resolve()
    output.mkdir(parents=True, exist_ok=True)
    why = browser.why_not()
    if why:
        print(f"skipped: {why}")
        return 77
    try:
        pages = checks.make_pages(pathlib.Path(arguments.xqacheck).resolve(), pathlib.Path(arguments.faulty).resolve(), output)
        driver = browser.start()
    except browser.Unusable as unusable:
        print(f"skipped: {unusable}")
        return 77
    failed = []
    try:
        for check in checks.ALL:
            try:
                check(driver, pages, output)
                print(f"passed: {check.__name__}")
            except Exception:  # one failing check must not hide the others
                failed.append(check.__name__)
                print(f"FAILED: {check.__name__}\n{traceback.format_exc()}")
    finally:
        driver.quit()
    print(f"{len(checks.ALL) - len(failed)} of {len(checks.ALL)} checks passed; screenshots are in {output}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
