"""A small report, the program as users run it, and a real browser to look at what it wrote."""

import base64
import json
import os
import shutil
from contextlib import contextmanager
from urllib.parse import urlsplit

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from l1kpca import KernelPCAOutlierDetector
from l1kpca.cli.app import run
from l1kpca.report import report
from missing import BROWSER_MISSING

BROWSER_VARIABLE = "L1KPCA_BROWSER"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


@pytest.fixture(scope="session")
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4))
    X[:4] += 12 * rng.normal(size=(4, 4))
    return X


@pytest.fixture(scope="session")
def detector(X):
    return KernelPCAOutlierDetector(random_state=0).fit(X)


@pytest.fixture(scope="session")
def labels(X):
    return np.arange(len(X)) < 4


@pytest.fixture(scope="session")
def facts(detector, X, labels):
    return report(detector, X, labels=labels, names=[f"n{i}" for i in range(len(X))]).facts


@pytest.fixture(scope="session")
def unpacked():
    """Read an array that was packed for a page."""
    return lambda text, kind: np.frombuffer(base64.b64decode(text), dtype=f"<{kind}")


@pytest.fixture(scope="session")
def program():
    """Run a command in this process; it must succeed."""

    def call(*arguments):
        assert run([str(argument) for argument in arguments]) == 0

    return call


def find_browser():
    """Chromium and its driver; skips if there are none, fails if the named one is not there."""
    given = os.environ.get(BROWSER_VARIABLE)
    names = (given,) if given else ("chromium", "chromium-browser", "google-chrome")
    browser = next((path for path in map(shutil.which, names) if path), None)
    driver = shutil.which("chromedriver")
    if given and not (browser and driver):
        pytest.fail(f"{BROWSER_VARIABLE}={given}: it, or chromedriver, is not there")
    if not (browser and driver):
        pytest.skip(BROWSER_MISSING)
    return browser, driver


class Page:
    """A report in a browser, with short words for what a reader does."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path):
        self.driver.get_log("performance")
        self.driver.get_log("browser")
        self.driver.get(path.as_uri())
        return self

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        """Text of all elements, those that are scrolled away or hidden on a phone included."""
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.driver.execute_script(script, selector)

    def text(self, selector):
        (text,) = self.texts(selector)
        return text

    def column(self, key):
        """The cells of one column of the table, on the page that is shown."""
        return self.texts(f"#rows tbody td.{key}")

    def type_into(self, selector, text):
        field = self.find(selector)
        field.clear()
        field.send_keys(text)

    def choose(self, value):
        self.find(f"#filter option[value={value}]").click()

    def errors(self):
        """What the browser complained of."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests_to_elsewhere(self):
        """What was asked for over a network, by the browser's own log."""
        events = [entry["message"] for entry in self.driver.get_log("performance")]
        asked = self.driver.execute_script(
            "return performance.getEntriesByType('resource').map((entry) => entry.name)"
        )
        asked += [url for event in events for url in _urls_of_requests(event)]
        return [url for url in asked if urlsplit(url).scheme not in ("file", "data")]


def _urls_of_requests(event):
    message = json.loads(event)["message"]
    if message["method"] == "Network.requestWillBeSent":
        yield message["params"]["request"]["url"]


@contextmanager
def browsing(profile, width=1280, height=900, scheme="light"):
    """A browser with an empty profile, a size and a color scheme."""
    browser, driver = find_browser()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        chrome.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        chrome.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        yield Page(chrome)
    finally:
        chrome.quit()


@pytest.fixture(scope="session")
def desktop(tmp_path_factory):
    with browsing(tmp_path_factory.mktemp("desktop")) as page:
        yield page


@pytest.fixture(scope="session")
def dark_phone(tmp_path_factory):
    with browsing(tmp_path_factory.mktemp("phone"), 390, 844, "dark") as page:
        yield page
