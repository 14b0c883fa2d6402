"""Debian's Chromium without a screen, for the tests of the page."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from serving import PATIENCE, Served, skip

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
except ImportError:
    webdriver = None

SHOWN = "return performance.getEntriesByName('shown')[0]?.startTime ?? null"
FRAMES = """
const seconds = arguments[0], done = arguments[1], begin = performance.now();
let count = 0, longest = 0, last = begin;
requestAnimationFrame(function frame(now) {
  longest = Math.max(longest, now - last);
  last = now;
  ++count;
  if (now - begin < seconds * 1000) requestAnimationFrame(frame);
  else done([count / (now - begin) * 1000, longest]);
});
"""


def need_browser() -> None:
    """Ends the test as skipped where there is no browser."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            skip(f"no {program} (scripts/setup installs chromium and chromium-driver)")
    if webdriver is None:
        skip("no python3-selenium")


def busy() -> float:
    """How much longer than on an idle machine a program takes now, because others want the processor, too."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Browser:
    def __init__(self, width: int = 1360, height: int = 900, dark: bool = False, any_certificate: bool = False) -> None:
        options = Options()
        options.binary_location = shutil.which("chromium")
        self.profile = tempfile.TemporaryDirectory()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking",
                         f"--user-data-dir={self.profile.name}", "--force-device-scale-factor=1"):  # fmt: skip
            options.add_argument(argument)
        options.accept_insecure_certs = any_certificate
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(4 * PATIENCE)
        self.size(width, height)
        # The pages of the tests never reach another host.
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def size(self, width: int, height: int, mobile: bool = False) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})

    def open(self, served: Served, tab: str = "") -> float:
        """Milliseconds from the begin of the navigation until the machine is shown."""
        self.driver.get("about:blank")
        self.driver.get(served.link)
        self.wait("the page", lambda: self.run(SHOWN) is not None)
        if tab:
            self.find(f"#tab-{tab}").click()
        return self.run(SHOWN)

    def end(self) -> None:
        self.driver.quit()
        self.profile.cleanup()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def wait(self, what: str, good: Any) -> Any:
        end = time.monotonic() + PATIENCE
        while not (value := good()):
            if time.monotonic() > end:
                raise AssertionError(f"{what}; the console: {self.console()}")
            time.sleep(0.02)
        return value

    def frames(self, seconds: float) -> tuple[float, float]:
        """Frames a second and the longest frame in milliseconds."""
        rate, longest = self.driver.execute_async_script(FRAMES, seconds)
        return rate, longest

    def heap(self) -> int:
        """Bytes of JavaScript objects that are in use."""
        sizes = []
        for _ in range(4):  # between two looks samples arrive, and are no garbage yet
            self.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
            sizes.append(self.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"])
            time.sleep(0.5)
        return min(sizes)

    def nodes(self) -> tuple[int, int]:
        """Nodes of documents and their listeners."""
        counters = self.driver.execute_cdp_cmd("Memory.getDOMCounters", {})
        return counters["nodes"], counters["jsEventListeners"]

    def renderer(self) -> int:
        """The process of the page: of the renderers of this browser the largest."""
        found: list[tuple[int, int]] = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
                if b"--type=renderer" in words and self.profile.name.encode() in words:
                    found.append((int((folder / "statm").read_text().split()[1]), int(folder.name)))
            except OSError:
                continue  # it ended
        return max(found)[1]

    def console(self) -> list[str]:
        """Errors and warnings so far."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self) -> bytes:
        return self.driver.get_screenshot_as_png()
