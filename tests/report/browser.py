"""A headless Chromium, driven through Selenium, with the few things that the checks need."""
import base64
import json
import pathlib
import shutil
import time

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from small_png import with_palette

WIDE, PHONE = (1200, 900), (390, 844)


class Unusable(Exception):
    """There is a browser, but it cannot be driven here."""


def browser_program():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def why_not():
    if not browser_program():
        return "no Chromium; install the packages of scripts/packages-browser.txt"
    if not shutil.which("chromedriver"):
        return "no chromedriver; install the packages of scripts/packages-browser.txt"
    start = pathlib.Path(browser_program()).read_bytes()[:4096]
    if b"snap" in start and start.startswith(b"#!"):
        return f"{browser_program()} only starts a snap, which cannot read this folder"
    return ""


class Browser:
    def __init__(self, driver):
        self.driver = driver

    def quit(self):
        self.driver.quit()

    # -- pages and views

    def view(self, size=WIDE, dark=False, media=""):
        self.cdp("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 600)
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, page):
        self.driver.get(pathlib.Path(page).resolve().as_uri())
        self.until(lambda: self.run("return document.documentElement.dataset.ready") == "true", "the page's scripts have run")
        self.settle()

    def settle(self):
        """Waits until two frames have been drawn: charts draw when they know their width."""
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))")

    # -- looking and acting

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.all(selector)
        assert found, f"nothing matches {selector}"
        return found[0]

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def click(self, selector):
        element = self.one(selector) if isinstance(selector, str) else selector
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def press(self, *keys):
        for key in keys:
            webdriver.ActionChains(self.driver).send_keys(key).perform()

    def press_together(self, modifier, key):
        webdriver.ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def focused(self):
        return self.run("const e = document.activeElement; return {tag: e.tagName, text: e.textContent.slice(0, 80), label: e.getAttribute('aria-label') ?? '', id: e.id}")

    def until(self, condition, what, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.02)
        raise AssertionError(f"waited {seconds} s for: {what}")

    # -- what the browser says about the page

    def complaints(self):
        """Messages of the console, since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested(self):
        """Addresses that the page asked for, since the last call."""
        addresses = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                addresses.append(message["params"]["request"]["url"])
        return addresses

    # -- pictures

    def picture(self, path, height=None, top=0, small=False):
        """Of the width of the view, from `top` on. `small`: with a palette, as a page has few colours; that takes seconds."""
        width = self.run("return document.documentElement.clientWidth")
        whole = self.run("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": top, "width": width, "height": min(height or whole, whole - top), "scale": 1}
        shot = base64.b64decode(self.cdp("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"])
        pathlib.Path(path).write_bytes(with_palette(shot) if small else shot)


def start():
    options = Options()
    options.binary_location = browser_program()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    try:
        driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    except WebDriverException as error:
        raise Unusable(f"{browser_program()} does not start: {error.msg}") from error
    driver.set_script_timeout(30)
    return Browser(driver)
